// tombstones: what was forgotten, by hashes that say nothing of what it was. Whatever brings it again is turned away.
import { sha256 } from "../../platform/crypto.ts";
import type { Db } from "../db/driver.ts";

/**
 * "prompt", "message" and "tool-use" go by the agent's own ids, "observation" by its content; "moment" is a prompt by its
 * words and when they were typed, for where one lane knows the id and the other does not; "text" is the same words said in
 * another place (a response, a title). "part" says that something of the session is gone, so that others need no second look.
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

/** One look at an empty table is all that capture pays where nothing was ever forgotten. */
export function hasTombstones(db: Db): boolean {
  return db.get("SELECT 1 FROM tombstones LIMIT 1") !== undefined;
}

export function hasTombstone(db: Db, { kind, hash }: Tombstone): boolean {
  return db.get("SELECT 1 FROM tombstones WHERE kind = ? AND hash = ?", kind, hash) !== undefined;
}

export function allTombstones(db: Db): Tombstone[] {
  return db.all("SELECT kind, hash FROM tombstones");
}

/** False if it was there. */
export function insertTombstone(db: Db, { kind, hash }: Tombstone, at: number): boolean {
  const sql = "INSERT OR IGNORE INTO tombstones (kind, hash, created_at) VALUES (?, ?, ?)";
  return db.run(sql, kind, hash, at).changes === 1;
}

export function deleteTombstone(db: Db, kind: TombstoneKind, hash: string): void {
  db.run("DELETE FROM tombstones WHERE kind = ? AND hash = ?", kind, hash);
}

/** Of something in a session; its id, like every session's, cannot be guessed. */
export function tombstoneOf(kind: Exclude<TombstoneKind, "observation">, sessionId: string, key = ""): Tombstone {
  return { kind, hash: sha256(JSON.stringify([kind, sessionId, key])) };
}

/** Two lanes report one prompt within a moment of each other. */
const MOMENT_MS = 10_000;

export function momentOf(sessionId: string, text: string, at: number, shift = 0): Tombstone {
  return tombstoneOf("moment", sessionId, `${Math.floor(at / MOMENT_MS) + shift} ${text}`);
}
