// Finds a session by id or its beginning, by "last", by the id of one of its items or observations, or by words.
import { AppError } from "../../core/error.ts";
import { oneLine } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { findItem, parseObservationId } from "../../store/reads/items.ts";
import { findObservation } from "../../store/reads/observation-list.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { listSessions, type SessionEntry, sessionsByIds, sessionsByPrefix } from "../../store/reads/session-list.ts";
import { findSessions } from "./find-sessions.ts";

export interface FoundSession {
  session: SessionEntry;
  /** Set if the text is the id of an item. */
  itemId?: string;
  /** The turn of the observation, if the text is the id of an observation. */
  promptNumber?: number;
}

const HINT = "`c-mem list` shows the sessions here, `c-mem list --all` those of every project.";

/** Ids are looked up in all projects; `scope` applies only to "last" and to words. */
export function resolveSession(
  db: Db,
  text: string,
  scope: () => Scope,
  options: { words?: boolean } = {},
): FoundSession {
  const name = text.trim();
  if (name === "") throw new AppError("usage", "The session id is empty.", { hint: HINT });
  if (name === "last") {
    const [session] = listSessions(db, scope(), 1);
    if (session === undefined) throw new AppError("nothing_found", "No sessions here yet.", { hint: HINT });
    return { session };
  }
  const [session, ...others] = /\s/.test(name) ? [] : sessionsByPrefix(db, name);
  if (session !== undefined && others.length > 0) {
    const lines = [session, ...others].map(
      ({ session_id, title, subtitle }) => `  ${session_id}  ${oneLine(title ?? subtitle ?? "(untitled)", 80)}`,
    );
    throw new AppError("usage", `More than one session begins with "${name}":\n${lines.join("\n")}`, {
      hint: "Give a few more characters of the id.",
    });
  }
  if (session !== undefined) return { session };
  const item = findItem(db, name);
  if (item !== undefined) return { session: sessionsByIds(db, [item.session_db_id])[0] as SessionEntry, itemId: name };
  const observationId = parseObservationId(name);
  if (observationId !== undefined) return sessionOfObservation(db, observationId);
  const found = options.words ? findSessionByWords(db, name, scope()) : undefined;
  if (found !== undefined) return { session: found };
  const matches = options.words ? "matches" : "has an id that begins with";
  throw new AppError("nothing_found", `No session ${matches} "${oneLine(name, 80)}".`, { hint: HINT });
}

function sessionOfObservation(db: Db, id: number): FoundSession {
  const row = findObservation(db, id);
  if (row === undefined) throw new AppError("nothing_found", `There is no observation o${id}.`, { hint: HINT });
  const [session] = row.session_db_id === null ? [] : sessionsByIds(db, [row.session_db_id]);
  if (session !== undefined) return { session, ...(row.prompt_number !== null && { promptNumber: row.prompt_number }) };
  throw new AppError("nothing_found", `Observation o${id} was added by hand: it has no session.`, {
    hint: `\`c-mem show o${id}\` shows the observation.`,
  });
}

/** The best match. */
export function findSessionByWords(db: Db, text: string, scope: Scope): SessionEntry | undefined {
  updateSearchIndex(db);
  return findSessions(db, text, { scope, limit: 1 }).findings[0]?.session;
}
