// Clears what was forgotten out of the files beside the database: drops that could not be applied, copies of transcripts, what a
// session was shown.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { listFolder } from "../../platform/read-file.ts";
import type { Db } from "../../store/db/driver.ts";
import { allCopies, removeCopy, removeUnknownCopies } from "../../capture/sync/archive-copies.ts";
import { BAD_FOLDER } from "../../capture/live/drain.ts";
import { storedId } from "../../capture/live/ids.ts";
import { findFallbackSpools } from "../../capture/live/fallback-spool.ts";
import { hasForgottenParts, namesForgotten } from "../../store/tables/tombstone-checks.ts";
import { forgetShown } from "../../capture/live/shown-items.ts";

/** Returns how many files went. `pieces` are words of what was forgotten, `sessions` the ids of those that went wholly. */
export function clearFiles(
  db: Db,
  paths: Paths,
  { pieces, sessions }: { pieces: readonly string[]; sessions: readonly string[] },
): { drops: number; copies: number } {
  const bad = [paths.spool, ...findFallbackSpools(paths)].map((folder) => join(folder, BAD_FOLDER));
  const drops = bad
    .flatMap((folder) => listFolder(folder).map((name) => join(folder, name)))
    .filter((path) => {
      const text = readFileSync(path, "utf8");
      return [...pieces, ...sessions].some((piece) => text.includes(piece));
    });
  for (const path of drops) rmSync(path, { force: true });
  for (const id of sessions) forgetShown(paths.shown, id);
  // A copy is compressed: nothing can be taken out of it.
  const copies = allCopies(paths.archive).filter(({ file, copiedFrom }) =>
    copiedFrom === undefined
      ? namesForgotten(db, storedId(file.sessionId))
      : [file.sessionId, ...copiedFrom].some((id) => hasForgottenParts(db, storedId(id))),
  );
  for (const { file } of copies) removeCopy(paths.archive, file);
  // They may be of what was forgotten, too.
  const unknown = removeUnknownCopies(paths.archive);
  return { drops: drops.length, copies: copies.length + unknown };
}
