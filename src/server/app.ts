// The app: every route of the table, with one way to read input and one to reply.
import { type Context, Hono } from "hono";
import type * as z from "zod";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { addDocs } from "./docs-page.ts";
import { addHeaders, checkAccess, checkOrigin, limitBody } from "./guard.ts";
import type { Host } from "./host.ts";
import { reply, replyError } from "./reply.ts";
import type { Route } from "./route.ts";
import { addOpenLink } from "./routes/open.ts";
import { addStream } from "./stream.ts";
import { addStatic } from "./static.ts";
import { ROUTES } from "./table.ts";

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
  return new AppError("nothing_found", "No such route.", { hint: "/api/docs lists them." });
}

async function serve(http: Context, row: Route, host: Host): Promise<Response> {
  try {
    const isRead = row.method === "get";
    if (row.fields !== undefined) checkNames(row, isRead ? http.req.query() : {});
    const query = (
      row.fields === undefined
        ? check(row.query, http.req.query(), "query")
        : { ...http.req.query(), ...http.req.param() }
    ) as Record<string, unknown>;
    const body = row.body === undefined ? undefined : check(row.body, await readJson(http), "body");
    if (row.fields !== undefined && !isRead) Object.assign(query, await readBody(http, row));
    const { paths, env, store, kept } = host;
    host.onRequest();
    const answer = await store.use(
      (db) => {
        const offloaded = row.isSlow ? host.offload.run(db, row, query) : undefined;
        if (offloaded !== undefined) return offloaded;
        const context = { db, paths, env, cwd: undefined, embeddings: kept };
        return row.run({ context, params: http.req.param(), query, body, host, http });
      },
      { asIs: row.asIs ?? false, isWriting: row.method !== "get" },
    );
    return answer instanceof Response ? answer : reply(http, row.command, answer);
  } catch (error) {
    return replyError(http, row.command, error, host);
  }
}

/** Parameters and fields of a query's route; an unknown one is a mistake. */
function checkNames({ fields = {} }: Pick<Route, "fields">, values: object, what = "query"): void {
  const known = new Set(
    Object.entries(fields).flatMap(([key, { only, aliases = [] }]) => (only === "cli" ? [] : [key, ...aliases])),
  );
  const unknown = Object.keys(values).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new AppError("usage", `${what}: "${unknown}" is not known.`, { hint: "See /api/docs." });
}

async function readBody(http: Context, row: Route): Promise<object> {
  const body = await readJson(http);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("usage", "body: must be an object.", { hint: "See /api/docs." });
  checkNames(row, body, "body");
  return { ...body, ...http.req.param() };
}

function check(schema: z.ZodType | undefined, value: unknown, what: string): unknown {
  if (schema === undefined) {
    const [unknown] = Object.keys(value as object);
    if (unknown === undefined) return {};
    throw new AppError("usage", `${what}: "${unknown}" is not known here.`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = [what, ...(issue?.path ?? [])].join(".");
  throw new AppError("usage", `${place}: ${issue?.message ?? "does not fit"}`, { hint: "See /api/docs." });
}

async function readJson(http: Context): Promise<unknown> {
  const text = await http.req.text();
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    // Not the parser's message: it quotes the body.
    throw new AppError("usage", "The body is not JSON.");
  }
}
