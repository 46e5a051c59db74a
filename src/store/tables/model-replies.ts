// model_replies: replies that were paid for and are not saved as memory yet.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";

/** `reply` is any JSON value. */
export function insertReply(
  db: Db,
  { requestHash, sessionDbId, reply }: { requestHash: string; sessionDbId: number; reply: unknown },
  now: number,
): void {
  db.run(sql`INSERT OR REPLACE INTO model_replies (request_hash, session_db_id, reply, created_at)
    VALUES (${requestHash}, ${sessionDbId}, ${JSON.stringify(reply)}, ${now})`);
}

export function findReply(db: Db, requestHash: string): unknown {
  const reply = db.value<string>(sql`SELECT reply FROM model_replies WHERE request_hash = ${requestHash}`);
  return reply === undefined ? undefined : JSON.parse(reply);
}

export function deleteReply(db: Db, requestHash: string): void {
  db.run(sql`DELETE FROM model_replies WHERE request_hash = ${requestHash}`);
}

const KEEP_MS = 7 * 24 * 60 * 60_000;

/** Replies whose turns changed before they were saved. */
export function deleteOldReplies(db: Db, now: number): void {
  db.run(sql`DELETE FROM model_replies WHERE created_at < ${now - KEEP_MS}`);
}
