// Brings links up to their evidence: every session that is marked, oldest first, so that none is looked at twice.
import type { Db } from "../../store/db/driver.ts";
import { clearStaleLinks, hasStaleLinks, spreadStaleLinks, staleLinks } from "../../store/tables/stale-links.ts";
import { transaction } from "../../store/db/transaction.ts";
import { linkSession } from "./link-session.ts";

/** Sessions per transaction: others get to write in between. */
const BATCH = 20;
/** To find the oldest, all that are marked are looked at: seldom, where a whole history is. */
const LISTED = 1_000;
/** Who asks for something waits no longer than this for links that are not made yet. */
export const MAX_LINKS_MS = 1_000;

/** Works for about this long at the most; what is left stays marked. Returns how many sessions were linked. */
export function updateLinks(db: Db, { maxMs }: { maxMs: number }): number {
  const deadline = performance.now() + maxMs;
  let linked = 0;
  while (hasStaleLinks(db)) {
    const next = transaction(db, () => {
      spreadStaleLinks(db);
      return staleLinks(db, LISTED);
    });
    // Whatever is marked and no session: nobody waits for it.
    if (next.length === 0) break;
    while (next.length > 0) {
      const batch = next.splice(0, BATCH);
      transaction(db, () => linkAll(db, batch));
      linked += batch.length;
      if (performance.now() >= deadline) return linked;
    }
  }
  return linked;
}

function linkAll(db: Db, sessionDbIds: readonly number[]): void {
  for (const id of sessionDbIds) {
    linkSession(db, id);
    clearStaleLinks(db, id);
  }
}
