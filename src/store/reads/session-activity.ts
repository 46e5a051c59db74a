// Reads messages, file touches and commands of a session, to find out whether it used injected memory.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { family } from "../tables/sessions.ts";
import { HAS_COMMAND } from "../tables/tool-uses.ts";
import type { TimedText } from "./link-evidence.ts";

/** Long inputs are cut to this. */
const INPUT_CHARS = 4_000;

export type SessionActivity = ReturnType<typeof sessionActivity>;

/** `said`: the assistant's messages, and the inputs of its tool uses. */
export function sessionActivity(db: Db, sessionDbId: number) {
  const ofFamily = sql`session_db_id IN (${family(sessionDbId)})`;
  return {
    said: db.all<TimedText>(sql`SELECT text, created_at AS at FROM messages WHERE ${ofFamily} AND role = 'assistant'
      UNION ALL SELECT substr(input, 1, ${INPUT_CHARS}), created_at FROM tool_uses WHERE ${ofFamily}
      UNION ALL SELECT response, coalesce(ended_at, created_at) FROM prompts
        WHERE session_db_id = ${sessionDbId} AND response IS NOT NULL`),
    touches: db.all<{ path: string; at: number }>(
      sql`SELECT path, created_at AS at FROM file_touches WHERE ${ofFamily}`,
    ),
    commands: db.all<{
      command: string;
      at: number;
    }>(sql`SELECT json_extract(input, '$.command') AS command, created_at AS at FROM tool_uses
      WHERE ${ofFamily} AND name = 'Bash' AND ${HAS_COMMAND}`),
  };
}

export function commandOfUse(db: Db, id: number): string | undefined {
  return db.value(sql`SELECT json_extract(input, '$.command') FROM tool_uses WHERE id = ${id} AND ${HAS_COMMAND}`);
}

/** The answer of a turn, and the files that it changed. */
export function turnResult(db: Db, promptDbId: number): { response: string; paths: string[] } {
  const response = db.value<string>(sql`SELECT response FROM prompts WHERE id = ${promptDbId}`) ?? "";
  const paths = db.column<string>(sql`SELECT DISTINCT f.path FROM prompts p
    JOIN tool_uses t ON t.session_db_id = p.session_db_id AND t.prompt_number = p.prompt_number
    JOIN file_touches f ON f.tool_use_db_id = t.id AND f.kind <> 'read' WHERE p.id = ${promptDbId}`);
  return { response, paths };
}
