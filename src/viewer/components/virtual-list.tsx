// A long list that renders only the rows near the window. Rows may have different heights. The row that the user reads
// stays in place when rows above it are measured, added or removed.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useListener } from "./hooks.ts";

/** Rows are rendered this far outside the window. */
const OVERSCAN_PX = 900;
/** After a jump to a row, the row is kept in place for this time, while the rows around it are measured. */
const HOLD_MS = 1_500;

export interface ListControl {
  /** Scrolls until the row's top is `offsetPx` below the window's top. Returns false if the list has no row `key`. */
  show: (key: string, offsetPx: number) => boolean;
  /** The row at `offsetPx` below the window's top; `topPx` is the distance from the window's top to the row's top. */
  rowAt: (offsetPx: number) => { key: string | undefined; topPx: number };
}

interface VirtualListProps {
  /** One key per row. Pass a new array when rows were added or removed. */
  keys: readonly string[];
  /** The height assumed for a row that was not measured yet. */
  estimateHeight: (index: number) => number;
  row: (index: number) => ComponentChildren;
  /** Called when the rows `from` to `to` - 1 are rendered. */
  onRange: (from: number, to: number) => void;
  control: { current: ListControl | undefined };
  label: string;
}

export function VirtualList({ keys, estimateHeight, row, onRange, control, label }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const measured = useMemo(() => new Map<string, number>(), []);
  const anchor = useRef<{ key: string; offsetPx: number; until: number } | undefined>(undefined);
  const range = useSignal({ from: 0, to: 0 });
  const layout = useRef<Layout | undefined>(undefined);

  const boxTop = (): number => box.current?.getBoundingClientRect().top ?? 0;
  if (layout.current?.keys !== keys) {
    const before = layout.current;
    if (before !== undefined && boxTop() < 0 && anchor.current === undefined) {
      // Keeps the first visible row in place, whatever its index in the new list.
      const index = before.indexAt(-boxTop());
      const key = before.keys[index];
      if (key !== undefined) anchor.current = { key, offsetPx: boxTop() + before.top(index), until: 0 };
    }
    layout.current = new Layout(keys, (index) => measured.get(keys[index] ?? "") ?? estimateHeight(index));
  }
  const list = layout.current;

  const updateRange = (): void => {
    const { current = list } = layout;
    const from = current.indexAt(-boxTop() - OVERSCAN_PX);
    const to = Math.min(current.keys.length, current.indexAt(innerHeight - boxTop() + OVERSCAN_PX) + 1);
    if (range.peek().from !== from || range.peek().to !== to) range.value = { from, to };
    onRange(from, to);
  };
  /** Scrolls the anchor row back to its `offsetPx`. Returns false if there is no anchor. */
  const keepAnchor = (): boolean => {
    const { key, offsetPx, until } = anchor.current ?? { key: "", offsetPx: 0, until: 0 };
    const index = layout.current?.indexes.get(key);
    if (index === undefined) return false;
    const isOver = performance.now() > until;
    if (isOver) anchor.current = undefined;
    // `until` is 0 after a change of the list: the anchor is used once. After a jump it is used until the time is over.
    if (isOver && until !== 0) return false;
    scrollByPx(boxTop() + (layout.current?.top(index) ?? 0) - offsetPx);
    return true;
  };

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const { current } = layout;
        if (current === undefined) return;
        const first = current.indexAt(-boxTop());
        const before = current.top(first);
        let hasChanged = false;
        for (const { target, borderBoxSize } of entries) {
          if (!target.isConnected) observer.unobserve(target);
          const key = (target as HTMLElement).dataset["key"] ?? "";
          const index = current.indexes.get(key);
          const height = borderBoxSize[0]?.blockSize ?? 0;
          if (!target.isConnected || index === undefined) continue;
          measured.set(key, height);
          if (current.resize(index, height)) hasChanged = true;
        }
        if (!hasChanged) return;
        current.updateTops();
        range.value = { ...range.peek() };
        // Rows above the first visible one changed their heights: scroll by the difference in the same frame.
        if (!keepAnchor()) scrollByPx(current.top(first) - before);
        updateRange();
      }),
    [],
  );
  const observe = useMemo(() => (element: HTMLElement | null) => void (element && observer.observe(element)), []);

  control.current = {
    show(key, offsetPx) {
      if (!list.indexes.has(key)) return false;
      anchor.current = { key, offsetPx, until: performance.now() + HOLD_MS };
      keepAnchor();
      updateRange();
      return true;
    },
    rowAt(offsetPx) {
      const index = list.indexAt(offsetPx - boxTop());
      return { key: list.keys[index], topPx: boxTop() + list.top(index) };
    },
  };

  useLayoutEffect(() => {
    keepAnchor();
    updateRange();
  }, [keys]);
  const frame = useRef(0);
  const updateSoon = (): void => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(updateRange);
  };
  const release = (): void => {
    anchor.current = undefined;
  };
  useListener("scroll", updateSoon, { passive: true });
  useListener("resize", updateSoon);
  useListener("wheel", release, { passive: true });
  useListener("touchmove", release, { passive: true });
  useListener("keydown", release);
  useListener("pointerdown", release);
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current);
      observer.disconnect();
    },
    [],
  );

  const from = Math.min(range.value.from, keys.length);
  const to = Math.min(range.value.to, keys.length);
  return (
    <div class="virtual" role="list" aria-label={label} ref={box}>
      <div style={{ height: `${list.top(from)}px` }} role="presentation" />
      {keys.slice(from, to).map((key, offset) => (
        <div
          key={key}
          ref={observe}
          class="virtual-row"
          role="listitem"
          aria-setsize={keys.length}
          aria-posinset={from + offset + 1}
          data-key={key}
        >
          {row(from + offset)}
        </div>
      ))}
      <div style={{ height: `${list.top(keys.length) - list.top(to)}px` }} role="presentation" />
    </div>
  );
}

function scrollByPx(top: number): void {
  if (Math.abs(top) >= 1) scrollBy({ top, behavior: "instant" });
}

/** The height and the top of each row. Adding up 20,000 heights takes 20 µs. */
class Layout {
  readonly keys: readonly string[];
  readonly indexes: ReadonlyMap<string, number>;
  readonly #heights: Float64Array;
  readonly #tops: Float64Array;

  constructor(keys: readonly string[], heightOf: (index: number) => number) {
    this.keys = keys;
    this.indexes = new Map(keys.map((key, index) => [key, index]));
    this.#heights = Float64Array.from(keys, (_, index) => heightOf(index));
    this.#tops = new Float64Array(keys.length + 1);
    this.updateTops();
  }

  /** Returns whether the height has changed. If so, call `updateTops` before reading tops. */
  resize(index: number, height: number): boolean {
    if (this.#heights[index] === height) return false;
    this.#heights[index] = height;
    return true;
  }

  updateTops(): void {
    let top = 0;
    for (const [index, height] of this.#heights.entries()) {
      top += height;
      this.#tops[index + 1] = top;
    }
  }

  top(index: number): number {
    return this.#tops[index] ?? 0;
  }

  /** The index of the row at `y` pixels from the list's top; the first or last row if `y` is outside the list. */
  indexAt(y: number): number {
    const index = this.#tops.findLastIndex((top) => top <= y);
    return Math.max(0, Math.min(this.keys.length - 1, index));
  }
}
