// Listens on this machine alone: on the port that is set, else on the next that is free; and says where in server.json.
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { bringIn, createStore } from "../answers/kept-store.ts";
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { readServer, serverToken, writeServer } from "../config/server-record.ts";
import { createApp } from "./app.ts";
import type { Host } from "./host.ts";

export interface Serving {
  /** Undefined: nothing is served. */
  port: number | undefined;
  close(): Promise<void>;
}

export interface ServeOptions {
  paths: Paths;
  env: Env;
  log: Host["log"];
  onRequest(): void;
}

const ADDRESS = "127.0.0.1";
/** So many ports are tried before the system chooses one. */
const PORTS_TRIED = 20;

/** Never fails: a worker that cannot be asked still works. */
export async function startServing(options: ServeOptions): Promise<Serving> {
  const { paths, env, log, onRequest } = options;
  const wanted = loadSettings({ user: paths.config }, env).values.port;
  if (wanted === 0) return { port: undefined, close: async () => {} };
  const store = createStore(paths, bringIn);
  try {
    const token = serverToken(paths.server);
    const app = createApp({ paths, env, store, onRequest, log });
    const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
    const port = await listen(server, portsToTry(wanted, readServer(paths.server)?.port));
    writeServer(paths.server, { token, port, pid: process.pid });
    log(`listens on http://${ADDRESS}:${port}`);
    return {
      port,
      close: async () => {
        store.close();
        await end(server);
        writeServer(paths.server, { token, port, pid: null });
      },
    };
  } catch (error) {
    store.close();
    log(`cannot serve the page and the API: ${(error as Error).message}`);
    return { port: undefined, close: async () => {} };
  }
}

/** The last one first, where it was another: a page that is open finds us again. */
function portsToTry(wanted: number, last: number | null | undefined): number[] {
  const near = Array.from({ length: PORTS_TRIED }, (_, index) => wanted + index).filter((port) => port <= 65_535);
  const isNear = typeof last === "number" && near.includes(last);
  return [...new Set([...(isNear ? [last] : []), ...near, 0])];
}

async function listen(server: Server, ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const taken = await tryPort(server, port);
    if (taken !== undefined) return taken;
  }
  throw new Error(`no port is free near ${ports[0]}`);
}

/** Undefined where somebody else has it. */
function tryPort(server: Server, port: number): Promise<number | undefined> {
  return new Promise((done, fail) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      server.off("listening", onListening);
      if (error.code === "EADDRINUSE" || error.code === "EACCES") done(undefined);
      else fail(error);
    };
    const onListening = (): void => {
      server.off("error", onError);
      const address = server.address();
      done(typeof address === "object" && address !== null ? address.port : port);
    };
    server.once("error", onError);
    server.once("listening", onListening);
    server.listen(port, ADDRESS);
  });
}

function end(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}
