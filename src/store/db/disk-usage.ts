// What takes room in the database, and how room that was freed is given back.
import type { Db } from "./driver.ts";
import { raw, sql } from "./sql.ts";

export interface Room {
  /** The file, and what of it holds something. */
  bytes: number;
  used: number;
  free: number;
}

export function roomOf(db: Db): Room {
  const pragma = (name: string): number =>
    Object.values(db.get<Record<string, number>>(sql`PRAGMA ${raw(name)}`) ?? {})[0] ?? 0;
  const size = pragma("page_size");
  const [pages, free] = [pragma("page_count"), pragma("freelist_count")];
  return { bytes: pages * size, used: (pages - free) * size, free: free * size };
}

/** Every table and index by what it takes, the largest first; an index's own tables under its name. */
export function roomByTable(db: Db): { name: string; bytes: number }[] {
  return db.all(sql`SELECT CASE WHEN name GLOB '*_fts_*' THEN substr(name, 1, instr(name, '_fts_') + 3)
         WHEN name GLOB 'prompts_trigram_*' THEN 'prompts_trigram' ELSE name END AS name, sum(pgsize) AS bytes
     FROM dbstat WHERE aggregate = 1 GROUP BY 1 ORDER BY bytes DESC, name`);
}

/** Pages per step, each a transaction of its own. */
const STEP_PAGES = 500;

/** Gives free pages back to the disk, step by step. A file from before that was possible needs a VACUUM once. */
export function* giveBack(db: Db, options: { mayVacuum?: boolean } = {}): Generator<void, void> {
  const mode = db.value<number>(sql`PRAGMA auto_vacuum`) ?? 0;
  if (mode === 0) {
    if (options.mayVacuum) db.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
    return;
  }
  while (roomOf(db).free > 0) {
    db.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
    yield;
  }
}
