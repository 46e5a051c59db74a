// Loads the items of a session, with their texts, in batches as the user scrolls near them. Loaded items are kept.
import { signal } from "@preact/signals";
import type { items as itemsQuery } from "../../../queries/session-items.ts";
import { type ApiError, asApiError, type DataOf, get, type RowOf } from "../../api.ts";
import type { Entry } from "./outline.ts";

/** A prompt "p12", message "m34", tool use "t56", response "r12", subagent "s7" or commit "c9". */
export type Item = RowOf<typeof itemsQuery>;
export type ToolItem = Extract<Item, { kind: "tool" }>;

/** More items than fit on a screen. */
const BATCH_SIZE = 60;
/** How many of the last items are loaded again: in a running session they may still change. */
const REFRESHED_ITEMS = 10;

export type Items = ReturnType<typeof createItems>;

export function createItems(sessionId: string) {
  const items = new Map<string, Item>();
  const requested = new Set<string>();
  const version = signal(0);
  const error = signal<ApiError | undefined>(undefined);
  const loadBatch = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) requested.add(id);
    try {
      const path = `/api/sessions/${encodeURIComponent(sessionId)}/items?ids=${ids.join(",")}`;
      const { data } = await get<DataOf<typeof itemsQuery>>(path);
      for (const item of data.results) items.set(item.id, item);
      error.value = undefined;
    } catch (cause) {
      for (const id of ids) requested.delete(id);
      error.value = asApiError(cause);
    }
    version.value = version.peek() + 1;
  };
  const load = (entries: readonly Entry[]): void => {
    for (let from = 0; from < entries.length; from += BATCH_SIZE)
      void loadBatch(entries.slice(from, from + BATCH_SIZE).map(({ id }) => id));
  };
  return {
    error,
    /** Returns undefined until the item is loaded. A component that calls this renders again when items are loaded. */
    get(id: string): Item | undefined {
      void version.value;
      return items.get(id);
    },
    /** If an entry from `from` to `to` - 1 was not loaded yet, loads it and the entries around it. */
    loadRange(entries: readonly Entry[], from: number, to: number): void {
      const isMissing = ({ id }: Entry): boolean => !requested.has(id);
      if (entries.slice(from, to).some(isMissing))
        load(entries.slice(Math.max(0, from - BATCH_SIZE / 4), to + BATCH_SIZE).filter(isMissing));
    },
    /** Loads the last entries again, if they were loaded before. */
    refreshLast(entries: readonly Entry[]): void {
      load(entries.slice(-REFRESHED_ITEMS).filter(({ id }) => requested.has(id)));
    },
  };
}
