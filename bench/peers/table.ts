// The figures as text cells: for the terminal, and for the tables of docs/benchmarks.md.
import type { HookEvent } from "./payloads.ts";
import type { Report, Row } from "./results.ts";
import type { SearchFailure, SearchResult } from "./search.ts";

export interface Column {
  title: string;
  cell(row: Row): string;
}

const NONE = "–";
const number = (value: number): string => Math.round(value).toLocaleString("en");

const seconds = (value: number): string => (value < 10 ? value.toFixed(1) : number(value));

export const INSTALL: readonly Column[] = [
  { title: "version", cell: ({ install }) => install?.version ?? NONE },
  { title: "install, MB", cell: ({ install }) => (install === undefined ? NONE : number(install.megabytes)) },
  { title: "install, s", cell: ({ install }) => (install === undefined ? NONE : seconds(install.seconds)) },
];

const hook = (event: HookEvent): Column => ({
  title: event,
  cell({ hooks }) {
    const times = hooks?.find((one) => one.event === event);
    if (times === undefined) return NONE;
    const failed = times.failed === 0 ? "" : `, ${times.failed} failed`;
    return `${times.ratio.toFixed(2)} / ${times.fastestRatio.toFixed(2)}${times.isAsync ? " (async)" : ""}${failed}`;
  },
});

export const HOOKS: readonly Column[] = [hook("SessionStart"), hook("UserPromptSubmit"), hook("PostToolUse")];

const found = (key: "search" | "locomo", cell: (result: SearchResult) => string): Column["cell"] => {
  return (row) => {
    const result = row[key];
    return result === undefined || isFailure(result) ? NONE : cell(result);
  };
};

const searchColumns = (key: "search" | "locomo"): readonly Column[] => [
  { title: "any@5", cell: found(key, (one) => one.anyFive.toFixed(0)) },
  { title: "any@5, keywords", cell: found(key, (one) => one.anyFiveKeywords.toFixed(0)) },
  { title: "nothing found", cell: found(key, (one) => share(one.empty + one.failed, one.queries)) },
  { title: "p50, ms", cell: found(key, (one) => one.p50.toFixed(1)) },
  { title: "p95, ms", cell: found(key, (one) => one.p95.toFixed(1)) },
];

export const SESSIONS = searchColumns("search");
export const LOCOMO = searchColumns("locomo");

export const OTHER: readonly Column[] = [
  { title: "import, s", cell: (row) => (row.import === undefined ? NONE : row.import.seconds.toFixed(1)) },
  { title: "tokens", cell: tokensCell },
  {
    title: "kept, no kills",
    cell: ({ kill }) => (kill === undefined ? NONE : `${kill.calm.kept} of ${kill.calm.acknowledged}`),
  },
  {
    title: "kept after kill -9",
    cell: ({ kill }) => (kill === undefined ? NONE : `${kill.killed.kept} of ${kill.killed.acknowledged}`),
  },
  { title: "secrets stored", cell: secretsCell },
];

function tokensCell({ tokens, missing }: Row): string {
  if (tokens === undefined) return missing.tokens === "it calls no model" ? "0" : NONE;
  return number(tokens.sent);
}

function secretsCell({ secrets }: Row): string {
  return secrets === undefined ? NONE : `${secrets.stored.length} of ${secrets.recorded}`;
}

const share = (part: number, whole: number): string => `${Math.round((100 * part) / Math.max(1, whole))}%`;

export function isFailure(result: SearchResult | SearchFailure): result is SearchFailure {
  return "reason" in result;
}

/** Padded columns of a Markdown table. */
export function markdownTable(rows: readonly Row[], columns: readonly Column[]): string {
  const cells = [
    ["", ...columns.map(({ title }) => title)],
    ...rows.map((row) => [row.name, ...columns.map(({ cell }) => cell(row))]),
  ];
  const widths = (cells[0] ?? []).map((_, index) => Math.max(3, ...cells.map((line) => line[index]?.length ?? 0)));
  const line = (list: readonly string[]): string =>
    `| ${list.map((text, index) => (index === 0 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, index) => (index === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), rule, ...body.map(line)].join("\n");
}

export function printReport({ rows }: Report): void {
  for (const columns of [INSTALL, HOOKS, SESSIONS, LOCOMO, OTHER]) console.log(`${markdownTable(rows, columns)}\n`);
  for (const { name, missing } of rows) {
    for (const [measurement, reason] of Object.entries(missing)) console.log(`${name}, ${measurement}: ${reason}`);
  }
}
