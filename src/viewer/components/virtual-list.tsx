// A long list of which only the rows near the window exist. Rows have whatever height they have; what is read never moves
// when rows above it turn out taller or shorter than they were taken to be, or when rows come and go.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Heights } from "./heights.ts";

/** Rows this far outside the window are there already when it comes to them. */
const OVERSCAN_PX = 900;
/** So long a place that was jumped to is held while the rows around it are measured. */
const HOLD_MS = 1_500;

export interface ListControl {
  /** Puts a row's top so many pixels below the window's. */
  show: (index: number, offsetPx?: number) => void;
  /** The row at this many pixels below the window's top, and how far into it. */
  place: (offsetPx?: number) => { index: number; intoPx: number };
}

export interface VirtualListProps {
  /** One per row; another array means that rows have come or gone. */
  keys: readonly string[];
  /** How tall a row is taken to be until it is measured. */
  estimate: (index: number) => number;
  row: (index: number) => ComponentChildren;
  /** The rows that exist now, the last one excluded. */
  onRange?: (from: number, to: number) => void;
  control?: { current: ListControl | undefined };
  label: string;
}

interface Held {
  key: string;
  offsetPx: number;
  until: number;
}

export function VirtualList({ keys, estimate, row, onRange, control, label }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const measured = useMemo(() => new Map<string, number>(), []);
  const held = useRef<Held | undefined>(undefined);
  const range = useSignal({ from: 0, to: 0 });
  const list = useRef<{ keys: readonly string[]; heights: Heights; indexes: Map<string, number> } | undefined>(
    undefined,
  );

  const boxTop = (): number => box.current?.getBoundingClientRect().top ?? 0;
  if (list.current?.keys !== keys) {
    // What is at the window's top now stays there, wherever it stands in the new list.
    const before = list.current;
    if (before !== undefined && box.current !== null && boxTop() < 0 && held.current === undefined) {
      const index = before.heights.at(-boxTop());
      const key = before.keys[index];
      if (key !== undefined) held.current = { key, offsetPx: boxTop() + before.heights.top(index), until: 0 };
    }
    list.current = {
      keys,
      heights: new Heights(keys.length, (index) => measured.get(keys[index] ?? "") ?? estimate(index)),
      indexes: new Map(keys.map((key, index) => [key, index])),
    };
  }
  const { heights } = list.current;

  const look = (): void => {
    const current = list.current;
    if (current === undefined) return;
    const top = -boxTop();
    const from = current.heights.at(top - OVERSCAN_PX);
    const to = current.keys.length === 0 ? 0 : current.heights.at(top + innerHeight + OVERSCAN_PX) + 1;
    const now = range.peek();
    if (now.from !== from || now.to !== to) range.value = { from, to };
    onRange?.(from, to);
  };
  /** Scrolls to what is held; says whether anything is. */
  const keepHeld = (): boolean => {
    const { current } = held;
    const index = current === undefined ? undefined : list.current?.indexes.get(current.key);
    if (current === undefined || index === undefined || list.current === undefined) return false;
    // What is held only across a change of the list (until 0) is let go at once; a place that was jumped to, in its time.
    const isOver = performance.now() > current.until;
    if (isOver) held.current = undefined;
    if (isOver && current.until !== 0) return false;
    const by = boxTop() + list.current.heights.top(index) - current.offsetPx;
    if (Math.abs(by) >= 1) scrollBy({ top: by, behavior: "instant" });
    return true;
  };

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const current = list.current;
        if (current === undefined) return;
        // The first row that is seen stays where it is: what grew above it is scrolled away in the same frame.
        const first = current.heights.at(-boxTop());
        let above = 0;
        let hasChanged = false;
        for (const entry of entries) {
          const element = entry.target as HTMLElement;
          const key = element.dataset["key"] ?? "";
          const index = current.indexes.get(key);
          if (!element.isConnected || index === undefined) continue;
          const height = entry.borderBoxSize[0]?.blockSize ?? element.offsetHeight;
          measured.set(key, height);
          const change = current.heights.measure(index, height);
          if (change === 0) continue;
          hasChanged = true;
          if (index < first) above += change;
        }
        if (!hasChanged) return;
        range.value = { ...range.peek() };
        if (!keepHeld() && Math.abs(above) >= 1) scrollBy({ top: above, behavior: "instant" });
        look();
      }),
    [],
  );

  if (control !== undefined) {
    control.current = {
      show(index, offsetPx = 0) {
        const key = list.current?.keys[index];
        if (key === undefined) return;
        held.current = { key, offsetPx, until: performance.now() + HOLD_MS };
        keepHeld();
        look();
      },
      place(offsetPx = 0) {
        const y = offsetPx - boxTop();
        const index = heights.at(y);
        return { index, intoPx: y - heights.top(index) };
      },
    };
  }

  useLayoutEffect(() => {
    keepHeld();
    look();
  }, [keys]);
  useEffect(() => {
    let frame = 0;
    const later = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    const letGo = (): void => {
      held.current = undefined;
    };
    const own = ["wheel", "touchmove", "keydown", "pointerdown"];
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later);
    for (const name of own) addEventListener(name, letGo, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
      for (const name of own) removeEventListener(name, letGo);
    };
  }, []);

  const from = Math.min(range.value.from, keys.length);
  const to = Math.min(range.value.to, keys.length);
  return (
    <div class="virtual" role="list" aria-label={label} ref={box}>
      <div style={{ height: `${heights.top(from)}px` }} role="presentation" />
      {keys.slice(from, to).map((key, offset) => (
        <Row key={key} name={key} index={from + offset} count={keys.length} observer={observer}>
          {row(from + offset)}
        </Row>
      ))}
      <div style={{ height: `${Math.max(0, heights.total - heights.top(to))}px` }} role="presentation" />
    </div>
  );
}

interface RowProps {
  name: string;
  index: number;
  count: number;
  observer: ResizeObserver;
  children: ComponentChildren;
}

function Row({ name, index, count, observer, children }: RowProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const own = element.current;
    if (own === null) return;
    observer.observe(own);
    return () => observer.unobserve(own);
  }, []);
  return (
    <div
      ref={element}
      class="virtual-row"
      role="listitem"
      aria-setsize={count}
      aria-posinset={index + 1}
      data-key={name}
    >
      {children}
    </div>
  );
}
