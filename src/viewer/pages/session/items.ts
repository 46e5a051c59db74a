// The texts of a session, a page at a time: loaded when they come near the window, kept as long as the session is shown.
import { type Signal, signal } from "@preact/signals";
import { type ApiError, asApiError, get } from "../../api.ts";
import type { TranscriptItem } from "../../wire.ts";

const PAGE = 60;

export interface Items {
  /** What is known of the entry at this index; reading it follows its page. */
  at: (index: number) => TranscriptItem | undefined;
  errorAt: (index: number) => ApiError | undefined;
  /** Loads what lies between and is not there yet. */
  ensure: (from: number, to: number) => void;
  /** The session has grown: pages that were not full are loaded again. */
  grow: () => void;
}

interface PageState {
  items: (TranscriptItem | undefined)[];
  error?: ApiError;
}

/** `idsOf` names the entries between two places, as far as there are any. */
export function createItems(sessionId: string, idsOf: (from: number, to: number) => string[]): Items {
  const pages = new Map<number, Signal<PageState | undefined>>();
  const asked = new Set<number>();
  const page = (number: number): Signal<PageState | undefined> => {
    const known = pages.get(number);
    if (known !== undefined) return known;
    const created = signal<PageState | undefined>(undefined);
    pages.set(number, created);
    return created;
  };
  const load = async (number: number): Promise<void> => {
    asked.add(number);
    const ids = idsOf(number * PAGE, (number + 1) * PAGE);
    const path = `/api/sessions/${encodeURIComponent(sessionId)}/items?ids=${ids.join(",")}`;
    try {
      const { data } = await get<{ results: TranscriptItem[] }>(path);
      const byId = new Map(data.results.map((item) => [item.id, item]));
      page(number).value = { items: ids.map((id) => byId.get(id)) };
    } catch (error) {
      page(number).value = { items: [], error: asApiError(error) };
      asked.delete(number);
    }
  };
  return {
    at: (index) => page(Math.floor(index / PAGE)).value?.items[index % PAGE],
    errorAt: (index) => page(Math.floor(index / PAGE)).value?.error,
    ensure(from, to) {
      for (let number = Math.floor(from / PAGE); number * PAGE < to; number += 1)
        if (!asked.has(number)) void load(number);
    },
    grow() {
      for (const number of asked) {
        if ((page(number).peek()?.items.length ?? PAGE) < PAGE) void load(number);
      }
    },
  };
}
