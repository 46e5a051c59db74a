// Columns over time or rows by name, as plain SVG and HTML: readable in both themes, and by those who cannot see them.
import type { ComponentChildren } from "preact";
import { withCommas } from "../format.ts";

export interface Column {
  /** Said when one points at it, and to screen readers. */
  label: string;
  /** From the bottom up; as many as there are series. */
  parts: readonly number[];
}

const HEIGHT = 120;
const GAP = 0.25;

/** As many as there are colours; further series begin anew. */
const TONES = 5;

/** Columns that stack, one for each moment. */
export function Columns({
  title,
  series,
  columns,
  say = withCommas,
}: {
  title: string;
  series: readonly string[];
  columns: readonly Column[];
  /** A number in words, with its unit. */
  say?: (value: number) => string;
}) {
  const most = Math.max(1, ...columns.map(({ parts }) => sum(parts)));
  return (
    <figure class="chart">
      <figcaption>
        {title}
        {series.length > 1 && (
          <span class="legend">
            {series.map((name, index) => (
              <span key={name}>
                <span class={`swatch tone-${index % TONES}`} aria-hidden="true" /> {name}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <svg
        viewBox={`0 0 ${Math.max(1, columns.length)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${spoken(columns, say)}`}
      >
        {columns.map(({ label, parts }, at) => (
          <g key={label}>
            <title>{`${label}: ${series.map((name, index) => `${say(parts[index] ?? 0)} ${name}`).join(", ")}`}</title>
            <rect class="hit" x={at} y={0} width={1} height={HEIGHT} />
            {parts.map((part, index) => (
              <rect
                key={index}
                class={`tone-${index % TONES}`}
                x={at + GAP / 2}
                width={1 - GAP}
                y={HEIGHT - (HEIGHT * sum(parts.slice(0, index + 1))) / most}
                height={(HEIGHT * part) / most}
              />
            ))}
          </g>
        ))}
      </svg>
      <p class="axis">
        <span>{columns[0]?.label}</span>
        <span class="num">at most {say(most)}</span>
        <span>{columns.at(-1)?.label}</span>
      </p>
    </figure>
  );
}

/** One row for each name, as long as its share of the largest. */
export function Rows({
  rows,
}: {
  rows: readonly { name: ComponentChildren; key: string; value: number; text: string }[];
}) {
  const most = Math.max(1e-9, ...rows.map(({ value }) => value));
  return (
    <ul class="bar-rows">
      {rows.map(({ key, name, value, text }) => (
        <li key={key}>
          <span class="bar-name">{name}</span>
          <span class="bar-track" aria-hidden="true">
            <span class="bar" style={{ width: `${(100 * value) / most}%` }} />
          </span>
          <span class="bar-text num">{text}</span>
        </li>
      ))}
    </ul>
  );
}

function sum(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}

function spoken(columns: readonly Column[], say: (value: number) => string): string {
  const peak = columns.reduce<Column | undefined>(
    (best, each) => (best === undefined || sum(each.parts) > sum(best.parts) ? each : best),
    undefined,
  );
  return peak === undefined ? "nothing" : `most, ${say(sum(peak.parts))}, on ${peak.label}`;
}
