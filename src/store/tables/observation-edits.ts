// What a person changes in observations: pins, words, what replaces what. The content hash stays that of what was
// derived, so that deriving again finds the row and leaves it as it is.
import type { Observation } from "../../core/memory.ts";
import type { Db } from "../db/driver.ts";
import { observationFiles, renewFilesOfTurn, writeFiles } from "./observation-files.ts";
import { getObservation, indexObservation } from "./observations.ts";

/** What is pinned stands, whoever made it. */
export function setPinned(db: Db, id: number, isPinned: boolean): void {
  db.run("UPDATE observations SET pinned = ?1, is_current = max(is_current, ?1) WHERE id = ?2", Number(isPinned), id);
}

export function rewriteObservation(db: Db, id: number, observation: Observation, at: number): void {
  const { type, title, subtitle, narrative, facts, concepts, files } = observation;
  const before = getObservation(db, id);
  db.run(
    `UPDATE observations SET type = ?, title = ?, subtitle = ?, narrative = ?, facts = ?, concepts = ?, files = ?,
       edited_at = ?, is_current = 1 WHERE id = ?`,
    type,
    title,
    subtitle ?? null,
    narrative,
    JSON.stringify(facts),
    JSON.stringify(concepts),
    JSON.stringify(files),
    at,
    id,
  );
  indexObservation(db, id);
  if (before === undefined) return;
  const { modified, read } = observationFiles(before);
  const listedBefore = new Set(JSON.parse(before.files) as string[]);
  const isKept = (file: string): boolean => files.includes(file) || !listedBefore.has(file);
  writeFiles(db, id, { modified: modified.filter(isKept), read: read.filter(isKept) });
  const { session_db_id: sessionDbId, prompt_number: promptNumber } = before;
  if (sessionDbId !== null && promptNumber !== null) renewFilesOfTurn(db, { sessionDbId, promptNumber });
}

/** The older one holds until the newer began, or, where that is earlier, until now. */
export function supersedeByHand(db: Db, olderId: number, newerId: number, now: number): void {
  db.run(
    `UPDATE observations SET superseded_by = ?2, superseded_at = ?3, is_current = 1,
       valid_to = (SELECT iif(n.valid_from > observations.valid_from, n.valid_from, ?3) FROM observations n WHERE n.id = ?2)
     WHERE id = ?1`,
    olderId,
    newerId,
    now,
  );
  db.run("UPDATE observations SET is_current = 1 WHERE id = ?", newerId);
}

/** What replaced it, what replaced that, and so on; in a circle it is among them itself. */
export function successorsOf(db: Db, id: number): number[] {
  return db
    .all<{ id: number }>(
      `WITH RECURSIVE chain(id) AS (
         SELECT superseded_by FROM observations WHERE id = ? AND superseded_by IS NOT NULL
         UNION SELECT o.superseded_by FROM chain c JOIN observations o ON o.id = c.id WHERE o.superseded_by IS NOT NULL)
       SELECT id FROM chain`,
      id,
    )
    .map((row) => row.id);
}

/** Of the same project or of all, what holds: to be compared with something new. */
export function standingTexts(
  db: Db,
  projectId: number | undefined,
): { id: number; title: string; narrative: string; content_hash: string }[] {
  return db.all(
    `SELECT id, title, narrative, content_hash FROM observations
     WHERE is_current = 1 AND superseded_by IS NULL AND (project_id IS ?1 OR project_id IS NULL) ORDER BY valid_from DESC, id DESC`,
    projectId ?? null,
  );
}
