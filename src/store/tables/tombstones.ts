// tombstones: hashes of forgotten items. Capture and import skip an item that matches a tombstone.
import { cached } from "../../core/cached.ts";
import { sha256 } from "../../platform/crypto.ts";
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { withForkSources } from "./sessions.ts";

/**
 * What the hash of each kind is made from:
 * - prompt, message, tool-use: the id that the agent gave it
 * - observation: its content
 * - moment: text and time of a prompt, because the id may be known only to the hook or only to the transcript
 * - text: a forgotten text that may also be stored elsewhere (a response, a title)
 * - session: the session's id
 * - commit: the first 7 characters of a commit's hash, because git may have printed a short one
 * - prompt, message, tool-use, of any session: a long id alone. Transcripts under other session ids repeat it.
 * - part: the session's id. Exists if a part of the session was forgotten; other sessions need no further checks.
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
  "commit",
] as const;
export type TombstoneKind = (typeof TOMBSTONE_KINDS)[number];

export interface Tombstone {
  kind: TombstoneKind;
  hash: string;
}

/** A quick check, so that capture needs no other one if nothing was ever forgotten. */
export function hasTombstones(db: Db): boolean {
  return db.has(sql`SELECT 1 FROM tombstones LIMIT 1`);
}

export function hasTombstone(db: Db, { kind, hash }: Tombstone): boolean {
  return db.has(sql`SELECT 1 FROM tombstones WHERE kind = ${kind} AND hash = ${hash}`);
}

export function allTombstones(db: Db): Tombstone[] {
  return db.all(sql`SELECT kind, hash FROM tombstones`);
}

/** False if the tombstone existed already. */
export function insertTombstone(db: Db, { kind, hash }: Tombstone, at: number): boolean {
  const { changes } = db.run(
    sql`INSERT OR IGNORE INTO tombstones (kind, hash, created_at) VALUES (${kind}, ${hash}, ${at})`,
  );
  return changes === 1;
}

export function deleteTombstone(db: Db, kind: TombstoneKind, hash: string): void {
  db.run(sql`DELETE FROM tombstones WHERE kind = ${kind} AND hash = ${hash}`);
}

/** The session's id, which cannot be guessed, is part of the hash. Hashing guessed texts finds no forgotten ones. */
export function tombstoneOf(kind: Exclude<TombstoneKind, "observation">, sessionId: string, key = ""): Tombstone {
  return { kind, hash: sha256(JSON.stringify([kind, sessionId, key])) };
}

/** Shorter ids, such as line numbers, are used in several sessions. */
const MIN_ID_CHARS = 16;

/** Identifies the copies of an item in other sessions. Undefined if its id does not. */
export function copyTombstone(kind: "prompt" | "message" | "tool-use", key: string): Tombstone | undefined {
  return key.length < MIN_ID_CHARS ? undefined : tombstoneOf(kind, key);
}

/** Whether the item with this id was forgotten in the session that it was copied from. */
export function isForgottenCopy(db: Db, kind: "prompt" | "message" | "tool-use", key: string | undefined): boolean {
  const tombstone = key === undefined ? undefined : copyTombstone(kind, key);
  return tombstone !== undefined && hasTombstone(db, tombstone);
}

/** Hooks and the transcript report the same prompt within this time. */
const MOMENT_MS = 10_000;

export function momentTombstone(sessionId: string, text: string, at: number, shift = 0): Tombstone {
  return tombstoneOf("moment", sessionId, `${Math.floor(at / MOMENT_MS) + shift} ${text}`);
}

export function isForgottenSession(db: Db, sessionId: string): boolean {
  return hasTombstone(db, ofSession("session", sessionId));
}

/** Caches the hashes of sessions: every event of a session needs the same ones. */
const sessionTombstones = new Map<string, Tombstone>();
const MAX_CACHED = 1_000;

function ofSession(kind: "session" | "part", sessionId: string): Tombstone {
  if (sessionTombstones.size >= MAX_CACHED) sessionTombstones.clear();
  return cached(sessionTombstones, `${kind} ${sessionId}`, () => tombstoneOf(kind, sessionId));
}

/** Whether the session or a part of it was forgotten. */
export function hasForgottenParts(db: Db, sessionId: string): boolean {
  if (!hasTombstones(db)) return false;
  return hasTombstone(db, ofSession("part", sessionId)) || isForgottenSession(db, sessionId);
}

/** Like hasForgottenParts, but also true for a fork of such a session: its transcript repeats the forgotten parts. */
export function hasForgottenHistory(db: Db, sessionId: string): boolean {
  return hasTombstones(db) && withForkSources(db, sessionId).some((id) => hasForgottenParts(db, id));
}

/** Compares more than the id: a command may have the id of the prompt before it, but has another text and time. */
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

const SHORTEST_SHA = 7;

/** Of a commit that was linked to a session: by its hash, and by its subject, which an amended or rebased one keeps. */
export function commitTombstones(commit: { session_id: string; sha: string; subject: string }): Tombstone[] {
  const { session_id: sessionId, sha, subject } = commit;
  return [tombstoneOf("commit", sessionId, sha.slice(0, SHORTEST_SHA)), tombstoneOf("text", sessionId, subject)];
}
