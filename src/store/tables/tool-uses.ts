// tool_uses: one row per tool use with its input, output and outcome. Old outputs are compressed with zstd.
import type { Db } from "../db/driver.ts";
import { nextId } from "../db/item-ids.ts";
import { anyOf, raw, sql, type Sql } from "../db/sql.ts";
import { transaction } from "../db/transaction.ts";
import { family } from "./sessions.ts";

export interface NewToolUse {
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

/** Returns the new row's id, or undefined if this tool use was recorded before. */
export function insertToolUse(db: Db, use: NewToolUse): number | undefined {
  const { changes, lastId } = db.run(sql`INSERT OR IGNORE INTO tool_uses
      (id, session_db_id, prompt_number, prompt_id, tool_use_id, agent_id, agent_type, name, input, output,
       is_error, exit_code, duration_ms, created_at)
    VALUES (${nextId("tool_uses")}, ${use.sessionDbId}, ${use.promptNumber}, ${use.promptId}, ${use.toolUseId},
      ${use.agentId}, ${use.agentType}, ${use.name}, ${use.input}, ${use.output},
      ${use.isError}, ${use.exitCode}, ${use.durationMs}, ${use.at})`);
  return changes === 0 ? undefined : lastId;
}

/** SQL: the output of a tool use, whether it is compressed or not. `unpack` is an SQL function defined in driver.ts. */
export function outputOf(alias?: string): Sql {
  const prefix = raw(alias === undefined ? "" : `${alias}.`);
  return sql`coalesce(${prefix}output, unpack(${prefix}packed))`;
}

/** SQL: whether the input of a tool use has a shell command. */
export const HAS_COMMAND = sql`json_valid(input) AND json_type(input, '$.command') = 'text'`;

export function hasToolUse(db: Db, sessionId: string, toolUseId: string): boolean {
  return db.has(sql`SELECT 1 FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id
    WHERE s.session_id = ${sessionId} AND t.tool_use_id = ${toolUseId}`);
}

/** Deletes the rows and their index entries. `ids`: SQL that selects the ids. Returns the number of deleted rows. */
export function deleteToolUses(db: Db, ids: Sql): number {
  db.run(sql`DELETE FROM tool_uses_fts WHERE rowid IN (${ids})
    AND rowid <= (SELECT last_id FROM index_state WHERE name = 'tool_uses')`);
  const { changes } = db.run(sql`DELETE FROM tool_uses WHERE id IN (${ids})`);
  // An older version that runs at the same time may reuse deleted ids. Rows with reused ids must be indexed, too.
  db.run(sql`UPDATE index_state SET last_id = min(last_id, coalesce((SELECT max(id) FROM tool_uses), 0))
    WHERE name = 'tool_uses'`);
  return changes;
}

/** Moves tool uses and messages that were recorded before their prompt to its turn. */
export function moveToTurn(db: Db, sessionDbId: number, promptId: string, promptNumber: number): void {
  for (const table of ["tool_uses", "messages"])
    db.run(sql`UPDATE ${raw(table)} SET prompt_number = ${promptNumber}
      WHERE prompt_id = ${promptId} AND prompt_number <> ${promptNumber} AND session_db_id IN (${family(sessionDbId)})`);
}

export interface CommandRow {
  id: number;
  /** The conversation, also if a subagent ran the command. */
  main_session_db_id: number;
  command: string;
  is_error: number;
  exit_code: number | null;
  created_at: number;
}

/** The shell commands of the given sessions and their subagents, oldest first. */
export function shellCommands(db: Db, sessionDbIds: readonly number[], limit: number): CommandRow[] {
  const rows = db.all<CommandRow>(sql`SELECT t.id, coalesce(s.parent_session_db_id, s.id) AS main_session_db_id,
      json_extract(t.input, '$.command') AS command, t.is_error, t.exit_code, t.created_at
    FROM sessions s JOIN tool_uses t ON t.session_db_id = s.id
    WHERE (s.id IN ${anyOf(sessionDbIds)}
        OR s.parent_session_db_id IN ${anyOf(sessionDbIds)})
      AND t.name = 'Bash' AND json_valid(t.input)
    ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}`);
  return rows.filter((row) => typeof row.command === "string").toReversed();
}

/** The beginning of an output. shellCommands does not read outputs, because callers need few of them. */
export function outputHead(db: Db, id: number, maxChars: number): string {
  return db.value(sql`SELECT substr(${outputOf()}, 1, ${maxChars}) FROM tool_uses WHERE id = ${id}`) ?? "";
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

export function toolUsesByIds(db: Db, ids: readonly number[]): ToolUseRow[] {
  return db.all(sql`SELECT id, prompt_number, name, input, ${outputOf()} AS output, is_error, exit_code, duration_ms, created_at
    FROM tool_uses WHERE id IN ${anyOf(ids)}`);
}

/** Whether the item ("t56") is a failed tool use. */
export function isFailedUse(db: Db, itemId: string): boolean {
  if (!itemId.startsWith("t")) return false;
  return db.has(sql`SELECT 1 FROM tool_uses WHERE id = ${Number(itemId.slice(1))} AND is_error = 1`);
}

/** Rows per transaction. The outputs are compressed before it begins. */
const BATCH = 200;
/** Node's default allocates 128 KB per call, which is 24 MB of garbage for 200 outputs. */
const CHUNK_BYTES = 16 * 1024;

/**
 * Compresses a batch of outputs from before a time. Returns how many. The condition must be that of the partial index
 * tool_uses_to_pack.
 */
export function packOutputs(db: Db, before: number): number {
  const rows = db.all<{ id: number; output: string }>(sql`SELECT id, output FROM tool_uses
    WHERE packed IS NULL AND length(output) > 1024 AND created_at < ${before} LIMIT ${BATCH}`);
  if (rows.length === 0) return 0;
  const { zstdCompressSync } = process.getBuiltinModule("node:zlib");
  const packed = rows.map(({ id, output }) => {
    const bytes = Buffer.from(output);
    // With the size, zstd allocates a window of that size instead of 2 MB.
    const options = { chunkSize: CHUNK_BYTES, pledgedSrcSize: bytes.length };
    return { id, output, bytes: zstdCompressSync(bytes, options) };
  });
  transaction(db, () => {
    for (const { id, output, bytes } of packed)
      db.run(sql`UPDATE tool_uses SET output = NULL, packed = ${bytes} WHERE id = ${id} AND output = ${output}`);
  });
  return rows.length;
}
