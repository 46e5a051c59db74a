// The API documentation as HTML without scripts, made from the OpenAPI document.
import type { Hono } from "hono";
import type { Host } from "./host.ts";
import { openApi } from "./openapi.ts";

export function addDocs(app: Hono, host: Host): void {
  app.get("/api/openapi.json", (http) => http.json(openApi(host.port())));
  app.get("/api/docs", (http) => http.html(page(openApi(host.port()) as unknown as Document)));
  app.get("/api/docs.css", (http) => http.body(STYLE, 200, { "Content-Type": "text/css; charset=utf-8" }));
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
}

interface Operation {
  summary: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>;
  "x-events"?: Record<string, unknown>;
}

interface Document {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

function page({ info, servers, paths }: Document): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2 id="${escape(tag)}">${escape(tag)}</h2>${own.map(operationHtml).join("")}`;
  });
  const contents = tags.map((tag) => `<a href="#${escape(tag)}">${escape(tag)}</a>`).join(" · ");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(info.title)} API</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/api/docs.css"></head><body>
<h1>${escape(info.title)} API <small>${escape(info.version)}</small></h1>
<p>${withCode(info.description)}</p><p><code>${escape(servers[0]?.url ?? "")}</code> · <a href="/api/openapi.json">openapi.json</a></p>
<nav>${contents}</nav>${sections.join("")}</body></html>`;
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const { summary, parameters, requestBody, responses } = operation;
  const rows = parameters.map(
    ({ name, in: location, required, description = "" }) =>
      `<tr><td><code>${escape(name)}</code>${required ? " *" : ""}</td><td>${escape(location)}</td><td>${withCode(description)}</td></tr>`,
  );
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const schema = status === "200" ? content?.["application/json"]?.schema : undefined;
    return `<li><b>${escape(status)}</b> ${escape(description)}${schema === undefined ? "" : fold("reply", schema)}</li>`;
  });
  const events = operation["x-events"];
  return `<section><h3><span class="${escape(method)}">${escape(method.toUpperCase())}</span> <code>${escape(path)}</code></h3>
<p>${withCode(summary)}</p>${rows.length > 0 ? `<table>${rows.join("")}</table>` : ""}
${requestBody === undefined ? "" : fold("body", requestBody.content["application/json"]?.schema)}
${events === undefined ? "" : fold("events", events)}<ul>${answers.join("")}</ul></section>`;
}

function fold(name: string, schema: unknown): string {
  return `<details><summary>${name}</summary><pre>${escape(JSON.stringify(schema, null, 2))}</pre></details>`;
}

/** `text` -> <code>text</code> */
function withCode(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
small, td:nth-child(2) { opacity: 0.7; }
h2 { border-bottom: 1px solid; margin-top: 2.5rem; }
h3 { margin-bottom: 0; } h3 span { display: inline-block; min-width: 4rem; }
section { margin-bottom: 1.5rem; } table { border-spacing: 0.75rem 0.1rem; }
code, td { overflow-wrap: anywhere; } td { vertical-align: top; } pre { overflow: auto; max-height: 30rem; padding: 0.75rem; border: 1px solid; }
details { margin: 0.25rem 0; } summary { cursor: pointer; }
`;
