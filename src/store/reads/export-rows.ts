// Exports all rows that another database can import, in an order in which it can import them.
import type { Db } from "../db/driver.ts";
import { eachRow } from "../db/each-row.ts";
import { MERGE_TABLES, type MergedRow, type MergeTable } from "../db/merge.ts";
import { raw, sql } from "../db/sql.ts";
import { outputOf } from "../tables/tool-uses.ts";

/** Reads all rows in one transaction, so they are a consistent snapshot. */
export function* exportRows(db: Db): Generator<{ table: MergeTable; row: MergedRow }, void> {
  db.exec("BEGIN");
  try {
    for (const table of MERGE_TABLES) {
      // Outputs are exported uncompressed.
      const columns = table === "tool_uses" ? sql`*, ${outputOf()} AS output, NULL AS packed` : sql`*`;
      const keys = table === "tombstones" ? ["kind", "hash"] : ["id"];
      // A session must come before its subagents.
      const parts = table === "sessions" ? ["parent_session_db_id IS NULL", "parent_session_db_id IS NOT NULL"] : ["1"];
      for (const where of parts.map(raw))
        for (const row of eachRow<MergedRow>(db, table, keys, { columns, where })) yield { table, row };
    }
  } finally {
    db.exec("COMMIT");
  }
}
