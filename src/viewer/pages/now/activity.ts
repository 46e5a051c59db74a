// What is being done in each turn right now, as the stream tells it.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { onLive } from "../../stream.ts";

export interface Doing {
  uses: number;
  failed: number;
  last: string;
}

/** By session and number of the turn. */
export const doing = signal<ReadonlyMap<string, Doing>>(new Map());
const MAX_TURNS = 200;

export function turnKey(sessionId: string, turn: number): string {
  return `${sessionId} ${turn}`;
}

/** Follows the tools and calls `onNews` for everything that a list may have to show anew, at most once a pause. */
export function useNews(onNews: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onLive(({ kind, data }) => {
      if (kind === "processing_status") return;
      if (kind === "tool_use") noteUse(data);
      timer ??= setTimeout(() => {
        timer = undefined;
        onNews();
      }, PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
}

const PAUSE_MS = 500;

function noteUse(data: Record<string, unknown>): void {
  const sessionId = data["parent_session_id"] ?? data["session_id"];
  const key = turnKey(String(sessionId), Number(data["prompt_number"]));
  const before = doing.peek().get(key) ?? { uses: 0, failed: 0, last: "" };
  const next = new Map(doing.peek());
  next.delete(key);
  next.set(key, {
    uses: before.uses + 1,
    failed: before.failed + (data["is_error"] === true ? 1 : 0),
    last: `${String(data["name"])} ${String(data["subject"] ?? "")}`.trim(),
  });
  const oldest = next.keys().next().value;
  if (next.size > MAX_TURNS && oldest !== undefined) next.delete(oldest);
  doing.value = next;
}
