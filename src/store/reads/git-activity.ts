// What a session did with git: its git and gh commands, and the files it changed, by time.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { family, isSession } from "../tables/sessions.ts";
import { HAS_COMMAND, outputOf } from "../tables/tool-uses.ts";

export interface GitCommand {
  command: string;
  output: string;
  isError: boolean;
  at: number;
}

const OUTPUT_CHARS = 4_000;
const MAX_COMMANDS = 400;
/** A cheap filter: callers match the parts of the command. */
const IS_GIT = sql`(input LIKE '%git %' OR input LIKE '%gh pr %' OR input LIKE '%gh run %')`;

/** The newest commands that contain git or gh, up to and including a turn, oldest first. */
export function gitCommands(db: Db, sessionDbId: number, lastTurn: number): GitCommand[] {
  const rows = db.all<Omit<GitCommand, "isError"> & { isError: number }>(sql`SELECT
      json_extract(input, '$.command') AS command, coalesce(substr(${outputOf()}, 1, ${OUTPUT_CHARS}), '') AS output,
      is_error AS isError, created_at AS at
    FROM tool_uses WHERE session_db_id IN (${family(sessionDbId)}) AND prompt_number <= ${lastTurn}
      AND ${IS_GIT} AND ${HAS_COMMAND}
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_COMMANDS}`);
  return rows.toReversed().map((row) => ({ ...row, isError: row.isError === 1 }));
}

/** The newest shell commands up to and including a turn, oldest first. */
export function commandsUpTo(db: Db, sessionDbId: number, lastTurn: number): { command: string; at: number }[] {
  const rows = db.all<{ command: string; at: number }>(sql`SELECT
      json_extract(input, '$.command') AS command, created_at AS at
    FROM tool_uses WHERE session_db_id IN (${family(sessionDbId)}) AND prompt_number <= ${lastTurn} AND ${HAS_COMMAND}
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_COMMANDS}`);
  return rows.toReversed();
}

/** Files changed up to and including a turn, with the time of the last change, oldest first. */
export function changesUpTo(db: Db, sessionDbId: number, lastTurn: number): { path: string; at: number }[] {
  return db.all(sql`SELECT f.path, max(f.created_at) AS at
    FROM file_touches f JOIN tool_uses t ON t.id = f.tool_use_db_id
    WHERE f.session_db_id IN (${family(sessionDbId)}) AND f.kind IN ('edit', 'create') AND t.prompt_number <= ${lastTurn}
    GROUP BY f.path ORDER BY at, f.path`);
}

/** How many of the project's latest sessions are checked. */
const RECENT_SESSIONS = 30;

/** The git and gh commands of the project's latest sessions that succeeded. */
export function projectGitCommands(db: Db, projectId: number): { sessionDbId: number; command: string }[] {
  return db.all(sql`SELECT recent.id AS sessionDbId, json_extract(t.input, '$.command') AS command
    FROM (SELECT s.id FROM sessions s
      WHERE s.project_id = ${projectId} AND ${isSession()} ORDER BY s.last_at DESC LIMIT ${RECENT_SESSIONS}) recent
    JOIN tool_uses t ON t.session_db_id = recent.id
    WHERE t.is_error = 0 AND ${IS_GIT} AND ${HAS_COMMAND}`);
}
