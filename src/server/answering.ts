// All that answers requests, loaded when the first one comes.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createApp } from "./app.ts";
import { createHost, type HostOptions } from "./create-host.ts";

export interface Answering {
  host: ReturnType<typeof createHost>;
  listener(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
}

export function createAnswering(options: HostOptions): Answering {
  const host = createHost(options);
  const listener = getRequestListener(createApp(host).fetch, { overrideGlobalObjects: false });
  return { host, listener: (request, response) => listener(request, response) };
}
