// A fake model server on a loopback port that replies with scenes in one of the two protocols.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";
import * as chat from "./chat-wire.ts";
import * as messages from "./messages-wire.ts";
import type { Scene } from "./scenes.ts";

export interface Wire {
  path: string;
  /** A reply that is not streamed. */
  whole(scene: Scene): object;
  /** A streamed reply. A "broken-off" scene has no final event. */
  events(scene: Scene): string[];
  error(type: string, message: string): object;
}

export const WIRES: Readonly<Record<"messages" | "chat", Wire>> = { messages, chat };

export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export interface Loopback {
  url: string;
  asked: Asked[];
}

/** One scene per request; the last one is repeated. A function selects the scene by the request. */
export type Script = readonly (Scene | ((asked: Asked) => Scene))[];

export async function startLoopback(wire: Wire, script: Script, { canStream = true } = {}): Promise<Loopback> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "/", "http://localhost");
      if (request.method !== "POST") return void response.writeHead(200).end();
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
      const current = { path: pathname, headers: request.headers, body };
      asked.push(current);
      const step = script[Math.min(asked.length, script.length) - 1];
      const scene = typeof step === "function" ? step(current) : step;
      if (pathname !== wire.path) sendJson(response, 404, wire.error("not_found_error", pathname));
      else if (scene !== undefined) void play(wire, scene, response, canStream && body["stream"] === true);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(
    () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const DRIP_MS = 20;

async function play(wire: Wire, scene: Scene, response: ServerResponse, isStream: boolean): Promise<void> {
  if (scene.kind === "silence") return;
  if (scene.kind === "status") {
    const type = scene.status === 429 ? "rate_limit_error" : "some_error";
    return sendJson(response, scene.status, wire.error(type, scene.message ?? "no"), scene.headers);
  }
  if (scene.kind === "nonsense") return void response.writeHead(200, { "content-type": "text/html" }).end("<html>hi");
  const pieces = isStream ? wire.events(scene) : [JSON.stringify(wire.whole(scene))];
  response.writeHead(200, { "content-type": isStream ? "text/event-stream; charset=utf-8" : "application/json" });
  switch (scene.kind) {
    case "reset":
      // Send a part of the reply, then close the connection.
      response.write(isStream ? pieces.slice(0, 2).join("") : pieces.join("").slice(0, 20));
      await wait(DRIP_MS);
      return void response.destroy();
    case "drip":
      while (!response.destroyed) {
        response.write(isStream ? ": still here\n\n" : " ");
        await wait(DRIP_MS);
      }
      return;
    case "flood":
      while (!response.destroyed) {
        response.write(isStream ? `data: ${JSON.stringify({ more: "x".repeat(60_000) })}\n\n` : "x".repeat(60_000));
        await wait(0);
      }
      return;
    default:
      // Send pieces of seven bytes, which also split characters.
      for (const piece of shatter(Buffer.from(pieces.join("")))) response.write(piece);
      response.end();
  }
}

function* shatter(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

function sendJson(response: ServerResponse, status: number, value: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}
