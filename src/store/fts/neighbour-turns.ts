// What was said in the turns beside a turn: a short one is found by it, too.
import { BESIDE_CHARS, BESIDE_TURNS, type TurnColumns } from "../../core/index-text.ts";
import type { Db } from "../db/driver.ts";

/** The nearest first, of two as near the earlier; nothing where the turn is long enough to speak for itself. */
export function textsBeside(
  db: Db,
  sessionDbId: number,
  promptNumber: number,
  { prompt, answer }: TurnColumns,
): string[] {
  if (prompt.length + answer.length >= BESIDE_CHARS) return [];
  const numbers = Array.from({ length: BESIDE_TURNS }, (_, index) => [
    promptNumber - index - 1,
    promptNumber + index + 1,
  ]).flat();
  return numbers.map((number) => talkOf(db, sessionDbId, number)).filter((text) => text !== "");
}

/** The beginning of what was said in a turn. */
function talkOf(db: Db, sessionDbId: number, promptNumber: number): string {
  const prompt = db.get<{ text: string; response: string }>(
    `SELECT substr(text, 1, ${BESIDE_CHARS}) AS text, substr(coalesce(response, ''), 1, ${BESIDE_CHARS}) AS response
     FROM prompts WHERE session_db_id = ? AND prompt_number = ?`,
    sessionDbId,
    promptNumber,
  );
  if (prompt === undefined) return "";
  const answers = db.all<{ text: string }>(
    `SELECT substr(text, 1, ${BESIDE_CHARS}) AS text FROM messages
     WHERE session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1) AND prompt_number = ?2
     ORDER BY created_at, id LIMIT 10`,
    sessionDbId,
    promptNumber,
  );
  const said = answers.length > 0 ? answers.map(({ text }) => text) : [prompt.response];
  return [prompt.text, ...said].join("\n").slice(0, BESIDE_CHARS);
}

/** The rows beside a turn that has changed are made anew; those that wait anyway are left to that. */
export function markBeside(db: Db, sessionDbId: number, promptNumber: number): void {
  db.run(
    `INSERT OR IGNORE INTO stale_beside SELECT id FROM prompts
     WHERE session_db_id = ? AND prompt_number BETWEEN ? AND ? AND id NOT IN (SELECT prompt_db_id FROM stale_turns)`,
    sessionDbId,
    promptNumber - BESIDE_TURNS,
    promptNumber + BESIDE_TURNS,
  );
}
