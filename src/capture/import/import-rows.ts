// Imports rows of another C-Mem store. They are filtered again and matched by the agents' own ids; invalid rows are
// skipped and counted.
import { parseLimitedJson } from "../../core/limited-json.ts";
import { filterText, filterValue } from "../../core/privacy/filter.ts";
import type { Db } from "../../store/db/driver.ts";
import { createMerge, type MergedRow, type MergeTable } from "../../store/db/merge.ts";
import { transaction } from "../../store/db/transaction.ts";
import { updateAllStatuses } from "../../store/tables/session-status.ts";
import { storedId, storedName } from "../live/ids.ts";

export interface ImportCounts {
  /** Added rows by table. */
  added: Record<string, number>;
  /** Rows that the store already had. */
  known: number;
  /** Invalid lines and rows, which were skipped. */
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

/** A value of an `IDS` or `NAMES` column that does not look like one is hashed. Other text is filtered for secrets. */
const IDS = /^(?:session_id|uuid|parent_uuid|prompt_id|tool_use_id|agent_id|forked_from|\w*hash)$/;
const NAMES = /^(?:agent|model|version)$/;
const JSON_COLUMNS = /^(?:input|facts|concepts|files|evidence|item_ids|files_read|files_edited|files_modified)$/;
const MAX_CHARS = 1_000_000;

function filterRow({ purged_at: purgedAt = null, ...rest }: MergedRow): MergedRow {
  // A purge time in the future would keep the session from being recorded.
  const purged = typeof purgedAt === "number" && purgedAt < Date.now() ? { purged_at: purgedAt } : {};
  return Object.fromEntries(
    Object.entries({ ...rest, ...purged }).map(([column, value]) => [
      column,
      typeof value === "string" ? filterColumn(column, value) : value,
    ]),
  );
}

function filterColumn(column: string, value: string): string | undefined {
  if (NAMES.test(column)) return storedName(value);
  if (IDS.test(column)) return storedId(value);
  if (!JSON_COLUMNS.test(column)) return filterText(value, MAX_CHARS);
  try {
    return JSON.stringify(filterValue(parseLimitedJson(value), MAX_CHARS));
  } catch {
    // Invalid JSON: the table rejects a row without this column.
    return undefined;
  }
}
