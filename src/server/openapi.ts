// The OpenAPI 3.1 document, made from the table of routes.
import * as z from "zod";
import type { Json } from "../queries/envelope.ts";
import { jsonSchemaOf } from "../queries/fields.ts";
import { VERSION } from "../core/version.ts";
import { statusOf } from "./reply.ts";
import type { Route } from "./route.ts";
import { EVENTS, STREAM_ABOUT } from "./schemas/events.ts";
import { ROUTES } from "./routes.ts";

/** Error codes that every route can return. */
const COMMON_ERRORS = ["usage", "unauthorized", "forbidden", "nothing_found", "rate_limited", "internal", "store_busy"];

const ABOUT = `C-Mem's API. The reply of a query is what its command prints with --json:
\`{schema_version, command, data, meta}\`; every error \`{schema_version, command, error: {code, message, hint}}\`.
An empty result is status 404 with error.code nothing_found, for lists as well.`;

export function openApi(port: number): Json {
  const paths: Record<string, Json> = {
    "/health": { get: healthOperation() },
    "/stream": { get: streamOperation() },
  };
  for (const row of ROUTES) {
    const path = row.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [row.method]: operation(row) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "C-Mem", version: VERSION, description: ABOUT },
    servers: [{ url: `http://127.0.0.1:${port}` }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "the token in server.json, in the data directory" },
        cookie: { type: "apiKey", in: "cookie", name: `c_mem_${port}`, description: "set by the link of `c-mem open`" },
      },
      schemas: { Error: toJsonSchema(errorEnvelope()) },
    },
  };
}

export function errorEnvelope(): z.ZodType {
  return z.strictObject({
    schema_version: z.literal(1),
    command: z.string(),
    error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() }),
  });
}

/** The schema of a route's whole reply. */
export function replyEnvelope({ command, reply }: Route): z.ZodType {
  const { data, meta } = reply();
  return z.strictObject({
    schema_version: z.literal(1),
    command: z.literal(command),
    data,
    meta: meta ?? z.strictObject({}),
  });
}

function operation(row: Route): Json {
  const content: Json = { "application/json": { schema: toJsonSchema(replyEnvelope(row)) } };
  for (const type of row.alsoGives ?? []) content[type] = { schema: { type: "string" } };
  return {
    operationId: operationId(row),
    summary: row.about,
    tags: [row.tag],
    parameters: [...pathParameters(row), ...queryParameters(row)],
    ...bodyOf(row),
    responses: { 200: { description: "OK.", content }, ...errorResponses(row) },
  };
}

function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z]+/).filter((word) => word !== "" && word !== "api");
  return [method, ...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)].join("");
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(row: Route): Json[] {
  if (row.fields !== undefined && row.method !== "get") return [];
  const { properties, required } = fieldsOf(row);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function bodyOf(row: Route): Json {
  const schema =
    row.body !== undefined
      ? toJsonSchema(row.body)
      : row.fields !== undefined && row.method !== "get"
        ? { type: "object", ...fieldsOf(row), additionalProperties: false }
        : undefined;
  return schema === undefined ? {} : { requestBody: { required: true, content: { "application/json": { schema } } } };
}

interface ObjectSchema {
  properties: Record<string, Json>;
  required: string[];
}

/** The fields of a route that are not part of its path. */
function fieldsOf({ path, fields = {} }: Route): ObjectSchema {
  const shown = Object.entries(fields).filter(([key, { only }]) => only !== "cli" && !path.includes(`:${key}`));
  return {
    properties: Object.fromEntries(
      shown.flatMap(([key, field]) => [key, ...(field.aliases ?? [])].map((name) => [name, jsonSchemaOf(field)])),
    ),
    required: shown.filter(([, { required, aliases }]) => required && aliases === undefined).map(([key]) => key),
  };
}

function errorResponses(row: Route): Json {
  const own = row.method === "get" ? [] : ["too_large", "disk_full"];
  const codes = [...COMMON_ERRORS, ...own, ...(row.errors ?? [])];
  const byStatus = Map.groupBy(codes, statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      {
        description: names.join(", "),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    ]),
  );
}

/** The schema as JSON Schema, of values before zod transforms them. */
function toJsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}

function healthOperation(): Json {
  const schema = z.strictObject({ name: z.literal("c-mem"), version: z.string(), pid: z.int() });
  return {
    operationId: "getSignOfLife",
    summary: "Check that the server runs; needs no token.",
    tags: ["access"],
    security: [],
    parameters: [],
    responses: { 200: { description: "It runs.", content: { "application/json": { schema: toJsonSchema(schema) } } } },
  };
}

function streamOperation(): Json {
  return {
    operationId: "getStream",
    summary: STREAM_ABOUT,
    tags: ["stream"],
    parameters: [
      { name: "Last-Event-ID", in: "header", required: false, schema: { type: "string" } },
      { name: "last_event_id", in: "query", required: false, schema: { type: "string" } },
    ],
    responses: {
      200: {
        description: "Until either side disconnects.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
    },
    "x-events": Object.fromEntries(Object.entries(EVENTS).map(([name, make]) => [name, toJsonSchema(make())])),
  };
}
