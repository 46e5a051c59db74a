// A list that grows at its top: new items wait while the user reads further down.

export interface Shown {
  seen: ReadonlySet<string>;
  /** Items that arrived while the page was open: they slide in. */
  fresh: ReadonlySet<string>;
}

/** Splits a list into the items to show and the number of new ones that wait. Before the first `showAll` all are shown. */
export function split<Item extends { id: string }>(
  items: readonly Item[],
  shown: Shown | undefined,
): { visible: Item[]; waiting: number } {
  // Older items are added below the last one seen, where they move nothing.
  const last = items.findLastIndex(({ id }) => shown?.seen.has(id));
  const visible = items.filter(({ id }, index) => index > last || shown?.seen.has(id));
  return { visible, waiting: items.length - visible.length };
}

/** Shows all items from now on. */
export function showAll(items: readonly { id: string }[], shown: Shown | undefined): Shown {
  const ids = items.map(({ id }) => id);
  return { seen: new Set(ids), fresh: new Set(shown === undefined ? [] : ids.filter((id) => !shown.seen.has(id))) };
}
