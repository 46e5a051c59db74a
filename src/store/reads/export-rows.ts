// Every row that cannot be derived from others, in an order in which another database can import them.
import { AppError } from "../../core/error.ts";
import type { Db } from "../db/driver.ts";
import { MERGE_TABLES, type MergedRow, type MergeTable } from "../db/merge.ts";
import { raw, sql, type Sql } from "../db/sql.ts";
import { outputOf } from "../tables/tool-uses.ts";

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
      if (table === "tombstones") yield* tombstones(db);
      // A session before its subagents.
      else if (table === "sessions") {
        yield* paged(db, table, sql`parent_session_db_id IS NULL`);
        yield* paged(db, table, sql`parent_session_db_id IS NOT NULL`);
      } else yield* paged(db, table, sql`1`);
    }
  } finally {
    db.exec("COMMIT");
  }
}

/** They have no id. */
function* tombstones(db: Db): Generator<ExportedRow, void> {
  for (let [kind, hash] = ["", ""]; ;) {
    const rows = db.all<MergedRow>(sql`SELECT * FROM tombstones WHERE (kind, hash) > (${kind}, ${hash})
      ORDER BY kind, hash LIMIT ${BATCH}`);
    for (const row of rows) yield { table: "tombstones", row };
    if (rows.length < BATCH) return;
    [kind, hash] = [String(rows.at(-1)?.["kind"]), String(rows.at(-1)?.["hash"])];
  }
}

function* paged(db: Db, table: MergeTable, where: Sql): Generator<ExportedRow, void> {
  // Outputs are exported uncompressed.
  const columns = table === "tool_uses" ? sql`*, ${outputOf()} AS output, NULL AS packed` : sql`*`;
  let last = 0;
  for (;;) {
    const rows = db.all<MergedRow>(sql`SELECT ${columns} FROM ${raw(table)}
      WHERE id > ${last} AND ${where} ORDER BY id LIMIT ${BATCH}`);
    for (const row of rows) yield { table, row };
    if (rows.length < BATCH) return;
    const next = Number(rows.at(-1)?.["id"]);
    // Pages of a damaged file may refer to each other in a circle.
    if (!(next > last)) throw new AppError("database_damaged", `The rows of ${table} are not in order.`);
    last = next;
  }
}
