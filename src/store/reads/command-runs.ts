// Finds earlier runs of a shell command by its words, and the commands that ran after one.
import { quoted } from "../../core/query.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { sql, type Sql } from "../db/sql.ts";
import { matching } from "../fts/fts-index.ts";
import { HAS_COMMAND, outputOf } from "../tables/tool-uses.ts";

export interface CommandRun {
  id: number;
  /** The conversation, also if a subagent ran the command. */
  main_session_db_id: number;
  command: string;
  is_error: number;
  exit_code: number | null;
  /** Its beginning. */
  output: string;
  created_at: number;
}

const OUTPUT_CHARS = 2_000;

const RUN: Sql = sql`SELECT t.id, coalesce(s.parent_session_db_id, s.id) AS main_session_db_id,
    json_extract(t.input, '$.command') AS command, t.is_error, t.exit_code,
    coalesce(substr(${outputOf("t")}, 1, ${OUTPUT_CHARS}), '') AS output, t.created_at
  FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id`;

/** The newest shell commands of the project that contain these words side by side. */
export function runsWithWords(db: Db, words: readonly string[], projectId: number, limit: number): CommandRun[] {
  const match = `scope : ${quoted(scopeWord(projectId))} AND input : ${quoted(...words)}`;
  return db.all(sql`${RUN} WHERE t.name = 'Bash' AND ${HAS_COMMAND} AND t.id IN
      (SELECT rowid ${matching("tool_uses_fts", match)} ORDER BY rowid DESC LIMIT ${limit})
    ORDER BY t.created_at DESC, t.id DESC`);
}

/** The next shell commands of the same conversation, oldest first. */
export function runsAfter(db: Db, run: CommandRun, limit: number): CommandRun[] {
  const { main_session_db_id: main, created_at: at, id } = run;
  return db.all(sql`${RUN} WHERE (s.id = ${main} OR s.parent_session_db_id = ${main}) AND t.name = 'Bash' AND ${HAS_COMMAND}
      AND t.created_at >= ${at} AND (t.created_at > ${at} OR t.id > ${id})
    ORDER BY t.created_at, t.id LIMIT ${limit}`);
}
