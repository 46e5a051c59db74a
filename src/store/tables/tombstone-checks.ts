// Whether tombstones tell of a session or a prompt.
import type { Db } from "../db/driver.ts";
import { originsOf } from "./sessions.ts";
import { hasTombstones, hasTombstone, momentOf, type Tombstone, tombstoneOf } from "./tombstones.ts";

export function isForgottenSession(db: Db, sessionId: string): boolean {
  return hasTombstone(db, ofSession("session", sessionId));
}

/** The same few sessions stand in every event: each is hashed once. */
const hashed = new Map<string, Tombstone>();
const MAX_HASHED = 1_000;

function ofSession(kind: "session" | "part", sessionId: string): Tombstone {
  const key = `${kind} ${sessionId}`;
  const known = hashed.get(key);
  if (known !== undefined) return known;
  if (hashed.size >= MAX_HASHED) hashed.clear();
  const tombstone = tombstoneOf(kind, sessionId);
  hashed.set(key, tombstone);
  return tombstone;
}

/** Something of the session was forgotten, or all of it. */
export function hasForgottenParts(db: Db, sessionId: string): boolean {
  if (!hasTombstones(db)) return false;
  return hasTombstone(db, ofSession("part", sessionId)) || isForgottenSession(db, sessionId);
}

/** Of a session, or of one that its history was copied from: its transcript says that as well. */
export function namesForgotten(db: Db, sessionId: string): boolean {
  return hasTombstones(db) && originsOf(db, sessionId).some((id) => hasForgottenParts(db, id));
}

/** The same id with other words at another time is another prompt: a command may carry the id of the one before it. */
export function isForgottenPrompt(
  db: Db,
  sessionId: string,
  { promptId, text }: { promptId?: string | undefined; text: string },
  at: number,
): boolean {
  if (hasTombstone(db, momentOf(sessionId, text, at))) return true;
  if (promptId === undefined) return false;
  if (hasTombstone(db, tombstoneOf("prompt", sessionId, `${promptId}@${at}`))) return true;
  return (
    hasTombstone(db, tombstoneOf("prompt", sessionId, promptId)) &&
    hasTombstone(db, tombstoneOf("text", sessionId, text))
  );
}
