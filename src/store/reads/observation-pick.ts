// Observations as recall picks from them: what stands in a project, with the branch it was made on.
import type { Db } from "../db/driver.ts";
import type { ObservationRow } from "../tables/observations.ts";

/** What a choice goes by: whole rows of all there is to choose from would take milliseconds at every session start. */
export interface Candidate extends Pick<
  ObservationRow,
  "id" | "session_db_id" | "type" | "title" | "concepts" | "files" | "origin" | "subject" | "pinned" | "valid_from"
> {
  git_branch: string | null;
}

/** What holds for every project is written by hand: there is little of it. */
const EVERYWHERE = 20;

/** What nothing newer has replaced: what holds for every project, then this one's, each newest first. */
export function newestStanding(db: Db, projectId: number, limit: number): Candidate[] {
  const columns = `SELECT o.id, o.session_db_id, o.type, o.title, o.concepts, o.files, o.origin, o.subject, o.pinned, o.valid_from, s.git_branch
     FROM observations o LEFT JOIN sessions s ON s.id = o.session_db_id WHERE o.is_current = 1 AND o.superseded_by IS NULL`;
  const order = "ORDER BY o.valid_from DESC LIMIT ?";
  return [
    ...db.all<Candidate>(`${columns} AND o.project_id IS NULL ${order}`, EVERYWHERE),
    ...db.all<Candidate>(`${columns} AND o.project_id = ? ${order}`, projectId, limit),
  ];
}
