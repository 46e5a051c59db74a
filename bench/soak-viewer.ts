// Acts like an open page: follows the live stream, and connects again whenever the stream breaks.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { World } from "../test/e2e/harness.ts";

export interface Viewer {
  events: number;
  connections: number;
  end(): Promise<void>;
}

const RETRY_MS = 300;

export function watchPage(world: World): Viewer {
  const stop = new AbortController();
  const viewer: Viewer = {
    events: 0,
    connections: 0,
    end: async () => {
      stop.abort();
      await watching;
    },
  };
  const watching = follow(world, viewer, stop.signal);
  return viewer;
}

async function follow(world: World, viewer: Viewer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await listen(world, viewer, signal);
    } catch {
      // No worker runs, or it was killed.
    }
    if (!signal.aborted) await setTimeout(RETRY_MS);
  }
}

async function listen(world: World, viewer: Viewer, signal: AbortSignal): Promise<void> {
  const { port, token } = JSON.parse(readFileSync(join(world.home, "server.json"), "utf8")) as {
    port: number;
    token: string;
  };
  const response = await fetch(`http://127.0.0.1:${port}/stream`, {
    headers: { Authorization: `Bearer ${token}` },
    signal,
  });
  if (!response.ok || response.body === null) return;
  viewer.connections += 1;
  for await (const chunk of response.body) viewer.events += Buffer.from(chunk).toString().split("\nevent: ").length - 1;
}
