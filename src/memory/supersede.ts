// Of all observations with the same subject only the newest is valid. Each older one stores its successor.
import type { Db } from "../store/db/driver.ts";
import { deleteLink, insertLink, type Link } from "../store/tables/links.ts";
import { setSuccessor, subjectChain } from "../store/tables/observations.ts";

/** Updates the whole chain of each subject, so the order in which sessions arrive does not matter. */
export function updateSuccessors(
  db: Db,
  projectId: number | undefined,
  subjects: ReadonlySet<string>,
  now: number,
): void {
  for (const subject of subjects) {
    const chain = subjectChain(db, projectId ?? null, subject);
    for (const [index, row] of chain.entries()) {
      const next = chain[index + 1];
      if (row.superseded_by === (next?.id ?? null) && row.valid_to === (next?.valid_from ?? null)) continue;
      deleteSuccessorLink(db, row);
      setSuccessor(db, row.id, next && { id: next.id, at: next.valid_from });
      if (next !== undefined) insertLink(db, supersedesLink(next.id, row.id), now);
    }
  }
}

export function deleteSuccessorLink(db: Db, row: { id: number; superseded_by: number | null }): void {
  if (row.superseded_by !== null) deleteLink(db, supersedesLink(row.superseded_by, row.id));
}

export function supersedesLink(newer: number, older: number): Link {
  return {
    source: { type: "observation", id: `o${newer}` },
    target: { type: "observation", id: `o${older}` },
    relationship: "supersedes",
  };
}
