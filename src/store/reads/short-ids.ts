// Short session ids for display: the shortest beginning of an id, from 8 characters on, that no other session has.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";

export type ShortId = (sessionId: string) => string;

const MIN_CHARS = 8;
/** All ids of Claude Code subagents (agent-) and of OpenCode sessions (ses_) begin like this. */
const COMMON_PREFIX = /^(?:agent-)?(?:ses_)?/;

interface Neighbours {
  id: string;
  before: string | null;
  after: string | null;
}

/** Shortens a list of ids with one query. The returned function returns ids that are not in the list unchanged. */
export function shortIds(db: Db, sessionIds: Iterable<string | null | undefined>): ShortId {
  const ids = [...new Set(sessionIds)].filter((id) => typeof id === "string");
  const rows = db.all<Neighbours>(sql`SELECT value AS id,
       (SELECT max(session_id) FROM sessions WHERE session_id < value) AS before,
       (SELECT min(session_id) FROM sessions WHERE session_id > value) AS after
     FROM json_each(${ids})`);
  const short = new Map(rows.map((row) => [row.id, shorten(row)]));
  return (id) => short.get(id) ?? id;
}

export function shortId(db: Db, sessionId: string): string {
  return shortIds(db, [sessionId])(sessionId);
}

/** Compares only with the neighbours in sorted order: no other id shares a longer beginning. */
function shorten({ id, before, after }: Neighbours): string {
  const letters = [...id];
  const shared = Math.max(sharedLetters(letters, before), sharedLetters(letters, after));
  const minChars = (COMMON_PREFIX.exec(id)?.[0].length ?? 0) + MIN_CHARS;
  return letters.slice(0, Math.max(minChars, shared + 1)).join("");
}

function sharedLetters(letters: readonly string[], other: string | null): number {
  if (other === null) return 0;
  const others = [...other];
  const differs = letters.findIndex((letter, index) => letter !== others[index]);
  return differs === -1 ? letters.length : differs;
}
