// Texts that repeat prompts and messages: a turn's response, a session's title, a subagent's report. Forgetting a
// prompt or message also clears a response, title or report with the same text.
import type { Db } from "../../store/db/driver.ts";
import { anyOf, raw, sql } from "../../store/db/sql.ts";

export interface DerivedText {
  /** Row id of the conversation; for a subagent, of its parent session. */
  session_db_id: number;
  session_id: string;
  text: string;
}

/** The titles and reports of these sessions. `own`: the session's id. A subagent's `session_id` is its parent's. */
export function titlesOf(db: Db, sessionIds: readonly string[]): (DerivedText & { own: string })[] {
  return db.all(sql`SELECT s.session_id AS own, coalesce(parent.session_id, s.session_id) AS session_id,
       coalesce(parent.id, s.id) AS session_db_id, t.value AS text
     FROM sessions s LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id,
       json_each(json_array(coalesce(s.agent_title, s.title), s.report)) t
     WHERE s.session_id IN ${anyOf(sessionIds)} AND t.value IS NOT NULL`);
}

/** The responses that ended these turns. */
export function responsesOf(
  db: Db,
  promptDbIds: readonly number[],
): (DerivedText & { id: number; prompt_number: number })[] {
  return db.all(sql`SELECT p.id, s.session_id, s.id AS session_db_id, p.response AS text, p.prompt_number
     FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE p.id IN ${anyOf(promptDbIds)} AND p.response IS NOT NULL`);
}

/** The prompts and messages of the conversation with exactly this text. */
export function rowsWithText(db: Db, { session_db_id, text }: DerivedText): Record<"prompts" | "messages", number[]> {
  const idsIn = (table: string): number[] => {
    return db.column<number>(sql`SELECT x.id FROM sessions s JOIN ${raw(table)} x ON x.session_db_id = s.id
      WHERE (s.id = ${session_db_id} OR s.parent_session_db_id = ${session_db_id}) AND x.text = ${text}`);
  };
  return { prompts: idsIn("prompts"), messages: idsIn("messages") };
}

/** Turns whose response is one of these messages. */
export function turnsEndingWith(db: Db, messageDbIds: Iterable<number>): number[] {
  return db.column(sql`SELECT p.id FROM messages m
      JOIN prompts p ON p.session_db_id = m.session_db_id AND p.prompt_number = m.prompt_number
    WHERE m.id IN ${anyOf(messageDbIds)} AND m.text <> '' AND p.response = m.text`);
}

export function clearResponses(db: Db, promptDbIds: readonly number[]): void {
  db.run(sql`UPDATE prompts SET response = NULL WHERE id IN ${anyOf(promptDbIds)}`);
}

export function clearTitles(db: Db, sessionIds: readonly string[]): void {
  db.run(sql`UPDATE sessions SET title = NULL, agent_title = NULL, report = NULL,
      subtitle = iif(parent_session_db_id IS NULL, NULL, subtitle)
     WHERE session_id IN ${anyOf(sessionIds)}`);
}
