// Makes all links of one session from evidence: what it points at, what it goes on with, whose error it ended, what it resembles.
import type { Db } from "../../store/db/driver.ts";
import {
  branchesOf,
  earlierSessions,
  type LinkedSession,
  sessionToLink,
  touchedPaths,
} from "../../store/reads/link-evidence.ts";
import { deleteSessionLinks, insertLink, type Link } from "../../store/tables/links.ts";
import { markLaterSessions } from "../../store/tables/stale-links.ts";
import { continuedBy, resembling } from "./continued.ts";
import { fixedBy } from "./fixed.ts";
import { findLikely } from "./likely.ts";
import { readSession } from "./read-session.ts";

const MAX_PATHS = 120;
const MAX_EARLIER = 1_000;

/** To be called inside a transaction, oldest session first. The same evidence gives the same links. */
export function linkSession(db: Db, sessionDbId: number): void {
  const session = sessionToLink(db, sessionDbId);
  if (session === undefined) return;
  const said = readSession(db, session);
  const earlier = earlierSessions(db, session, MAX_EARLIER);
  const likely = findLikely(db, session, {
    earlier,
    paths: touchedPaths(db, session.id, MAX_PATHS),
    targets: said.named.map(({ target }) => target),
  });
  const continued = continuedBy(db, session, { said, earlier, likely });
  const fixed = fixedBy(db, session, { earlier, continued });
  const resembled = resembling(likely).filter(({ id }) => !continued.has(id));
  if (hasMoved(db, session, said.branches)) markLaterSessions(db, session.id);
  deleteSessionLinks(db, session.session_id);
  const source = { type: "session", id: session.session_id } as const;
  for (const { target, relationship, at } of said.named) insertLink(db, { source, target, relationship }, at);
  const link = (id: string, weight: number, relationship: Link["relationship"]): void =>
    insertLink(db, { source, target: { type: "session", id }, relationship, weight }, session.started_at);
  for (const [id, weight] of continued) link(id, weight, "continues");
  for (const [id, weight] of fixed) link(id, weight, "fixes");
  for (const { id, weight } of resembled) link(id, weight, "related_to");
}

/** Its branch is the one it was on last: those that began meanwhile were compared with another. */
function hasMoved(db: Db, session: LinkedSession, branches: ReadonlySet<string>): boolean {
  const before = branchesOf(db, session.session_id);
  return before.some((branch) => !branches.has(branch));
}
