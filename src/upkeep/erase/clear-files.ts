// Deletes files about what was forgotten: bad drops, archived transcripts, lists of shown items.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findFallbackSpools } from "../../capture/live/spool.ts";
import { BAD_FOLDER } from "../../capture/live/drain.ts";
import { storedId } from "../../capture/live/ids.ts";
import { clearShown } from "../../capture/live/shown-items.ts";
import { allCopies, removeCopy, removeUndescribedCopies } from "../../capture/sync/archive-copies.ts";
import type { Paths } from "../../config/paths.ts";
import { listFolder } from "../../platform/read-file.ts";
import type { Db } from "../../store/db/driver.ts";
import { hasForgottenParts, hasForgottenHistory } from "../../store/tables/tombstones.ts";
import type { Traces } from "./scrub-backups.ts";

/** `sessions`: ids of sessions that were deleted completely. Returns how many drops and transcripts were deleted. */
export function clearFiles(
  db: Db,
  paths: Paths,
  { pieces, sessions }: Pick<Traces, "pieces" | "sessions">,
): { drops: number; copies: number } {
  const drops = [paths.spool, ...findFallbackSpools(paths)]
    .map((folder) => join(folder, BAD_FOLDER))
    .flatMap((folder) => listFolder(folder).map((name) => join(folder, name)))
    .filter((path) => {
      const text = readFileSync(path, "utf8");
      return [...pieces, ...sessions].some((piece) => text.includes(piece));
    });
  for (const path of drops) rmSync(path, { force: true });
  for (const id of sessions) clearShown(paths.shown, id);
  // A model's conversation may be about anything of its session; the next request begins a new one.
  rmSync(paths.conversations, { recursive: true, force: true });
  // An archived transcript is compressed, so it is deleted as a whole.
  const copies = allCopies(paths.archive).filter(({ file, copiedFrom }) =>
    copiedFrom === undefined
      ? hasForgottenHistory(db, storedId(file.sessionId))
      : [file.sessionId, ...copiedFrom].some((id) => hasForgottenParts(db, storedId(id))),
  );
  for (const { file } of copies) removeCopy(paths.archive, file);
  // A copy without a description may be of a forgotten session.
  return { drops: drops.length, copies: copies.length + removeUndescribedCopies(paths.archive) };
}
