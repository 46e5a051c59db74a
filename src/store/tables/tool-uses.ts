// tool_uses: every call of a tool with its input, its output and how it ended.
import type { Db } from "../db/driver.ts";
import { nextId } from "../db/next-id.ts";
import { outputOf } from "./packed.ts";

export interface ToolUseSeed {
  sessionDbId: number;
  promptNumber: number;
  promptId?: string | undefined;
  toolUseId: string;
  agentId?: string | undefined;
  agentType?: string | undefined;
  name: string;
  input: string;
  output?: string | undefined;
  isError: boolean;
  exitCode?: number | undefined;
  durationMs?: number | undefined;
  at: number;
}

/** Returns the new row's id, or undefined when this tool use was recorded before. */
export function insertToolUse(db: Db, seed: ToolUseSeed): number | undefined {
  const { changes, lastId } = db.run(
    `INSERT OR IGNORE INTO tool_uses
       (id, session_db_id, prompt_number, prompt_id, tool_use_id, agent_id, agent_type, name, input, output, is_error, exit_code, duration_ms, created_at)
     VALUES (${nextId("tool_uses")}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    seed.sessionDbId,
    seed.promptNumber,
    seed.promptId ?? null,
    seed.toolUseId,
    seed.agentId ?? null,
    seed.agentType ?? null,
    seed.name,
    seed.input,
    seed.output ?? null,
    Number(seed.isError),
    seed.exitCode ?? null,
    seed.durationMs ?? null,
    seed.at,
  );
  return changes === 0 ? undefined : lastId;
}

export function hasToolUse(db: Db, sessionId: string, toolUseId: string): boolean {
  const sql =
    "SELECT 1 FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id WHERE s.session_id = ? AND t.tool_use_id = ?";
  return db.get(sql, sessionId, toolUseId) !== undefined;
}

/** A prompt that arrives after what happened in its turn takes it over. */
export function adoptTurn(db: Db, sessionDbId: number, promptId: string, promptNumber: number): void {
  for (const table of ["tool_uses", "messages"]) {
    db.run(
      `UPDATE ${table} SET prompt_number = ?3 WHERE prompt_id = ?2 AND prompt_number <> ?3
       AND session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)`,
      sessionDbId,
      promptId,
      promptNumber,
    );
  }
}

export interface CommandRow {
  id: number;
  /** The conversation, also for a subagent's command. */
  main_session_db_id: number;
  command: string;
  is_error: number;
  exit_code: number | null;
  created_at: number;
}

/** The shell commands of the given sessions and their subagents, oldest first. */
export function shellCommands(db: Db, sessionDbIds: readonly number[], limit: number): CommandRow[] {
  const rows = db.all<CommandRow>(
    `SELECT t.id, coalesce(s.parent_session_db_id, s.id) AS main_session_db_id, json_extract(t.input, '$.command') AS command,
       t.is_error, t.exit_code, t.created_at
     FROM sessions s JOIN tool_uses t ON t.session_db_id = s.id
     WHERE (s.id IN (SELECT value FROM json_each(?1)) OR s.parent_session_db_id IN (SELECT value FROM json_each(?1)))
       AND t.name = 'Bash' AND json_valid(t.input)
     ORDER BY t.created_at DESC, t.id DESC LIMIT ?2`,
    JSON.stringify(sessionDbIds),
    limit,
  );
  return rows.filter((row) => typeof row.command === "string").toReversed();
}

/** The beginning of what a tool printed: commands are looked at by the hundred, and few of them by what they said. */
export function outputHead(db: Db, id: number, maxChars: number): string {
  const row = db.get<{ output: string | null }>(
    `SELECT substr(${outputOf()}, 1, ?) AS output FROM tool_uses WHERE id = ?`,
    maxChars,
    id,
  );
  return row?.output ?? "";
}

export interface ToolUseRow {
  id: number;
  prompt_number: number;
  name: string;
  input: string;
  output: string | null;
  is_error: number;
  exit_code: number | null;
  duration_ms: number | null;
  created_at: number;
}

/** By item id ("t56"). */
export function isFailedUse(db: Db, itemId: string): boolean {
  if (!itemId.startsWith("t")) return false;
  return db.get("SELECT 1 FROM tool_uses WHERE id = ? AND is_error = 1", Number(itemId.slice(1))) !== undefined;
}
