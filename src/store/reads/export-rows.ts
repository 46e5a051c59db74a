// Every row that cannot be made again from others, in an order in which they can be put into another database.
import { AppError } from "../../core/error.ts";
import type { Db } from "../db/driver.ts";
import { outputOf } from "../tables/packed.ts";
import { MERGE_TABLES, type MergedRow, type MergeTable } from "../db/merge.ts";

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
      if (table === "tombstones") yield* tombstones(db, table);
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

/** They have no id. */
function* tombstones(db: Db, table: MergeTable): Generator<ExportedRow, void> {
  const sql = `SELECT * FROM ${table} WHERE (kind, hash) > (?, ?) ORDER BY kind, hash LIMIT ${BATCH}`;
  for (let [kind, hash] = ["", ""]; ;) {
    const rows = db.all<MergedRow>(sql, kind, hash);
    for (const row of rows) yield { table, row };
    if (rows.length < BATCH) return;
    [kind, hash] = [String(rows.at(-1)?.["kind"]), String(rows.at(-1)?.["hash"])];
  }
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
    const next = Number(rows.at(-1)?.["id"]);
    // Pages of a damaged file may refer to each other in a circle.
    if (!(next > last)) throw new AppError("database_damaged", `The rows of ${table} are not in order.`);
    last = next;
  }
}
