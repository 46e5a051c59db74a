// tombstones: hashes of what was forgotten. Capture and import skip what matches one.
import { cached } from "../../core/cached.ts";
import { sha256 } from "../../platform/crypto.ts";
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { withForkSources } from "./sessions.ts";

/**
 * "prompt", "message" and "tool-use" hash the agent's own ids, "observation" its content. "moment" hashes a prompt's text
 * and time, for when only one of hooks and transcript knows the id. "text" is the same text in another place (a response, a
 * title). "part": something of the session was forgotten; sessions without it need no further check.
 */
export const TOMBSTONE_KINDS = [
  "session",
  "part",
  "prompt",
  "moment",
  "message",
  "tool-use",
  "text",
  "observation",
] as const;
export type TombstoneKind = (typeof TOMBSTONE_KINDS)[number];

export interface Tombstone {
  kind: TombstoneKind;
  hash: string;
}

/** While nothing was ever forgotten, this query of an empty table is all that capture pays. */
export function hasTombstones(db: Db): boolean {
  return db.has(sql`SELECT 1 FROM tombstones LIMIT 1`);
}

export function hasTombstone(db: Db, { kind, hash }: Tombstone): boolean {
  return db.has(sql`SELECT 1 FROM tombstones WHERE kind = ${kind} AND hash = ${hash}`);
}

export function allTombstones(db: Db): Tombstone[] {
  return db.all(sql`SELECT kind, hash FROM tombstones`);
}

/** False if it was there. */
export function insertTombstone(db: Db, { kind, hash }: Tombstone, at: number): boolean {
  const { changes } = db.run(
    sql`INSERT OR IGNORE INTO tombstones (kind, hash, created_at) VALUES (${kind}, ${hash}, ${at})`,
  );
  return changes === 1;
}

export function deleteTombstone(db: Db, kind: TombstoneKind, hash: string): void {
  db.run(sql`DELETE FROM tombstones WHERE kind = ${kind} AND hash = ${hash}`);
}

/** The session's id, which cannot be guessed, is part of the hash. */
export function tombstoneOf(kind: Exclude<TombstoneKind, "observation">, sessionId: string, key = ""): Tombstone {
  return { kind, hash: sha256(JSON.stringify([kind, sessionId, key])) };
}

/** Hooks and transcript report one prompt within this time of each other. */
const MOMENT_MS = 10_000;

export function momentTombstone(sessionId: string, text: string, at: number, shift = 0): Tombstone {
  return tombstoneOf("moment", sessionId, `${Math.floor(at / MOMENT_MS) + shift} ${text}`);
}

export function isForgottenSession(db: Db, sessionId: string): boolean {
  return hasTombstone(db, ofSession("session", sessionId));
}

/** A cache: every event of a session needs the same hash. */
const hashed = new Map<string, Tombstone>();
const MAX_HASHED = 1_000;

function ofSession(kind: "session" | "part", sessionId: string): Tombstone {
  if (hashed.size >= MAX_HASHED) hashed.clear();
  return cached(hashed, `${kind} ${sessionId}`, () => tombstoneOf(kind, sessionId));
}

/** Something of the session was forgotten, or all of it. */
export function hasForgottenParts(db: Db, sessionId: string): boolean {
  if (!hasTombstones(db)) return false;
  return hasTombstone(db, ofSession("part", sessionId)) || isForgottenSession(db, sessionId);
}

/** Like hasForgottenParts, also for a fork of such a session: its transcript repeats the forgotten parts. */
export function hasForgottenHistory(db: Db, sessionId: string): boolean {
  return hasTombstones(db) && withForkSources(db, sessionId).some((id) => hasForgottenParts(db, id));
}

/** A prompt with the same id but another text and time is another prompt: a command may carry the id of the prompt before it. */
export function isForgottenPrompt(
  db: Db,
  sessionId: string,
  { promptId, text }: { promptId?: string | undefined; text: string },
  at: number,
): boolean {
  if (hasTombstone(db, momentTombstone(sessionId, text, at))) return true;
  if (promptId === undefined) return false;
  if (hasTombstone(db, tombstoneOf("prompt", sessionId, `${promptId}@${at}`))) return true;
  return (
    hasTombstone(db, tombstoneOf("prompt", sessionId, promptId)) &&
    hasTombstone(db, tombstoneOf("text", sessionId, text))
  );
}
