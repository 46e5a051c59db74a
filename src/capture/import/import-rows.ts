// Puts rows of another store into this one: filtered once more, known by the agents' own ids, whatever is wrong with one
// of them counted and left out.
import { parseLimitedJson } from "../../core/limited-json.ts";
import { filterText, filterValue } from "../../core/privacy/filter.ts";
import type { Db } from "../../store/db/driver.ts";
import { createMerge, type MergedRow, type MergeTable } from "../../store/db/merge.ts";
import { updateAllStatuses } from "../../store/tables/session-status.ts";
import { transaction } from "../../store/db/transaction.ts";
import { storedId, storedName } from "../live/ids.ts";

export interface ImportCounts {
  /** By table. */
  added: Record<string, number>;
  known: number;
  /** Lines or rows that make no sense. */
  refused: number;
}

export type ImportRow = { table: MergeTable; row: MergedRow } | "refused";

const BATCH = 500;

export function importRows(db: Db, rows: Iterable<ImportRow>): ImportCounts {
  const counts: ImportCounts = { added: {}, known: 0, refused: 0 };
  const merge = createMerge(db);
  let batch: ImportRow[] = [];
  const write = (): void => {
    transaction(db, () => {
      for (const one of batch) {
        const outcome = one === "refused" ? one : merge.add(one.table, filterRow(one.row));
        if (outcome === "added" && one !== "refused") counts.added[one.table] = (counts.added[one.table] ?? 0) + 1;
        else if (outcome === "known") counts.known += 1;
        else counts.refused += 1;
      }
    });
    batch = [];
  };
  for (const row of rows) {
    batch.push(row);
    if (batch.length >= BATCH) write();
  }
  write();
  transaction(db, () => {
    merge.finish();
    updateAllStatuses(db, Date.now());
  });
  return counts;
}

/** What things are known by: limited in length and alphabet, the rest is filtered like captured text. */
const IDS = /^(?:session_id|uuid|parent_uuid|prompt_id|tool_use_id|agent_id|forked_from|agent|model|version|\w*hash)$/;
const JSON_COLUMNS = new Set([
  "input",
  "facts",
  "concepts",
  "files",
  "evidence",
  "item_ids",
  "files_read",
  "files_edited",
  "files_modified",
]);
const MAX_CHARS = 1_000_000;

function filterRow(row: MergedRow): MergedRow {
  const { purged_at: purgedAt = null, ...rest } = row;
  // A time to come would keep a session from being recorded.
  const purged = typeof purgedAt === "number" && purgedAt < Date.now() ? { purged_at: purgedAt } : {};
  return Object.fromEntries(
    Object.entries({ ...rest, ...purged }).map(([column, value]) => [
      column,
      typeof value === "string" ? filterColumn(column, value) : value,
    ]),
  );
}

function filterColumn(column: string, value: string): string | undefined {
  if (IDS.test(column)) return /^(?:agent|model|version)$/.test(column) ? storedName(value) : storedId(value);
  if (!JSON_COLUMNS.has(column)) return filterText(value, MAX_CHARS);
  try {
    return JSON.stringify(filterValue(parseLimitedJson(value), MAX_CHARS));
  } catch {
    // Refused by what is not there.
    return undefined;
  }
}
