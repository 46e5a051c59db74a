// What a session came to, in its eight fields, for a person.
import type { Summary } from "../core/memory.ts";
import { block, pad } from "../platform/terminal/layout.ts";
import { dim } from "../platform/terminal/style.ts";

const FIELDS = [
  ["request", "asked"],
  ["investigated", "looked at"],
  ["learned", "learned"],
  ["completed", "done"],
  ["nextSteps", "next"],
  ["notes", "notes"],
] as const;
const LABEL_COLUMNS = 9;

/** Only the fields that say something. Files are listed turn by turn anyway. */
export function summaryText(summary: Summary): string {
  const indent = " ".repeat(LABEL_COLUMNS + 4);
  return FIELDS.filter(([field]) => summary[field] !== "")
    .map(([field, label]) => `  ${dim(pad(label, LABEL_COLUMNS))}  ${block(summary[field], indent).trimStart()}`)
    .join("\n");
}
