// Changes that users make to observations: pin, edit the text, supersede. An edit does not change content_hash, so that
// deriving the observation again finds its row and keeps the edit.
import type { Observation } from "../../core/memory.ts";
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { observationFiles, renewFilesOfTurn, writeFiles } from "./observation-files.ts";
import { getObservation, indexObservation, type ObservationRow } from "./observations.ts";

/** A pinned observation becomes the current version, even if another producer's version was current. */
export function setPinned(db: Db, id: number, isPinned: boolean): void {
  db.run(sql`UPDATE observations SET pinned = ${isPinned}, is_current = max(is_current, ${isPinned}) WHERE id = ${id}`);
}

export function rewriteObservation(db: Db, id: number, observation: Observation, at: number): void {
  const { type, title, subtitle, narrative, facts, concepts, files } = observation;
  const before = getObservation(db, id);
  db.run(sql`UPDATE observations SET type = ${type}, title = ${title}, subtitle = ${subtitle}, narrative = ${narrative},
      facts = ${facts}, concepts = ${concepts}, files = ${files}, edited_at = ${at}, is_current = 1
    WHERE id = ${id}`);
  indexObservation(db, id);
  if (before === undefined) return;
  const { modified, read } = observationFiles(before);
  const listedBefore = new Set(JSON.parse(before.files) as string[]);
  const isKept = (file: string): boolean => files.includes(file) || !listedBefore.has(file);
  writeFiles(db, id, { modified: modified.filter(isKept), read: read.filter(isKept) });
  const { session_db_id: sessionDbId, prompt_number: promptNumber } = before;
  if (sessionDbId !== null && promptNumber !== null) renewFilesOfTurn(db, { sessionDbId, promptNumber });
}

/** The older one was valid until the newer one's valid_from; until now, if the newer one's valid_from is not later. */
export function supersedeByHand(db: Db, olderId: number, newerId: number, now: number): void {
  db.run(sql`UPDATE observations SET superseded_by = ${newerId}, superseded_at = ${now}, superseded_producer = NULL,
      is_current = 1,
      valid_to = (SELECT iif(n.valid_from > observations.valid_from, n.valid_from, ${now})
        FROM observations n WHERE n.id = ${newerId})
    WHERE id = ${olderId}`);
  db.run(sql`UPDATE observations SET is_current = 1 WHERE id = ${newerId}`);
}

/** If o2 superseded o1, and o3 superseded o2: 1 -> [2, 3]. In a circle, the result includes `id` itself. */
export function successorsOf(db: Db, id: number): number[] {
  return db.column(sql`WITH RECURSIVE chain(id) AS (
      SELECT superseded_by FROM observations WHERE id = ${id} AND superseded_by IS NOT NULL
      UNION SELECT o.superseded_by FROM chain c JOIN observations o ON o.id = c.id WHERE o.superseded_by IS NOT NULL)
    SELECT id FROM chain`);
}

export type CurrentText = Pick<ObservationRow, "id" | "type" | "title" | "narrative" | "facts" | "content_hash">;

/** Current observations of this project and those for all projects, newest first. A new one is compared with them. */
export function currentTexts(db: Db, projectId: number | undefined): CurrentText[] {
  return db.all(sql`SELECT id, type, title, narrative, facts, content_hash FROM observations
    WHERE is_current = 1 AND superseded_by IS NULL AND (project_id IS ${projectId} OR project_id IS NULL)
    ORDER BY valid_from DESC, id DESC`);
}
