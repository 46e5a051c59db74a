// Short texts: badges, sentences with code and links, snippets with matches, changed lines, times.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { clock, dayName, fullTime, howLongAgo, localDay, withCommas } from "../format.ts";

/** Renders code and links in "Run `c-mem sync` or see [all files](/files)". Links may only lead to viewer pages. */
export function richText(text: string) {
  return text.split(/(`[^`]+`|\[[^\]]+\]\(\/[\w-]*\))/).map((part, index) => {
    if (index % 2 === 0) return part;
    const link = /^\[(.+)\]\((.+)\)$/.exec(part);
    return link === null ? <code key={index}>{part.slice(1, -1)}</code> : <a href={link[2] ?? ""}>{link[1]}</a>;
  });
}

/** A paragraph of rich text. Renders nothing if the text is empty. */
export function Paragraph({ text, class: name = "" }: { text: string | null | undefined; class?: string }) {
  return text ? <p class={name}>{richText(text)}</p> : null;
}

/** A search snippet; `marks` are the [start, end] offsets of the matches. */
export function MarkedText({ text, marks }: { text: string; marks: readonly (readonly [number, number])[] }) {
  const parts = [];
  let from = 0;
  for (const [start, end] of marks) {
    if (start < from) continue;
    parts.push(text.slice(from, start), <mark key={start}>{text.slice(start, end)}</mark>);
    from = end;
  }
  return [...parts, text.slice(from)];
}

/** "+12 −3" */
export function ChangedLines({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="num">
      <span class="added">+{withCommas(added)}</span> <span class="removed">−{withCommas(removed)}</span>
    </span>
  );
}

/** A bulleted list. Renders nothing if there are no items. */
export function Bullets({ items }: { items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <ul class="bullets">
      {items.map((item, index) => (
        <li key={index}>{item}</li>
      ))}
    </ul>
  );
}

/** A colour in tokens.css: "good" -> --good and --good-soft. */
export type Tone = "accent" | "good" | "bad" | "warn";

export function Badge({ tone, title, children }: BadgeProps) {
  return (
    <span
      class="badge tiny muted"
      style={tone && { color: `var(--${tone})`, background: `var(--${tone}-soft)` }}
      title={title}
    >
      {children}
    </span>
  );
}

interface BadgeProps {
  tone?: Tone | undefined;
  title?: string;
  children: ComponentChildren;
}

/** The type of an observation: a dot in its colour, and its name. */
export function TypeBadge({ type }: { type: string }) {
  return (
    <span class="type tiny muted">
      <span class="dot" style={{ color: `var(--type-${type})` }} aria-hidden="true" />
      {type}
    </span>
  );
}

const TICK_MS = 30_000;

const now = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") now.value = Date.now();
}, TICK_MS);

export function Time({ at, as = "ago" }: { at: string | number; as?: "ago" | "clock" | "day" }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  const text = { ago: howLongAgo, clock, day: dayName }[as](ms, Math.max(now.value, ms));
  return (
    <time dateTime={new Date(ms).toISOString()} title={fullTime(ms)}>
      {text}
    </time>
  );
}

interface RowsByDayProps<Row> {
  rows: readonly Row[];
  timeOf: (row: Row) => string;
  children: (row: Row) => ComponentChildren;
}

/** Rows under a heading for each day: "Today", "Yesterday", "Sat, Feb 21". */
export function RowsByDay<Row>({ rows, timeOf, children }: RowsByDayProps<Row>) {
  return [...Map.groupBy(rows, (row) => localDay(Date.parse(timeOf(row))))].map(([day, list]) => (
    <section key={day} class="day">
      <h2>
        <Time at={`${day}T12:00`} as="day" />
      </h2>
      <ul>{list.map(children)}</ul>
    </section>
  ));
}
