// What a conversation said and did, by time: to see what became of the memory it was shown.
import type { Db } from "../db/driver.ts";

export interface Aftermath {
  /** The assistant's words, and what tools were called with. */
  said: { text: string; at: number }[];
  touches: { path: string; at: number }[];
  commands: { command: string; at: number }[];
}

const OF_SESSION = "session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)";
/** Of a long input the head says what it was about. */
const INPUT_CHARS = 4_000;

export function aftermathOf(db: Db, sessionDbId: number): Aftermath {
  return {
    said: db.all(
      `SELECT text, created_at AS at FROM messages WHERE ${OF_SESSION} AND role = 'assistant'
       UNION ALL SELECT substr(input, 1, ${INPUT_CHARS}), created_at FROM tool_uses WHERE ${OF_SESSION}
       UNION ALL SELECT response, coalesce(ended_at, created_at) FROM prompts WHERE session_db_id = ?1 AND response IS NOT NULL`,
      sessionDbId,
    ),
    touches: db.all(`SELECT path, created_at AS at FROM file_touches WHERE ${OF_SESSION}`, sessionDbId),
    commands: db.all(
      `SELECT json_extract(input, '$.command') AS command, created_at AS at FROM tool_uses
       WHERE ${OF_SESSION} AND name = 'Bash' AND json_valid(input) AND json_type(input, '$.command') = 'text'`,
      sessionDbId,
    ),
  };
}

export function commandOfUse(db: Db, id: number): string | undefined {
  const sql = `SELECT json_extract(input, '$.command') AS command FROM tool_uses
    WHERE id = ? AND json_valid(input) AND json_type(input, '$.command') = 'text'`;
  return db.get<{ command: string }>(sql, id)?.command;
}
