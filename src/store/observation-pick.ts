// Observations as recall picks from them: what stands in a project, with the branch it was made on.
import type { Db } from "./driver.ts";
import type { ObservationRow } from "./observations.ts";

export interface StandingObservation extends ObservationRow {
  git_branch: string | null;
}

/** What nothing newer has replaced, of this project or of all; what is pinned first, then newest first. */
export function newestStanding(db: Db, projectId: number, limit: number): StandingObservation[] {
  const columns = `SELECT o.*, s.git_branch FROM observations o LEFT JOIN sessions s ON s.id = o.session_db_id
     WHERE o.is_current = 1 AND o.superseded_by IS NULL`;
  const rows = db.all<StandingObservation>(
    `${columns} AND o.project_id = ?1 ORDER BY o.valid_from DESC LIMIT ?2`,
    projectId,
    limit,
  );
  const everywhere = db.all<StandingObservation>(
    `${columns} AND o.project_id IS NULL ORDER BY o.valid_from DESC LIMIT ?`,
    EVERYWHERE,
  );
  return [...everywhere, ...rows];
}

/** What holds for every project is written by hand: there is little of it. */
const EVERYWHERE = 20;
