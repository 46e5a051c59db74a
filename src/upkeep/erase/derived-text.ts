// Text that repeats a session's prompts and messages: a turn's response, a session's title, a subagent's report.
// Forgetting deletes it where it has the same words.
import type { Db } from "../../store/db/driver.ts";

export interface DerivedText {
  /** The conversation. */
  session_db_id: number;
  session_id: string;
  text: string;
}

/** The titles and reports of these sessions; `own` is the session's id, which for a subagent is not its conversation's. */
export function namesOf(db: Db, sessionIds: readonly string[]): (DerivedText & { own: string })[] {
  return db.all(
    `SELECT s.session_id AS own, coalesce(parent.session_id, s.session_id) AS session_id,
       coalesce(parent.id, s.id) AS session_db_id, t.value AS text
     FROM sessions s LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id,
       json_each(json_array(coalesce(s.agent_title, s.title), s.report)) t
     WHERE s.session_id IN (SELECT value FROM json_each(?)) AND t.value IS NOT NULL`,
    JSON.stringify(sessionIds),
  );
}

/** The responses that ended these turns. */
export function responsesOf(
  db: Db,
  promptDbIds: readonly number[],
): (DerivedText & { id: number; prompt_number: number })[] {
  return db.all(
    `SELECT p.id, s.session_id, s.id AS session_db_id, p.response AS text, p.prompt_number
     FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE p.id IN (SELECT value FROM json_each(?)) AND p.response IS NOT NULL`,
    JSON.stringify(promptDbIds),
  );
}

/** The prompts and messages of the conversation with exactly this text. */
export function rowsWithText(db: Db, { session_db_id, text }: DerivedText): Record<"prompts" | "messages", number[]> {
  const idsIn = (table: string): number[] => {
    const sql = `SELECT x.id FROM sessions s JOIN ${table} x ON x.session_db_id = s.id
      WHERE (s.id = ?1 OR s.parent_session_db_id = ?1) AND x.text = ?2`;
    return db.all<{ id: number }>(sql, session_db_id, text).map((row) => row.id);
  };
  return { prompts: idsIn("prompts"), messages: idsIn("messages") };
}

/** Turns whose response is one of these messages. */
export function turnsEndingWith(db: Db, messageDbIds: Iterable<number>): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT p.id FROM messages m JOIN prompts p ON p.session_db_id = m.session_db_id AND p.prompt_number = m.prompt_number
     WHERE m.id IN (SELECT value FROM json_each(?)) AND m.text <> '' AND p.response = m.text`,
    JSON.stringify([...messageDbIds]),
  );
  return rows.map((row) => row.id);
}

export function clearResponses(db: Db, promptDbIds: readonly number[]): void {
  const sql = "UPDATE prompts SET response = NULL WHERE id IN (SELECT value FROM json_each(?))";
  db.run(sql, JSON.stringify(promptDbIds));
}

export function clearNames(db: Db, sessionIds: readonly string[]): void {
  db.run(
    `UPDATE sessions SET title = NULL, subtitle = iif(parent_session_db_id IS NULL, NULL, subtitle), agent_title = NULL, report = NULL
     WHERE session_id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(sessionIds),
  );
}
