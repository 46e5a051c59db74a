// Listens on 127.0.0.1, on the configured port or the next free one, and records the port in server.json.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { userSettings } from "../config/load.ts";
import { readServer, type ServerRecord, serverToken, writeServer } from "../platform/state/server-record.ts";
import { createAccess, isOwner } from "./access.ts";
import type { HttpApp } from "./http-app.ts";
import { limitConnections } from "./connections.ts";
import type { HostOptions } from "./host.ts";

export interface Serving {
  /** Undefined if the server does not listen. */
  port: number | undefined;
  /** Number of subscribers of the event stream. */
  viewers(): number;
  close(): Promise<void>;
}

export type ServeOptions = Omit<HostOptions, "token" | "port">;

const ADDRESS = "127.0.0.1";
/** The configured port and the next ones. If none of them is free, the system chooses a port. */
const PORTS_TRIED = 20;

const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
  // By default Node checks the first two timeouts only every 30 s.
  connectionsCheckingInterval: 1_000,
};

/** Never fails: a worker that cannot serve still runs its jobs. */
export async function startServing(options: ServeOptions): Promise<Serving> {
  const { paths, env, log } = options;
  const wanted = userSettings(paths, env).port;
  if (wanted === 0) return NOT_SERVING;
  let port = 0;
  const token = serverToken(paths.server);
  const app = loadOnFirstRequest(() => ({ ...options, token, port: () => port }));
  const access = createAccess(token);
  const server = createServer(LIMITS, (request, response) => {
    trackConnection(request);
    void app.serve(request, response);
  });
  const trackConnection = limitConnections(server, ({ headers }) => isOwner(access, headers, port));
  try {
    port = await listen(server, portsToTry(wanted, readServer(paths.server)));
    writeServer(paths.server, { token, port, wanted, pid: process.pid });
    log(`listens on http://${ADDRESS}:${port}`);
  } catch (error) {
    const problem = `cannot serve the page and the API: ${(error as Error).message}`;
    log(problem);
    await closeServer(server);
    tryWrite(paths.server, { token, port: null, wanted, pid: null, problem });
    return NOT_SERVING;
  }
  return {
    port,
    viewers: app.viewers,
    async close() {
      app.close();
      await closeServer(server);
      // The file is not written if it was deleted, or if another worker serves by now.
      if (readServer(paths.server)?.pid === process.pid) tryWrite(paths.server, { token, port, wanted, pid: null });
    },
  };
}

interface LazyApp {
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  viewers(): number;
  close(): void;
}

/** Most workers never get a request, so the app (15 MB) is loaded at the first one. */
function loadOnFirstRequest(options: () => HostOptions): LazyApp {
  let loaded: Promise<HttpApp> | undefined;
  let app: HttpApp | undefined;
  return {
    async serve(request, response) {
      loaded ??= import("./http-app.ts").then((module) => (app = module.createHttpApp(options())));
      try {
        await (await loaded).listener(request, response);
      } catch (error) {
        options().log(`cannot serve a request: ${(error as Error).message}`);
        response.destroy();
      }
    },
    viewers: () => app?.host.live.count() ?? 0,
    close: () => app?.host.close(),
  };
}

const NOT_SERVING: Serving = { port: undefined, viewers: () => 0, close: async () => {} };

/** Ignores errors: the disk may be full. */
function tryWrite(path: string, record: ServerRecord): void {
  try {
    writeServer(path, record);
  } catch {
    // Clients then learn only from a failed connection that nothing listens.
  }
}

/**
 * The last server's port comes first, so that an open page can reconnect. After a change of the setting, only if the
 * port is near the new one.
 */
function portsToTry(wanted: number, last: ServerRecord | undefined): number[] {
  const near = Array.from({ length: PORTS_TRIED }, (_, index) => wanted + index).filter((port) => port <= 65_535);
  const lastPort = last?.port ?? 0;
  const isUsable = lastPort > 0 && (last?.wanted === wanted || near.includes(lastPort));
  return [...new Set([...(isUsable ? [lastPort] : []), ...near, 0])];
}

async function listen(server: Server, ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const taken = await tryPort(server, port);
    if (taken !== undefined) return taken;
  }
  throw new Error(`no port is free near ${ports[0]}`);
}

/** Undefined if the port is taken or forbidden. */
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

function closeServer(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}
