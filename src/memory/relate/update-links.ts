// Updates the links of sessions marked as stale, oldest first: mentions, continues, fixes, related_to.
import type { Db } from "../../store/db/driver.ts";
import { transaction } from "../../store/db/transaction.ts";
import { earlierSessions, sessionToLink, touchedPaths } from "../../store/reads/link-evidence.ts";
import { branchesOf, deleteLinksFrom, insertLink, type Link } from "../../store/tables/links.ts";
import {
  clearStaleLinks,
  hasStaleLinks,
  markLaterLinksStale,
  markLaterThanStale,
  staleLinks,
} from "../../store/tables/stale-links.ts";
import { findContinued, mostSimilar } from "./continued-sessions.ts";
import { findFixed } from "./fixed-errors.ts";
import { readSession } from "./read-session.ts";
import { findSimilar } from "./similar-sessions.ts";

/** Sessions per transaction: other processes write in between. */
const BATCH_SESSIONS = 20;
/** Finding the oldest reads all marks, so many are taken at once. */
const MAX_LISTED = 1_000;
/** A command waits no longer than this for missing links. */
export const MAX_LINKS_MS = 1_000;

/** Stops after about `maxMs`; the rest stays marked. Returns how many sessions were linked. */
export function updateLinks(db: Db, { maxMs }: { maxMs: number }): number {
  const deadline = performance.now() + maxMs;
  let linked = 0;
  while (hasStaleLinks(db)) {
    const next = transaction(db, () => {
      markLaterThanStale(db);
      return staleLinks(db, MAX_LISTED);
    });
    // Marks without a session.
    if (next.length === 0) break;
    while (next.length > 0) {
      const batch = next.splice(0, BATCH_SESSIONS);
      transaction(db, () => {
        for (const id of batch) {
          linkSession(db, id);
          clearStaleLinks(db, id);
        }
      });
      linked += batch.length;
      if (performance.now() >= deadline) return linked;
    }
  }
  return linked;
}

const MAX_PATHS = 120;
const MAX_EARLIER = 1_000;

/** The same evidence gives the same links, as long as earlier sessions are linked first. */
function linkSession(db: Db, sessionDbId: number): void {
  const session = sessionToLink(db, sessionDbId);
  if (session === undefined) return;
  const { named, branches, transcripts, sessionIds } = readSession(db, session);
  const earlier = earlierSessions(db, session, MAX_EARLIER);
  const paths = touchedPaths(db, session.id, MAX_PATHS);
  const similar = findSimilar(db, session, { earlier, paths, targets: named.map(({ target }) => target) });
  const continued = findContinued(db, session, { branches, transcripts, sessionIds, earlier, similar });
  const fixed = findFixed(db, session, { earlier, continued });
  // A session is known by its last branch: later ones were compared with the branch before.
  if (branchesOf(db, [session.session_id]).some((branch) => !branches.has(branch))) markLaterLinksStale(db, session.id);
  deleteLinksFrom(db, { type: "session", id: session.session_id });
  const source = { type: "session", id: session.session_id } as const;
  for (const { target, relationship, at } of named) insertLink(db, { source, target, relationship }, at);
  const link = (weights: Iterable<[string, number]>, relationship: Link["relationship"]): void => {
    for (const [id, weight] of weights) {
      insertLink(db, { source, target: { type: "session", id }, relationship, weight }, session.started_at);
    }
  };
  link(continued, "continues");
  link(fixed, "fixes");
  link(
    mostSimilar(similar).filter(([id]) => !continued.has(id)),
    "related_to",
  );
}
