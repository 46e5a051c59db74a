// A list that grows at its top. New items are held back while the user reads further down.

export interface Shown {
  /** Ids of all items at the last `showAll`. */
  seen: ReadonlySet<string>;
  /** Ids of the items added by the last `showAll`: they slide in. */
  fresh: ReadonlySet<string>;
}

/** Returns the items to show, and the number of new items held back. Before the first `showAll`, shows all items. */
export function split<Item extends { id: string }>(
  items: readonly Item[],
  shown: Shown | undefined,
): { visible: Item[]; waiting: number } {
  // Older items are shown immediately: below the last shown item they move nothing.
  const last = items.findLastIndex(({ id }) => shown?.seen.has(id));
  const visible = items.filter(({ id }, index) => index > last || shown?.seen.has(id));
  return { visible, waiting: items.length - visible.length };
}

/** Marks all items as shown. */
export function showAll(items: readonly { id: string }[], shown: Shown | undefined): Shown {
  const ids = items.map(({ id }) => id);
  return { seen: new Set(ids), fresh: new Set(shown === undefined ? [] : ids.filter((id) => !shown.seen.has(id))) };
}
