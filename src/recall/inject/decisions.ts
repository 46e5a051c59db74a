// Decisions nothing newer has replaced. One that a file of rules contradicts is told as a conflict.
import { ago, oneLine } from "../../core/text.ts";
import type { ObservationRow } from "../../store/tables/observations.ts";
import type { Line } from "./block.ts";
import { conflictWith, type RuleLine } from "./conflicts.ts";
import { itemId, spoken } from "./memory-line.ts";

const CHARS = 220;

export function decisionLines(rows: readonly ObservationRow[], rules: readonly RuleLine[], now: number): Line[] {
  return rows.map((row) => ({ text: `- ${decisionText(row, rules, now)}`, items: [itemId(row)] }));
}

export function decisionText(row: ObservationRow, rules: readonly RuleLine[], now: number): string {
  const who = row.origin === "user" ? "the user" : row.origin === "tool" ? "from output" : "the assistant";
  const source = `(${who}, ${ago(row.valid_from, now)}, #${itemId(row)})`;
  const text = spoken(row.title.endsWith("…") ? row.narrative : row.title, CHARS);
  const rule = conflictWith(`${row.title} ${row.narrative}`, rules);
  if (rule === undefined) return `${text} ${source}`;
  return `CONFLICT: ${rule.file} says “${oneLine(rule.text, 120)}”, a memory says “${text}” ${source}; ask which holds`;
}
