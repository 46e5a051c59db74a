// The observations that were chosen, as lines: the newest written out, the others as an index to ask from.
import type { FullField } from "../../config/schema.ts";
import type { WorkTree } from "../../core/work-tree.ts";
import { observationOf, type ObservationRow } from "../../store/tables/observations.ts";
import type { Line } from "./block.ts";
import { bodyOf, indexedId, itemId, titleLine } from "./memory-line.ts";
import { standingNote, standingOf } from "./verify.ts";

const BODY_CHARS = 260;

export function fullLines(
  rows: readonly ObservationRow[],
  field: FullField,
  tree: WorkTree | undefined,
  now: number,
): Line[] {
  return rows.map((row) => {
    const standing = tree && standingOf(observationOf(row), { top: tree.top, since: row.valid_from, deep: true });
    const note = standing?.kind === "renamed" ? standingNote(standing) : "";
    const body = bodyOf(row, field, BODY_CHARS);
    return { text: `${titleLine(row, now)}${note}${body === "" ? "" : `\n  ${body}`}`, items: [itemId(row)] };
  });
}

export function* indexLines(rows: readonly ObservationRow[], now: number): Generator<Line> {
  for (const row of rows) yield { text: titleLine(row, now), items: [indexedId(row)] };
}
