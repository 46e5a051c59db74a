// Live events from the worker. All views share one connection, which reconnects when it breaks.
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
  /** "reconnected" comes from this file, not from the worker: the page may have missed events. */
  kind: LiveKind | "reconnected";
  data: Record<string, unknown>;
}

interface Queue {
  pending: number;
  running: number;
  failed: number;
}

/** "waiting": disconnected, and waiting to try again. */
export const connection = signal<"connecting" | "live" | "waiting">("connecting");
/** Numbers of the worker's jobs; undefined until the first event. */
export const queue = signal<Queue | undefined>(undefined);

const listeners = new Set<(event: LiveEvent) => void>();

/** Calls `listener` for every event. Returns a function that removes the listener. */
export function onLive(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls `reload` after relevant events and after a reconnection, at most once per `pauseMs`. */
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
const MAX_WAIT_MS = 30_000;

let source: EventSource | undefined;
let lastId = "";
let waitMs = FIRST_WAIT_MS;
let hasConnected = false;

export function connectStream(): void {
  source?.close();
  connection.value = "connecting";
  // Sent as a parameter: a new EventSource has no Last-Event-ID header.
  source = new EventSource(lastId === "" ? "/stream" : `/stream?last_event_id=${encodeURIComponent(lastId)}`);
  source.addEventListener("open", () => {
    connection.value = "live";
    waitMs = FIRST_WAIT_MS;
    // Listeners load their data again: if too many events were missed, the worker does not repeat them.
    if (hasConnected) publish({ kind: "reconnected", data: {} });
    hasConnected = true;
  });
  source.addEventListener("error", () => {
    connection.value = "waiting";
    // The browser reconnects itself, except after an error response, which sets CLOSED.
    if (source?.readyState !== EventSource.CLOSED || isSignedOut.peek()) return;
    setTimeout(connectStream, waitMs);
    waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
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
