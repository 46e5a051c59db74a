// What tells of a session's items beside them: the last words of a turn, what the session is called, what a subagent
// reported. Forgotten with them, where it is the same.
import type { Db } from "../../store/db/driver.ts";

export interface Told {
  /** The conversation. */
  session_db_id: number;
  session_id: string;
  text: string;
}

const MAIN = "coalesce(parent.session_id, s.session_id) AS session_id, coalesce(parent.id, s.id) AS session_db_id";

/** What agents called these sessions and what came back from subagents. */
export function namesOf(db: Db, sessionIds: readonly string[]): Told[] {
  return db.all(
    `SELECT ${MAIN}, t.value AS text
     FROM sessions s LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id,
       json_each(json_array(coalesce(s.agent_title, s.title), s.report)) t
     WHERE s.session_id IN (SELECT value FROM json_each(?)) AND t.value IS NOT NULL`,
    JSON.stringify(sessionIds),
  );
}

/** The last words of these turns. */
export function responsesOf(db: Db, promptDbIds: readonly number[]): (Told & { prompt_number: number })[] {
  return db.all(
    `SELECT s.session_id, s.id AS session_db_id, p.response AS text, p.prompt_number
     FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE p.id IN (SELECT value FROM json_each(?)) AND p.response IS NOT NULL`,
    JSON.stringify(promptDbIds),
  );
}

/** The row ids of what a conversation's prompts and messages say in just these words. */
export function rowsWithText(db: Db, { session_db_id, text }: Told): { prompts: number[]; messages: number[] } {
  const idsIn = (table: "prompts" | "messages"): number[] =>
    db
      .all<{ id: number }>(
        `SELECT x.id FROM sessions s JOIN ${table} x ON x.session_db_id = s.id
         WHERE (s.id = ?1 OR s.parent_session_db_id = ?1) AND x.text = ?2`,
        session_db_id,
        text,
      )
      .map((row) => row.id);
  return { prompts: idsIn("prompts"), messages: idsIn("messages") };
}

/** Turns that ended with one of these messages. */
export function endedWith(db: Db, messageDbIds: readonly number[]): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT p.id FROM messages m JOIN prompts p ON p.session_db_id = m.session_db_id AND p.prompt_number = m.prompt_number
     WHERE m.id IN (SELECT value FROM json_each(?)) AND m.text <> '' AND p.response = m.text`,
    JSON.stringify(messageDbIds),
  );
  return rows.map((row) => row.id);
}

export function clearResponses(db: Db, promptDbIds: readonly number[]): void {
  db.run(
    "UPDATE prompts SET response = NULL WHERE id IN (SELECT value FROM json_each(?))",
    JSON.stringify(promptDbIds),
  );
}

export function clearNames(db: Db, sessionIds: readonly string[]): void {
  db.run(
    `UPDATE sessions SET title = NULL, subtitle = iif(parent_session_db_id IS NULL, NULL, subtitle), agent_title = NULL, report = NULL
     WHERE session_id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(sessionIds),
  );
}
