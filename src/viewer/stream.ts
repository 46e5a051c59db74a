// Live events from the worker: one connection for all pages, reconnected when it breaks.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isSignedOut } from "./api.ts";

const LIVE_KINDS = [
  "session_started",
  "prompt",
  "tool_use",
  "observation",
  "summary",
  "session_completed",
  "processing_status",
] as const;
type LiveKind = (typeof LIVE_KINDS)[number];

interface LiveEvent {
  /** "reconnected": events may have been missed. */
  kind: LiveKind | "reconnected";
  data: Record<string, unknown>;
}

interface Queue {
  pending: number;
  running: number;
  failed: number;
}

/** "waiting": disconnected until the next attempt. */
export const connection = signal<"connecting" | "live" | "waiting">("connecting");
export const queue = signal<Queue | undefined>(undefined);

const listeners = new Set<(event: LiveEvent) => void>();

/** Calls `listener` for every event until the returned function is called. */
export function onLive(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls `reload` after relevant events, at most once per `pauseMs`, and after a reconnection. */
export function useLive(reload: () => void, isRelevant: (event: LiveEvent) => boolean, pauseMs = 500): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onLive((event) => {
      if (event.kind !== "reconnected" && !isRelevant(event)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, pauseMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

let source: EventSource | undefined;
let lastId = "";
let waitMs = FIRST_WAIT_MS;
let wasLive = false;

export function connectStream(): void {
  source?.close();
  connection.value = "connecting";
  // A new EventSource does not send the id of the last event by itself.
  source = new EventSource(lastId === "" ? "/stream" : `/stream?last_event_id=${encodeURIComponent(lastId)}`);
  source.addEventListener("open", () => {
    connection.value = "live";
    waitMs = FIRST_WAIT_MS;
    // The server replays only the events it still has.
    if (wasLive) publish({ kind: "reconnected", data: {} });
    wasLive = true;
  });
  source.addEventListener("error", () => {
    connection.value = "waiting";
    // The browser reconnects after a broken connection, but not after a refused one.
    if (source?.readyState !== EventSource.CLOSED || isSignedOut.peek()) return;
    setTimeout(connectStream, waitMs);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
  });
  for (const kind of LIVE_KINDS)
    source.addEventListener(kind, (event: MessageEvent<string>) => {
      if (event.lastEventId !== "") lastId = event.lastEventId;
      const data = JSON.parse(event.data) as LiveEvent["data"];
      if (kind === "processing_status") queue.value = data as unknown as Queue;
      publish({ kind, data });
    });
}

function publish(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}
