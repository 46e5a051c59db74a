// Creates the app that serves every route of the table, and the page.
import { type Context, Hono } from "hono";
import type * as z from "zod";
import { AppError, nothingFound, usageError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import type { Fields } from "../queries/fields.ts";
import { addDocs } from "./docs-page.ts";
import { addHeaders, checkAccess, checkOrigin, limitBody } from "./guard.ts";
import type { Host } from "./host.ts";
import { reply, replyError } from "./reply.ts";
import type { Route } from "./route.ts";
import { addOpenLink } from "./routes/open.ts";
import { addStream } from "./stream.ts";
import { addStatic } from "./static.ts";
import { ROUTES } from "./routes.ts";

export function createApp(host: Host): Hono {
  const app = new Hono();
  app.use(addHeaders(), checkOrigin(host), checkAccess(host, host.access), limitBody(host));
  app.get("/health", (http) => http.json({ name: "c-mem", version: VERSION, pid: process.pid }));
  for (const row of ROUTES) app.on(row.method.toUpperCase(), row.path, (http) => serve(http, row, host));
  addStream(app, host);
  addDocs(app, host);
  app.all("/api/*", (http) => replyError(http, "", noRoute(), host));
  addOpenLink(app, host);
  addStatic(app, host.viewer);
  app.notFound((http) => replyError(http, "", noRoute(), host));
  app.onError((error, http) => replyError(http, "", error, host));
  return app;
}

function noRoute(): AppError {
  return nothingFound("No such route.", "/api/docs lists them.");
}

async function serve(http: Context, row: Route, host: Host): Promise<Response> {
  try {
    const { values, body } = await readRequest(http, row);
    const { paths, env, store, embeddings } = host;
    host.onRequest();
    const answer = await store.use(
      (db) => {
        const offloaded = row.isSlow ? host.offload.run(db, row, values) : undefined;
        if (offloaded !== undefined) return offloaded;
        const context = { db, paths, env, cwd: undefined, embeddings };
        return row.run({ context, params: http.req.param(), values, body, host, http });
      },
      { skipDrain: row.skipDrain ?? false, isWriting: row.method !== "get" },
    );
    return answer instanceof Response ? answer : reply(http, row.command, answer);
  } catch (error) {
    return replyError(http, row.command, error, host);
  }
}

async function readRequest(
  http: Context,
  { method, fields, body: schema }: Route,
): Promise<{ values: Record<string, unknown>; body: unknown }> {
  const parameters = http.req.query();
  if (method === "get" || fields === undefined) rejectUnknown(fields, parameters, "query");
  if (fields === undefined) return { values: {}, body: schema && parse(schema, await readJson(http)) };
  const body = method === "get" ? {} : await readJson(http);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw usage("body: must be an object.");
  rejectUnknown(fields, body, "body");
  return { values: { ...parameters, ...body, ...http.req.param() }, body };
}

function rejectUnknown(fields: Fields = {}, values: object, what: string): void {
  const known = new Set(
    Object.entries(fields).flatMap(([key, { only, aliases = [] }]) => (only === "cli" ? [] : [key, ...aliases])),
  );
  const unknown = Object.keys(values).find((name) => !known.has(name));
  if (unknown !== undefined) throw usage(`${what}: "${unknown}" is not known.`);
}

function usage(message: string): AppError {
  return usageError(message, "See /api/docs.");
}

function parse(schema: z.ZodType, body: unknown): unknown {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw usage(`${["body", ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "is invalid"}`);
}

async function readJson(http: Context): Promise<unknown> {
  const text = await http.req.text();
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    // The parser's message is left out, because it quotes the body.
    throw usageError("The body is not JSON.");
  }
}
