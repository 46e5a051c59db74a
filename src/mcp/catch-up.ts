// Before a tool answers: drains the spool, updates the search index, derives the newest observations, each for a limited time.
import { drainBriefly } from "../queries/cached-store.ts";
import type { Paths } from "../config/paths.ts";
import { deriveNewest } from "../memory/derive.ts";
import type { Db } from "../store/db/driver.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";

const INDEX_MS = 2_000;
const DERIVE_MS = 500;

export function catchUp(db: Db, paths: Paths): string[] {
  const notes = drainBriefly(db, paths);
  updateSearchIndex(db, { maxMs: INDEX_MS });
  const left = deriveNewest(db, undefined, DERIVE_MS);
  return left > 0 ? [...notes, `${left} sessions have no observations yet; search finds their turns.`] : notes;
}
