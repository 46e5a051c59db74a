// Measures the database and shrinks the file by its free pages.
import type { Db } from "./driver.ts";
import { raw, sql } from "./sql.ts";

/** Sizes in bytes: the whole file, its pages with data, its free pages. */
export function fileSize(db: Db) {
  const pragma = (name: string): number => db.value(sql`PRAGMA ${raw(name)}`) ?? 0;
  const size = pragma("page_size");
  const [pages, free] = [pragma("page_count"), pragma("freelist_count")];
  return { bytes: pages * size, used: (pages - free) * size, free: free * size };
}

/** Tables and indexes, largest first. The internal tables of a full-text index are counted under its name. */
export function sizeByTable(db: Db): { name: string; bytes: number }[] {
  return db.all(sql`SELECT CASE WHEN name GLOB '*_fts_*' THEN substr(name, 1, instr(name, '_fts_') + 3)
      WHEN name GLOB 'prompts_trigram_*' THEN 'prompts_trigram' ELSE name END AS name, sum(pgsize) AS bytes
    FROM dbstat WHERE aggregate = 1 GROUP BY 1 ORDER BY bytes DESC, name`);
}

/** Pages per step, each in its own transaction. */
const STEP_PAGES = 500;

/**
 * Shrinks the file by its free pages, step by step. Files from before auto_vacuum need one full VACUUM first, which
 * runs only if `mayVacuum` is set.
 */
export function* releasePages(db: Db, options: { mayVacuum?: boolean } = {}): Generator<void, void> {
  if ((db.value<number>(sql`PRAGMA auto_vacuum`) ?? 0) === 0) {
    if (options.mayVacuum) db.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
    return;
  }
  while (fileSize(db).free > 0) {
    db.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
    yield;
  }
}
