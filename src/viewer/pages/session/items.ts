// The texts of a session, some at a time: loaded when they come near the window, kept as long as the session is shown.
import { signal } from "@preact/signals";
import { type ApiError, asApiError, get } from "../../api.ts";
import type { TranscriptItem } from "../../wire.ts";
import type { Entry } from "./outline.ts";

/** More than fits on a screen, so that one question brings what comes next as well. */
const AT_ONCE = 60;
/** What happened last may still grow: a message is written, a subagent works. */
const MAY_GROW = 10;

export interface Items {
  /** What is known of an item; who reads it hears of it when it comes. */
  get: (id: string) => TranscriptItem | undefined;
  error: () => ApiError | undefined;
  /** Loads what lies between these places and is not there yet. */
  ensure: (entries: readonly Entry[], from: number, to: number) => void;
  /** The session has gone on: its last items are looked at again. */
  refresh: (entries: readonly Entry[]) => void;
}

export function createItems(sessionId: string): Items {
  const known = new Map<string, TranscriptItem>();
  const asked = new Set<string>();
  const loads = signal(0);
  const failure = signal<ApiError | undefined>(undefined);
  const load = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) asked.add(id);
    try {
      const path = `/api/sessions/${encodeURIComponent(sessionId)}/items?ids=${ids.join(",")}`;
      const { data } = await get<{ results: TranscriptItem[] }>(path);
      for (const item of data.results) known.set(item.id, item);
      failure.value = undefined;
    } catch (error) {
      for (const id of ids) asked.delete(id);
      failure.value = asApiError(error);
    }
    loads.value = loads.peek() + 1;
  };
  const loadAll = (ids: readonly string[]): void => {
    for (let from = 0; from < ids.length; from += AT_ONCE) void load(ids.slice(from, from + AT_ONCE));
  };
  return {
    get(id) {
      void loads.value;
      return known.get(id);
    },
    error: () => failure.value,
    ensure(entries, from, to) {
      const isMissing = ({ id }: Entry): boolean => !asked.has(id);
      if (!entries.slice(from, to).some(isMissing)) return;
      // What lies around it comes along, so that scrolling on does not ask for every row.
      const start = Math.max(0, from - AT_ONCE / 4);
      loadAll(
        entries
          .slice(start, to + AT_ONCE)
          .filter(isMissing)
          .map(({ id }) => id),
      );
    },
    refresh: (entries) =>
      loadAll(
        entries
          .slice(-MAY_GROW)
          .map(({ id }) => id)
          .filter((id) => asked.has(id)),
      ),
  };
}
