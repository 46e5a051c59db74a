// Charts as plain SVG and HTML: columns over time, and one horizontal bar per name.
import type { ComponentChildren } from "preact";
import { withCommas } from "../format.ts";

export interface Column {
  label: string;
  /** One number per series, stacked from the bottom up. */
  parts: readonly number[];
}

interface ColumnChartProps {
  title: string;
  series: readonly string[];
  columns: readonly Column[];
  /** Turns a number into text, with its unit if it has one. */
  format?: (value: number) => string;
}

const HEIGHT = 120;
const GAP = 0.25;

export function ColumnChart({ title, series, columns, format = withCommas }: ColumnChartProps) {
  const highest = columns.toSorted((a, b) => sum(b.parts) - sum(a.parts))[0];
  const max = Math.max(1, sum(highest?.parts ?? []));
  const summary = highest === undefined ? "nothing" : `maximum ${format(sum(highest.parts))}, on ${highest.label}`;
  return (
    <figure class="chart card small muted">
      <figcaption class="split">
        {title}
        {series.length > 1 && (
          <span class="inline">
            {series.map((name, index) => (
              <span key={name} class="inline">
                <span class="dot" style={colourOf(index)} aria-hidden="true" /> {name}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <svg
        viewBox={`0 0 ${Math.max(1, columns.length)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${summary}`}
      >
        {columns.map(({ label, parts }, at) => (
          <g key={label}>
            <title>{`${label}: ${series.map((name, index) => `${format(parts[index] ?? 0)} ${name}`).join(", ")}`}</title>
            <rect class="hit" x={at} y={0} width={1} height={HEIGHT} />
            {parts.map((part, index) => (
              <rect
                key={index}
                style={colourOf(index)}
                x={at + GAP / 2}
                width={1 - GAP}
                y={HEIGHT - (HEIGHT * sum(parts.slice(0, index + 1))) / max}
                height={(HEIGHT * part) / max}
              />
            ))}
          </g>
        ))}
      </svg>
      <p class="split tiny faint">
        <span>{columns[0]?.label}</span>
        <span class="num">maximum {format(max)}</span>
        <span>{columns.at(-1)?.label}</span>
      </p>
    </figure>
  );
}

interface BarRow {
  key: string;
  name: ComponentChildren;
  value: number;
  text: string;
}

export function BarChart({ rows }: { rows: readonly BarRow[] }) {
  const max = Math.max(1e-9, ...rows.map(({ value }) => value));
  return (
    <ul class="stack bar-rows">
      {rows.map(({ key, name, value, text }) => (
        <li key={key} class="bar-row cells small">
          <span class="ellipsis">{name}</span>
          <span class="bar-track" aria-hidden="true">
            <span style={{ width: `${(100 * value) / max}%` }} />
          </span>
          <span class="num faint">{text}</span>
        </li>
      ))}
    </ul>
  );
}

const COLOURS = ["--accent", "--type-feature", "--type-discovery", "--type-bugfix", "--type-change"];

/** Five colours; the sixth series gets the first colour again. */
function colourOf(series: number): { color: string } {
  return { color: `var(${COLOURS[series % COLOURS.length]})` };
}

function sum(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}
