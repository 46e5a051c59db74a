// GET /stream: server-sent events, with a bounded queue per subscriber.
import type { ServerResponse } from "node:http";
import type { Context, Hono } from "hono";
import { AppError } from "../core/error.ts";
import type { Host } from "./host.ts";
import type { Client } from "./live.ts";
import { replyError } from "./reply.ts";

/** Enough for a few seconds of peak traffic. */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;
const MAX_SUBSCRIBERS = 100;

export function addStream(app: Hono, host: Host): void {
  app.get("/stream", (http) => {
    if (host.live.count() >= MAX_SUBSCRIBERS)
      return replyError(http, "stream", new AppError("rate_limited", "Too many subscribers."), host);
    return open(http, host);
  });
}

function open(http: Context, host: Host): Response {
  const socket = (http.env as { outgoing?: ServerResponse } | undefined)?.outgoing;
  const encoder = new TextEncoder();
  let queue: Uint8Array[] = [];
  let bytes = 0;
  let onText: (() => void) | undefined;
  let isOver = false;
  const client: Client = {
    send(text) {
      const chunk = encoder.encode(text);
      if (isOver || bytes + chunk.length > MAX_QUEUED_BYTES) return false;
      queue.push(chunk);
      bytes += chunk.length;
      onText?.();
      return true;
    },
    close() {
      isOver = true;
      onText?.();
      // Unread data would keep the connection open.
      socket?.destroy();
    },
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (queue.length === 0 && !isOver) await new Promise<void>((done) => (onText = done));
        onText = undefined;
        for (const chunk of queue) controller.enqueue(chunk);
        queue = [];
        bytes = 0;
        if (isOver) controller.close();
      },
      cancel: () => {
        isOver = true;
        host.live.unsubscribe(client);
      },
    },
    // `pull` is called only when a chunk can be written.
    { highWaterMark: 0 },
  );
  socket?.on("close", () => {
    isOver = true;
    host.live.unsubscribe(client);
  });
  host.live.subscribe(client, http.req.header("Last-Event-ID") ?? http.req.query("last_event_id"));
  return http.body(body, 200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
  });
}
