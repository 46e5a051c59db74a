// What happens while one looks: one connection for all pages, taken up again where it broke off.
import { signal } from "@preact/signals";
import { isSignedOut } from "./api.ts";

export const LIVE_KINDS = [
  "session_started",
  "prompt",
  "tool_use",
  "observation",
  "summary",
  "session_completed",
  "processing_status",
] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

export interface LiveEvent {
  kind: LiveKind;
  data: Record<string, unknown>;
}

export interface Queue {
  pending: number;
  running: number;
  failed: number;
}

/** "waiting" is between two tries. */
export const connection = signal<"connecting" | "live" | "waiting">("connecting");
export const queue = signal<Queue | undefined>(undefined);
/** Counts up whenever something may have been missed and what is shown should be loaded again. */
export const missed = signal(0);

type Listener = (event: LiveEvent) => void;
const listeners = new Set<Listener>();

/** Tells of every event until the returned function is called. */
export function onLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

let source: EventSource | undefined;
let lastId = "";
let waitMs = FIRST_WAIT_MS;
let hasBeenLive = false;

export function connectStream(): void {
  source?.close();
  connection.value = "connecting";
  // A new EventSource does not know what the one before has seen.
  source = new EventSource(lastId === "" ? "/stream" : `/stream?last_event_id=${encodeURIComponent(lastId)}`);
  source.addEventListener("open", () => {
    connection.value = "live";
    waitMs = FIRST_WAIT_MS;
    // The server tells what was missed where it still knows; loading again costs little and leaves no gap.
    if (hasBeenLive) missed.value += 1;
    hasBeenLive = true;
  });
  source.addEventListener("error", () => {
    connection.value = "waiting";
    // The browser itself tries again after a broken connection, but not after a refused one.
    if (source?.readyState === EventSource.CLOSED && !isSignedOut.peek()) setTimeout(connectStream, nextWait());
  });
  for (const kind of LIVE_KINDS) source.addEventListener(kind, (event) => receive(kind, event));
}

function receive(kind: LiveKind, event: MessageEvent<string>): void {
  if (event.lastEventId !== "") lastId = event.lastEventId;
  const data = JSON.parse(event.data) as Record<string, unknown>;
  if (kind === "processing_status") queue.value = data as unknown as Queue;
  for (const listener of listeners) listener({ kind, data });
}

function nextWait(): number {
  const wait = waitMs;
  waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
  return wait;
}
