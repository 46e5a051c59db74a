// Every row that cannot be made again from others, in an order in which they can be put into another database.
import type { Db } from "./driver.ts";
import { outputOf } from "./packed.ts";
import { MERGE_TABLES, type MergedRow, type MergeTable } from "./merge.ts";

export interface ExportedRow {
  table: MergeTable;
  row: MergedRow;
}

/** Rows held in memory at a time. */
const BATCH = 200;

/** As of one moment, however long it takes. */
export function* exportRows(db: Db): Generator<ExportedRow, void> {
  db.exec("BEGIN");
  try {
    for (const table of MERGE_TABLES) {
      if (table === "tombstones") yield* all(db, table);
      // A session before its subagents.
      else if (table === "sessions") {
        yield* paged(db, table, "parent_session_db_id IS NULL");
        yield* paged(db, table, "parent_session_db_id IS NOT NULL");
      } else yield* paged(db, table, "1");
    }
  } finally {
    db.exec("COMMIT");
  }
}

function* all(db: Db, table: MergeTable): Generator<ExportedRow, void> {
  for (const row of db.all<MergedRow>(`SELECT * FROM ${table}`)) yield { table, row };
}

function* paged(db: Db, table: MergeTable, where: string): Generator<ExportedRow, void> {
  // Compressed or not is nobody else's business.
  const columns = table === "tool_uses" ? `*, ${outputOf()} AS output, NULL AS packed` : "*";
  let last = 0;
  for (;;) {
    const rows = db.all<MergedRow>(
      `SELECT ${columns} FROM ${table} WHERE id > ? AND ${where} ORDER BY id LIMIT ${BATCH}`,
      last,
    );
    for (const row of rows) yield { table, row };
    if (rows.length < BATCH) return;
    last = Number(rows.at(-1)?.["id"]);
  }
}
