// What is shown of a list that grows at its top: all of it, unless somebody reads further down; then what is new waits.

export interface Shown {
  /** Those that have been shown before. */
  seen: ReadonlySet<string>;
  /** Those that came while one looked: they slide in. */
  fresh: ReadonlySet<string>;
}

export interface Split<Item> {
  visible: Item[];
  waiting: number;
}

/** What is new and not shown yet is left out. The first list that comes is shown as it is. */
export function split<Item extends { id: string }>(items: readonly Item[], shown: Shown | undefined): Split<Item> {
  if (shown === undefined) return { visible: [...items], waiting: 0 };
  const visible = items.filter(({ id }) => shown.seen.has(id));
  // Older ones may follow below what was shown (more was asked for): they move nothing.
  const last = items.findLastIndex(({ id }) => shown.seen.has(id));
  const below = items.slice(last + 1);
  return { visible: [...visible, ...below], waiting: items.length - visible.length - below.length };
}

/** Everything is shown from now on; what nobody has seen yet is fresh. */
export function showAll(items: readonly { id: string }[], shown: Shown | undefined): Shown {
  const ids = items.map(({ id }) => id);
  return { seen: new Set(ids), fresh: new Set(shown === undefined ? [] : ids.filter((id) => !shown.seen.has(id))) };
}
