// The texts of a session's items: loaded in batches when they come near the window, and kept.
import { signal } from "@preact/signals";
import type { items as itemsQuery } from "../../../queries/session-items.ts";
import { type ApiError, asApiError, type DataOf, get, type RowOf } from "../../api.ts";
import type { Entry } from "./outline.ts";

/** A prompt "p12", message "m34", tool use "t56", response "r12", subagent "s7" or commit "c9". */
export type Item = RowOf<typeof itemsQuery>;
export type ToolItem = Extract<Item, { kind: "tool" }>;

/** More than fits on a screen. */
const BATCH = 60;
/** The last items of a running session may still grow. */
const GROWING = 10;

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
    for (let from = 0; from < entries.length; from += BATCH)
      void loadBatch(entries.slice(from, from + BATCH).map(({ id }) => id));
  };
  return {
    error,
    /** Undefined until it is loaded; a component that calls this renders again then. */
    get(id: string): Item | undefined {
      void version.value;
      return items.get(id);
    },
    /** Loads the entries from..to that are missing, and the ones around them. */
    loadRange(entries: readonly Entry[], from: number, to: number): void {
      const isMissing = ({ id }: Entry): boolean => !requested.has(id);
      if (entries.slice(from, to).some(isMissing))
        load(entries.slice(Math.max(0, from - BATCH / 4), to + BATCH).filter(isMissing));
    },
    /** Loads the last entries again. */
    refreshLast(entries: readonly Entry[]): void {
      load(entries.slice(-GROWING).filter(({ id }) => requested.has(id)));
    },
  };
}
