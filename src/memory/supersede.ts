// Of the observations on one subject the newest holds; the older ones say what replaced them, and when.
import type { Db } from "../store/db/driver.ts";
import { deleteLink, insertLink, type Link } from "../store/tables/links.ts";
import { setSuccessor, subjectChain } from "../store/tables/observations.ts";

/** Works on the whole chain of a subject, so that it does not matter in which order its parts were learnt of. */
export function settleSubjects(
  db: Db,
  projectId: number | undefined,
  subjects: ReadonlySet<string>,
  now: number,
): void {
  for (const subject of subjects) settle(db, projectId ?? null, subject, now);
}

function settle(db: Db, projectId: number | null, subject: string, now: number): void {
  const chain = subjectChain(db, projectId, subject);
  for (const [index, row] of chain.entries()) {
    const next = chain[index + 1];
    if (row.superseded_by === (next?.id ?? null) && row.valid_to === (next?.valid_from ?? null)) continue;
    dropSuccessor(db, row);
    setSuccessor(db, row.id, next && { id: next.id, at: next.valid_from });
    if (next !== undefined) insertLink(db, supersedes(next.id, row.id), now);
  }
}

export function dropSuccessor(db: Db, row: { id: number; superseded_by: number | null }): void {
  if (row.superseded_by !== null) deleteLink(db, supersedes(row.superseded_by, row.id));
}

export function supersedes(newer: number, older: number): Link {
  return {
    source: { type: "observation", id: `o${newer}` },
    target: { type: "observation", id: `o${older}` },
    relationship: "supersedes",
  };
}
