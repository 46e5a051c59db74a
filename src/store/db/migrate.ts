// Migrates a database to this version's schema, with numbered .sql files. A released file is never edited.
import { AppError } from "../../core/error.ts";
import type { Db } from "./driver.ts";
import { transaction } from "./transaction.ts";
import evidence from "./migrations/0001-evidence.sql";
import history from "./migrations/0002-history.sql";
import memory from "./migrations/0003-memory.sql";
import efforts from "./migrations/0004-efforts.sql";
import meaning from "./migrations/0005-meaning.sql";
import injection from "./migrations/0006-injection.sql";
import listing from "./migrations/0007-listing.sql";
import space from "./migrations/0008-space.sql";
import sync from "./migrations/0009-sync.sql";
import beside from "./migrations/0010-beside.sql";
import codes from "./migrations/0011-codes.sql";
import sums from "./migrations/0012-sums.sql";
import queue from "./migrations/0013-queue.sql";
import turnOutcome from "./migrations/0014-turn-outcome.sql";
import active from "./migrations/0015-active.sql";
import idsAndEstimates from "./migrations/0016-ids-and-estimates.sql";
import thinking from "./migrations/0017-thinking.sql";
import windowsPaths from "./migrations/0018-windows-paths.sql";
import observationFiles from "./migrations/0019-observation-files.sql";
import fileSnapshots from "./migrations/0020-file-snapshots.sql";
import wrongItems from "./migrations/0021-wrong-items.sql";
import memoryAgain from "./migrations/0022-memory-again.sql";
import modelMemory from "./migrations/0023-model-memory.sql";
import lines from "./migrations/0024-lines.sql";
import { sql } from "./sql.ts";

export interface Migration {
  id: number;
  name: string;
  sql: string;
  /** True if versions without this migration must not open the database. */
  breaking?: boolean;
}

export const MIGRATIONS: readonly Migration[] = [
  { id: 1, name: "evidence", sql: evidence },
  // Breaking: the first version writes to search indexes that this migration drops.
  { id: 2, name: "history", sql: history, breaking: true },
  // Breaking: an older version changes evidence without marking its memory stale.
  { id: 3, name: "memory", sql: memory, breaking: true },
  // Breaking: an older version writes its own links, and changes evidence without marking links stale.
  { id: 4, name: "efforts", sql: efforts, breaking: true },
  { id: 5, name: "meaning", sql: meaning },
  { id: 6, name: "injection", sql: injection },
  { id: 7, name: "listing", sql: listing },
  // Breaking: an older version reads a compressed output as empty, and imports purged sessions again.
  { id: 8, name: "space", sql: space, breaking: true },
  { id: 9, name: "sync", sql: sync },
  { id: 10, name: "beside", sql: beside },
  { id: 11, name: "codes", sql: codes },
  { id: 12, name: "sums", sql: sums },
  { id: 13, name: "queue", sql: queue },
  { id: 14, name: "turn-outcome", sql: turnOutcome },
  { id: 15, name: "active", sql: active },
  { id: 16, name: "ids-and-estimates", sql: idsAndEstimates },
  { id: 17, name: "thinking", sql: thinking },
  { id: 18, name: "windows-paths", sql: windowsPaths },
  { id: 19, name: "observation-files", sql: observationFiles },
  { id: 20, name: "file-snapshots", sql: fileSnapshots },
  { id: 21, name: "wrong-items", sql: wrongItems },
  { id: 22, name: "memory-again", sql: memoryAgain },
  // Breaking: an older version expects one summary per turn and producer.
  { id: 23, name: "model-memory", sql: modelMemory, breaking: true },
  { id: 24, name: "lines", sql: lines },
];

const TABLE = `CREATE TABLE IF NOT EXISTS migrations (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at INTEGER NOT NULL
) STRICT`;

/** `before` is called with the write lock held, before an existing database is changed. Not called for a new one. */
export function migrate(db: Db, migrations: readonly Migration[] = MIGRATIONS, before?: () => void): void {
  const newest = migrations.at(-1)?.id ?? 0;
  const current = currentVersion(db);
  if (current > newest) refuseBreaking(db, newest);
  if (current >= newest) return;
  transaction(db, () => {
    const found = currentVersion(db);
    if (found > 0 && found < newest) before?.();
    db.exec(TABLE);
    for (const { id, name, sql: statements, breaking = false } of migrations) {
      // A migration that another process applied meanwhile is skipped: its id exists.
      const { changes } = db.run(sql`INSERT OR IGNORE INTO migrations (id, name, breaking, applied_at)
        VALUES (${id}, ${name}, ${breaking}, ${Date.now()})`);
      if (changes === 1) db.exec(statements);
    }
  });
}

export function currentVersion(db: Db): number {
  if (!db.has(sql`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'`)) return 0;
  return db.value(sql`SELECT max(id) FROM migrations`) ?? 0;
}

function refuseBreaking(db: Db, newest: number): void {
  const id = db.value<number>(sql`SELECT id FROM migrations WHERE id > ${newest} AND breaking = 1`);
  if (id === undefined) return;
  throw new AppError(
    "store_newer",
    `The database was written by a newer c-mem (schema ${id}, this one knows ${newest}).`,
    { hint: "Update this c-mem: npm install -g c-mem@latest, then c-mem install." },
  );
}
