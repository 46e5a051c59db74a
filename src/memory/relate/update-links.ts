// Derives the links of sessions with stale links, oldest session first.
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

/** Sessions per transaction. Other processes can write between two transactions. */
const BATCH_SESSIONS = 20;
/** Each query for the oldest sessions reads all marks, so one query returns many. */
const MAX_LISTED = 1_000;
/** A command spends about this long on stale links. */
export const MAX_LINKS_MS = 1_000;

/** Stops after about `maxMs`; the other sessions stay marked. Returns how many sessions were updated. */
export function updateLinks(db: Db, { maxMs }: { maxMs: number }): number {
  const deadline = performance.now() + maxMs;
  let linked = 0;
  while (hasStaleLinks(db)) {
    const next = transaction(db, () => {
      markLaterThanStale(db);
      return staleLinks(db, MAX_LISTED);
    });
    // Only marks without a session remain.
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

/** Earlier sessions must be linked first, so that the same evidence always gives the same links. */
function linkSession(db: Db, sessionDbId: number): void {
  const session = sessionToLink(db, sessionDbId);
  if (session === undefined) return;
  const { named, branches, transcripts, sessionIds } = readSession(db, session);
  const earlier = earlierSessions(db, session, MAX_EARLIER);
  const paths = touchedPaths(db, session.id, MAX_PATHS);
  const similar = findSimilar(db, session, { earlier, paths, targets: named.map(({ target }) => target) });
  const continued = findContinued(db, session, { branches, transcripts, sessionIds, earlier, similar });
  const fixed = findFixed(db, session, { earlier, continued });
  // If the session's branch changed, later sessions were compared with the old one: link them again.
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
