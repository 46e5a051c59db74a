// A long list of which only the rows near the window exist. Rows have whatever height they have; what is read never moves
// when rows above it turn out taller or shorter than they were taken to be.
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

export function VirtualList({
  count,
  estimate,
  row,
  keyOf,
  onRange,
  control,
  label,
}: {
  count: number;
  estimate: (index: number) => number;
  row: (index: number) => ComponentChildren;
  keyOf: (index: number) => string | number;
  /** The rows that exist now, the last one excluded. */
  onRange?: (from: number, to: number) => void;
  control?: { current: ListControl | undefined };
  label: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => new Heights(0, estimate), []);
  const hold = useRef<{ index: number; offsetPx: number; until: number } | undefined>(undefined);
  const range = useSignal({ from: 0, to: 0 });
  if (heights.count !== count) heights.resize(count);

  const boxTop = (): number => box.current?.getBoundingClientRect().top ?? 0;
  const look = (): void => {
    const top = -boxTop();
    const from = heights.at(top - OVERSCAN_PX);
    const to = count === 0 ? 0 : heights.at(top + innerHeight + OVERSCAN_PX) + 1;
    const now = range.peek();
    if (now.from !== from || now.to !== to) range.value = { from, to };
    onRange?.(from, to);
  };
  const keepHold = (): boolean => {
    const held = hold.current;
    if (held === undefined || performance.now() > held.until) return false;
    const by = boxTop() + heights.top(held.index) - held.offsetPx;
    if (Math.abs(by) >= 1) scrollBy(0, by);
    return true;
  };

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        // The first row that is seen stays where it is: what grew above it is scrolled away in the same frame.
        const first = heights.at(-boxTop());
        let above = 0;
        let any = false;
        for (const entry of entries) {
          const element = entry.target as HTMLElement;
          if (!element.isConnected) continue;
          const index = Number(element.dataset["index"]);
          const change = heights.measure(index, entry.borderBoxSize[0]?.blockSize ?? element.offsetHeight);
          if (change !== 0) any = true;
          if (index < first) above += change;
        }
        if (!any) return;
        if (!keepHold() && Math.abs(above) >= 1) scrollBy(0, above);
        range.value = { ...range.peek() };
        look();
      }),
    [],
  );

  if (control !== undefined) {
    control.current = {
      show(index, offsetPx = 0) {
        hold.current = { index, offsetPx, until: performance.now() + HOLD_MS };
        scrollBy(0, boxTop() + heights.top(index) - offsetPx);
        look();
      },
      place(offsetPx = 0) {
        const y = offsetPx - boxTop();
        const index = heights.at(y);
        return { index, intoPx: y - heights.top(index) };
      },
    };
  }

  useLayoutEffect(look, [count]);
  useEffect(() => {
    let frame = 0;
    const later = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    const letGo = (): void => {
      hold.current = undefined;
    };
    const own = ["wheel", "touchmove", "keydown", "pointerdown"];
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later);
    for (const name of own) addEventListener(name, letGo, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
      for (const name of own) removeEventListener(name, letGo);
    };
  }, [count]);
  useEffect(() => () => observer.disconnect(), []);

  const { from } = range.value;
  const to = Math.min(range.value.to, count);
  const rows = [];
  for (let index = from; index < to; index += 1) {
    rows.push(
      <Row key={keyOf(index)} index={index} count={count} observer={observer}>
        {row(index)}
      </Row>,
    );
  }
  return (
    <div class="virtual" role="list" aria-label={label} ref={box}>
      <div style={{ height: `${heights.top(from)}px` }} role="presentation" />
      {rows}
      <div style={{ height: `${Math.max(0, heights.total - heights.top(to))}px` }} role="presentation" />
    </div>
  );
}

function Row({
  index,
  count,
  observer,
  children,
}: {
  index: number;
  count: number;
  observer: ResizeObserver;
  children: ComponentChildren;
}) {
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
      data-index={index}
    >
      {children}
    </div>
  );
}
