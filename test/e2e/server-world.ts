// Starts a real worker with its HTTP server, and sends requests over real sockets.
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createWorld, run, type World } from "./harness.ts";

export interface Served extends World {
  port: number;
  token: string;
  pid: number;
}

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: { data: Record<string, unknown>; error: { code: string } };
}

/** A new world with a server, which stops when the test ends. */
export function createServed(env: Record<string, string> = {}): Promise<Served> {
  const world = createWorld();
  Object.assign(world.env, env);
  return serveUntilEnd(world);
}

/** Starts the world's server, which stops when the test ends. */
export function serveUntilEnd(world: World): Promise<Served> {
  world.env["C_MEM_WORKER"] = "1";
  onTestFinished(async () => {
    await run(world, ["worker", "stop"]);
  });
  return startServed(world);
}

export async function startServed(world: World): Promise<Served> {
  const { stdout, stderr } = await run(world, ["worker", "start", "--json"]);
  const { pid } = (JSON.parse(stdout || stderr) as { data: { pid: number } }).data;
  for (let tries = 0; ; tries++) {
    const record = readRecord(world);
    if (record?.pid === pid && record.port !== null) return { ...world, port: record.port, token: record.token, pid };
    if (tries > 800) throw new Error(`does not serve: ${JSON.stringify(record)}`);
    await setTimeout(50);
  }
}

export function readRecord(
  world: World,
): { port: number | null; token: string; pid: number | null; problem?: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(world.home, "server.json"), "utf8")) as never;
  } catch {
    return undefined;
  }
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request with the token, unless `headers` replaces it. */
export function send(served: Served, path: string, options: RequestOptions = {}): Promise<HttpReply> {
  const { method = "GET", headers = {}, body } = options;
  return new Promise((done, fail) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: served.port,
        path,
        method,
        agent: false,
        headers: { Authorization: `Bearer ${served.token}`, Accept: "application/json", ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", fail);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = String(response.headers["content-type"]).includes("json");
          const json = (isJson ? JSON.parse(text) : {}) as HttpReply["json"];
          done({ status: response.statusCode ?? 0, headers: response.headers, text, json });
        });
      },
    );
    sent.on("error", fail);
    sent.end(body);
  });
}

export interface Watcher {
  events: { id: string; event: string; data: Record<string, unknown> }[];
  isOpen(): boolean;
  close(): void;
}

/** Opens the event stream like EventSource. With `read: false` it reads no bytes. */
export function watch(served: Served, options: { lastEventId?: string; read?: boolean } = {}): Promise<Watcher> {
  return new Promise((done, fail) => {
    const headers: Record<string, string> = { Authorization: `Bearer ${served.token}` };
    if (options.lastEventId !== undefined) headers["Last-Event-ID"] = options.lastEventId;
    const sent = request(
      { host: "127.0.0.1", port: served.port, path: "/stream", agent: false, headers },
      (response) => {
        const watcher: Watcher = {
          events: [],
          isOpen: () => !response.closed && !response.destroyed,
          close: () => sent.destroy(),
        };
        response.on("error", () => {});
        if (options.read === false) response.pause();
        else {
          let rest = "";
          response.setEncoding("utf8");
          response.on("data", (text: string) => {
            const blocks = (rest + text).split("\n\n");
            rest = blocks.pop() ?? "";
            watcher.events.push(...blocks.flatMap(parseEvent));
          });
        }
        done(watcher);
      },
    );
    sent.on("error", fail);
    sent.end();
  });
}

function parseEvent(block: string): Watcher["events"] {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const data = field("data");
  if (data === undefined) return [];
  return [{ id: field("id") ?? "", event: field("event") ?? "", data: JSON.parse(data) as Record<string, unknown> }];
}
