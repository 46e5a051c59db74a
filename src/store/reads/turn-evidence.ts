// Loads all evidence of one turn, including its subagents. Memory is derived from it.
import type { FileTouch } from "../../core/event.ts";
import { asObject, asString, parseJson } from "../../core/json.ts";
import type { Db } from "../db/driver.ts";
import { anyOf, sql, type Sql } from "../db/sql.ts";
import { type CommitRow, commitsMade } from "../tables/commits.ts";
import type { TouchRow } from "../tables/file-touches.ts";
import { turnState, type TurnState } from "../tables/session-status.ts";
import { family } from "../tables/sessions.ts";
import { outputOf } from "../tables/tool-uses.ts";

export interface EvidenceMessage {
  /** "m34". */
  id: string;
  role: "assistant" | "system" | "summary";
  text: string;
  isSubagent: boolean;
  at: number;
}

export interface EvidenceToolUse {
  /** "t56". */
  id: string;
  name: string;
  input: Readonly<Record<string, unknown>>;
  output: string;
  isError: boolean;
  exitCode: number | null;
  isSubagent: boolean;
  at: number;
  files: EvidenceFile[];
  /** What a subagent in the background reported after this tool use had started it. */
  report?: string;
}

interface EvidenceFile extends Pick<FileTouch, "path" | "kind"> {
  added?: number | null | undefined;
  removed?: number | null | undefined;
}

export interface TurnEvidence {
  projectId: number;
  project: string;
  /** The project's folder. */
  root: string;
  /** The session's folder. */
  cwd: string;
  prompt: {
    /** "p12". */
    id: string;
    number: number;
    text: string;
    response: string;
    at: number;
    endedAt: number | null;
    state: TurnState;
    /** Whether the agent compacted its context during the turn. */
    hasCheckpoint: boolean;
    /** The session's next prompt: it shows whether an offer was accepted. */
    next?: string | undefined;
    nextId?: string | undefined;
    /** The agent's last message before the prompt, which the prompt may answer. */
    previousResponse?: string | undefined;
    previousId?: string | undefined;
  };
  /** Oldest first, like `toolUses` and `commits`. */
  messages: EvidenceMessage[];
  toolUses: EvidenceToolUse[];
  commits: Pick<CommitRow, "sha" | "subject">[];
  /** The calls of earlier turns that wrote the agent's task list, oldest first. */
  earlierTaskUses: TaskUse[];
}

type TaskUse = Pick<EvidenceToolUse, "id" | "name" | "input" | "output" | "isError">;

type TurnContext = Pick<TurnEvidence, "projectId" | "project" | "root" | "cwd">;

export function loadTurnEvidence(db: Db, sessionDbId: number, promptNumber: number): TurnEvidence | undefined {
  const context = db.get<TurnContext>(sql`SELECT s.project_id AS projectId, j.name AS project, j.root, s.cwd
    FROM sessions s JOIN projects j ON j.id = s.project_id WHERE s.id = ${sessionDbId}`);
  const prompt = db.get<TurnEvidence["prompt"]>(sql`SELECT 'p' || p.id AS id, p.prompt_number AS number, p.text,
      coalesce(p.response, '') AS response, p.created_at AS at, p.ended_at AS endedAt, ${turnState()} AS state,
      p.checkpoint_at IS NOT NULL AS hasCheckpoint,
      n.text AS next, 'p' || n.id AS nextId, b.response AS previousResponse, 'p' || b.id AS previousId
    FROM prompts p JOIN sessions s ON s.id = p.session_db_id
      LEFT JOIN prompts n ON n.id = (SELECT id FROM prompts
        WHERE session_db_id = p.session_db_id AND prompt_number > p.prompt_number ORDER BY prompt_number LIMIT 1)
      LEFT JOIN prompts b ON b.id = (SELECT id FROM prompts
        WHERE session_db_id = p.session_db_id AND prompt_number < p.prompt_number ORDER BY prompt_number DESC LIMIT 1)
    WHERE p.session_db_id = ${sessionDbId} AND p.prompt_number = ${promptNumber}`);
  if (context === undefined || prompt === undefined) return undefined;
  const inTurn = sql`session_db_id IN (${family(sessionDbId)}) AND prompt_number = ${promptNumber}`;
  const isSubagent = sql`session_db_id <> ${sessionDbId} AS isSubagent`;
  const messages = db.all<EvidenceMessage>(sql`SELECT 'm' || id AS id, role, text, ${isSubagent}, created_at AS at
    FROM messages WHERE ${inTurn} ORDER BY created_at, messages.id`);
  return {
    ...context,
    prompt: {
      ...prompt,
      hasCheckpoint: Boolean(prompt.hasCheckpoint),
      next: prompt.next ?? undefined,
      nextId: prompt.nextId ?? undefined,
      previousResponse: prompt.previousResponse ?? undefined,
      previousId: prompt.previousId ?? undefined,
    },
    messages: messages.map((row) => ({ ...row, isSubagent: Boolean(row.isSubagent) })),
    toolUses: loadToolUses(db, inTurn, isSubagent),
    commits: commitsMade(db, sessionDbId, promptNumber),
    earlierTaskUses: taskUses(db, sessionDbId, promptNumber),
  };
}

/** Tools that write a task list, which goes on over turns. Copilot CLI's `sql` writes into a table `todos`. */
const TASK_TOOLS = [
  "TodoWrite",
  "todo_write",
  "todowrite",
  "write_todos",
  "update_plan",
  "update_todo",
  "TaskCreate",
  "TaskUpdate",
  "sql",
];

/** The calls that wrote the agent's task list before a turn, or in the whole session. Subagents have their own lists. */
export function taskUses(db: Db, sessionDbId: number, before = Number.MAX_SAFE_INTEGER): TaskUse[] {
  const rows = db.all<Omit<TaskUse, "input"> & { input: string }>(
    sql`SELECT 't' || id AS id, name, input, coalesce(${outputOf()}, '') AS output, is_error AS isError
      FROM tool_uses WHERE session_db_id = ${sessionDbId} AND prompt_number < ${before} AND name IN ${anyOf(TASK_TOOLS)}
      ORDER BY created_at, id`,
  );
  return rows.map((row) => ({ ...row, input: asObject(parseJson(row.input)) ?? {}, isError: Boolean(row.isError) }));
}

function loadToolUses(db: Db, inTurn: Sql, isSubagent: Sql): EvidenceToolUse[] {
  const rows = db.all<Omit<EvidenceToolUse, "input" | "files"> & { dbId: number; input: string }>(
    sql`SELECT 't' || id AS id, id AS dbId, name, input, coalesce(${outputOf()}, '') AS output,
        is_error AS isError, exit_code AS exitCode, ${isSubagent}, created_at AS at
      FROM tool_uses WHERE ${inTurn} ORDER BY created_at, tool_uses.id`,
  );
  const touches = db.all<TouchRow>(sql`SELECT tool_use_db_id, path, kind, added, removed FROM file_touches
    WHERE tool_use_db_id IN (SELECT id FROM tool_uses WHERE ${inTurn}) ORDER BY id`);
  const byUse = Map.groupBy(touches, (touch) => touch.tool_use_db_id);
  return rows.map(({ dbId, ...row }) => ({
    ...row,
    input: asObject(parseJson(row.input)) ?? {},
    isError: Boolean(row.isError),
    isSubagent: Boolean(row.isSubagent),
    files: byUse.get(dbId) ?? [],
    ...backgroundReport(db, row.output),
  }));
}

/** Claude Code's result of starting a subagent in the background names it. */
function backgroundReport(db: Db, output: string): { report?: string } {
  if (!output.includes('"async_launched"')) return {};
  const agentId = asString(asObject(parseJson(output))?.["agentId"]);
  const report: string | undefined =
    agentId &&
    db.value(sql`SELECT report FROM sessions WHERE session_id = ${`agent-${agentId}`} AND report IS NOT NULL`);
  return report ? { report } : {};
}
