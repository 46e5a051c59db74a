// Which session somebody means: its id or the beginning of it, "last", an item or an observation of it, or words from it.
import { AppError } from "../../core/error.ts";
import { oneLine } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { findItem, parseObservationId } from "../../store/reads/items.ts";
import { findObservation } from "../../store/reads/observation-list.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { listSessions, type SessionEntry, sessionsByIds, sessionsByPrefix } from "../../store/reads/session-list.ts";
import { findSessions } from "./find.ts";

export interface FoundSession {
  session: SessionEntry;
  /** Where an item was named: its id. */
  itemId?: string;
  /** Where an observation was: the turn it comes from. */
  promptNumber?: number;
}

const HINT = "`c-mem list` shows the sessions here, `c-mem list --all` those of every project.";

/** The scope is asked for only where it is needed: an id is found wherever one stands. */
export function resolveSession(
  db: Db,
  text: string,
  scope: () => Scope,
  options: { words?: boolean } = {},
): FoundSession {
  const name = text.trim();
  if (name === "") throw new AppError("usage", "An empty text names no session.", { hint: HINT });
  if (name === "last") {
    const [newest] = listSessions(db, scope(), 1);
    if (newest !== undefined) return { session: newest };
    throw new AppError("nothing_found", "There is no session here yet.", { hint: HINT });
  }
  const matches = /\s/.test(name) ? [] : sessionsByPrefix(db, name);
  if (matches.length === 1) return { session: matches[0] as SessionEntry };
  if (matches.length > 1) throw ambiguous(name, matches);
  const item = findItem(db, name);
  if (item !== undefined) return { session: sessionsByIds(db, [item.session_db_id])[0] as SessionEntry, itemId: name };
  const observation = parseObservationId(name);
  if (observation !== undefined) return sessionOf(db, observation);
  const found = options.words ? findSessionByWords(db, name, scope()) : undefined;
  if (found !== undefined) return { session: found };
  const what = options.words ? "is, or has the words of," : "begins with";
  throw new AppError("nothing_found", `No session ${what} "${oneLine(name, 80)}".`, { hint: HINT });
}

function sessionOf(db: Db, observation: number): FoundSession {
  const row = findObservation(db, observation);
  if (row === undefined)
    throw new AppError("nothing_found", `There is no observation o${observation}.`, { hint: HINT });
  const session = row.session_db_id === null ? undefined : sessionsByIds(db, [row.session_db_id])[0];
  if (session !== undefined) return { session, ...(row.prompt_number !== null && { promptNumber: row.prompt_number }) };
  throw new AppError("nothing_found", `o${observation} comes from no session.`, {
    hint: `\`c-mem show o${observation}\` has what is known of it.`,
  });
}

/** The session that fits the words best. */
export function findSessionByWords(db: Db, text: string, scope: Scope): SessionEntry | undefined {
  updateSearchIndex(db);
  return findSessions(db, text, { scope, limit: 1 }).findings[0]?.session;
}

function ambiguous(prefix: string, matches: readonly SessionEntry[]): AppError {
  const lines = matches.map(
    (entry) => `  ${entry.session_id}  ${oneLine(entry.title ?? entry.subtitle ?? "(untitled)", 80)}`,
  );
  return new AppError("usage", `More than one session begins with "${prefix}":\n${lines.join("\n")}`, {
    hint: "Give a few more characters of the id.",
  });
}
