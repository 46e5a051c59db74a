// Brings links up to their evidence: every session that is marked, oldest first, so that none is looked at twice.
import type { Db } from "../../store/driver.ts";
import { clearStaleLinks, hasStaleLinks, spreadStaleLinks, staleLinks } from "../../store/stale-links.ts";
import { transaction } from "../../store/transaction.ts";
import { linkSession } from "./link-session.ts";

/** Sessions per transaction: others get to write in between. */
const BATCH = 20;
/** Who asks for something waits no longer than this for links that are not made yet. */
export const MAX_LINKS_MS = 1_000;

/** Works for about this long at the most; what is left stays marked. Returns how many sessions were linked. */
export function updateLinks(db: Db, { maxMs }: { maxMs: number }): number {
  const deadline = performance.now() + maxMs;
  let linked = 0;
  while (hasStaleLinks(db)) {
    linked += transaction(db, () => linkNext(db));
    if (performance.now() >= deadline) break;
  }
  return linked;
}

function linkNext(db: Db): number {
  spreadStaleLinks(db);
  const next = staleLinks(db, BATCH);
  for (const id of next) {
    linkSession(db, id);
    clearStaleLinks(db, id);
  }
  return next.length;
}
