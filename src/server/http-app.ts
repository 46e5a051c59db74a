// Creates the app for the first request, and runs a slow query in the process started for it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Answer, errorJson } from "../queries/envelope.ts";
import type { Env, Paths } from "../config/paths.ts";
import { openDriver } from "../store/db/driver.ts";
import type { OffloadedQuery, OffloadReply } from "./offload.ts";
import { createApp } from "./app.ts";
import { createHost, type Host, type HostOptions } from "./host.ts";
import { ROUTES } from "./routes.ts";

export interface HttpApp {
  host: Host;
  listener(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
}

export function createHttpApp(options: HostOptions): HttpApp {
  const host = createHost(options);
  const listener = getRequestListener(createApp(host).fetch, { overrideGlobalObjects: false });
  return { host, listener: (request, response) => listener(request, response) };
}

const BUSY_TIMEOUT_MS = 1_000;

/** Runs one slow query. Called in the process that `offload.ts` starts for it. */
export async function runOffloaded(paths: Paths, env: Env, { path, values }: OffloadedQuery): Promise<OffloadReply> {
  const row = ROUTES.find((route) => route.path === path);
  const db = openDriver(paths.database, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    if (row?.isSlow === undefined) throw new Error(`${path} does not run in its own process`);
    const context = { db, paths, env, cwd: undefined };
    // Slow queries use only these two properties of a call.
    const { data, meta = {} } = (await row.run({ context, values } as Parameters<typeof row.run>[0])) as Answer;
    return { data, meta };
  } catch (error) {
    return { error: errorJson(row?.command ?? "", error).error };
  } finally {
    db.close();
  }
}
