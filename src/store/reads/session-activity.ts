// What a session said and did, with times, to find out whether it used injected memory.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { family } from "../tables/sessions.ts";
import { HAS_COMMAND } from "../tables/tool-uses.ts";

export interface SessionActivity {
  /** The assistant's messages, and the inputs of its tool uses. */
  said: { text: string; at: number }[];
  touches: { path: string; at: number }[];
  commands: { command: string; at: number }[];
}

/** The beginning of a long input shows what it was about. */
const INPUT_CHARS = 4_000;

export function sessionActivity(db: Db, sessionDbId: number): SessionActivity {
  const ofFamily = sql`session_db_id IN (${family(sessionDbId)})`;
  return {
    said: db.all(sql`SELECT text, created_at AS at FROM messages WHERE ${ofFamily} AND role = 'assistant'
      UNION ALL SELECT substr(input, 1, ${INPUT_CHARS}), created_at FROM tool_uses WHERE ${ofFamily}
      UNION ALL SELECT response, coalesce(ended_at, created_at) FROM prompts
        WHERE session_db_id = ${sessionDbId} AND response IS NOT NULL`),
    touches: db.all(sql`SELECT path, created_at AS at FROM file_touches WHERE ${ofFamily}`),
    commands: db.all(sql`SELECT json_extract(input, '$.command') AS command, created_at AS at FROM tool_uses
      WHERE ${ofFamily} AND name = 'Bash' AND ${HAS_COMMAND}`),
  };
}

export function commandOfUse(db: Db, id: number): string | undefined {
  return db.value(sql`SELECT json_extract(input, '$.command') FROM tool_uses WHERE id = ${id} AND ${HAS_COMMAND}`);
}
