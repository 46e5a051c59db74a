// All that is known of one turn, the work of its subagents included: what memory is derived from.
import type { FileTouch } from "../../core/event.ts";
import type { Db } from "../db/driver.ts";
import { outputOf } from "../tables/packed.ts";
import { turnState, type TurnState } from "../tables/session-status.ts";

export interface EvidenceMessage {
  /** "m34". */
  id: string;
  role: "assistant" | "system" | "summary";
  text: string;
  thinking: string;
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
  exitCode: number | undefined;
  durationMs: number | undefined;
  isSubagent: boolean;
  at: number;
  files: FileTouch[];
}

export interface EvidenceCommit {
  sha: string;
  branch: string | undefined;
  subject: string;
  at: number;
}

export interface TurnEvidence {
  agent: string;
  projectId: number;
  project: string;
  /** The project's folder and the session's: paths in commands begin with one of them. */
  root: string;
  cwd: string;
  prompt: {
    /** "p12". */
    id: string;
    number: number;
    text: string;
    response: string;
    at: number;
    endedAt: number | undefined;
    state: TurnState;
    /** The agent compacted its context in the middle of the turn. */
    hasCheckpoint: boolean;
  };
  /** Oldest first, as the tool uses and commits. */
  messages: EvidenceMessage[];
  toolUses: EvidenceToolUse[];
  commits: EvidenceCommit[];
}

interface PromptFields {
  id: number;
  agent: string;
  project_id: number;
  project: string;
  root: string;
  cwd: string;
  text: string;
  response: string | null;
  created_at: number;
  ended_at: number | null;
  state: TurnState;
  checkpoint_at: number | null;
}

export function loadTurnEvidence(db: Db, sessionDbId: number, promptNumber: number): TurnEvidence | undefined {
  const prompt = db.get<PromptFields>(
    `SELECT p.id, s.agent, s.project_id, j.name AS project, j.root, s.cwd, p.text, p.response, p.created_at, p.ended_at, p.checkpoint_at,
       ${turnState()} AS state
     FROM prompts p JOIN sessions s ON s.id = p.session_db_id JOIN projects j ON j.id = s.project_id
     WHERE p.session_db_id = ? AND p.prompt_number = ?`,
    sessionDbId,
    promptNumber,
  );
  if (prompt === undefined) return undefined;
  return {
    agent: prompt.agent,
    projectId: prompt.project_id,
    project: prompt.project,
    root: prompt.root,
    cwd: prompt.cwd,
    prompt: {
      id: `p${prompt.id}`,
      number: promptNumber,
      text: prompt.text,
      response: prompt.response ?? "",
      at: prompt.created_at,
      endedAt: prompt.ended_at ?? undefined,
      state: prompt.state,
      hasCheckpoint: prompt.checkpoint_at !== null,
    },
    messages: loadMessages(db, sessionDbId, promptNumber),
    toolUses: loadToolUses(db, sessionDbId, promptNumber),
    commits: db
      .all<Omit<EvidenceCommit, "branch"> & { branch: string | null }>(
        `SELECT sha, branch, subject, created_at AS at FROM commits
         WHERE session_db_id = ? AND prompt_number = ? ORDER BY created_at, id`,
        sessionDbId,
        promptNumber,
      )
      .map((row) => ({ ...row, branch: row.branch ?? undefined })),
  };
}

/** A session and its subagents: their rows carry the number of the turn they worked for. */
const FAMILY = "SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1";

interface MessageFields {
  id: number;
  session_db_id: number;
  role: EvidenceMessage["role"];
  text: string;
  thinking: string | null;
  created_at: number;
}

function loadMessages(db: Db, sessionDbId: number, promptNumber: number): EvidenceMessage[] {
  const rows = db.all<MessageFields>(
    `SELECT id, session_db_id, role, text, thinking, created_at FROM messages
     WHERE session_db_id IN (${FAMILY}) AND prompt_number = ?2 ORDER BY created_at, id`,
    sessionDbId,
    promptNumber,
  );
  return rows.map((row) => ({
    id: `m${row.id}`,
    role: row.role,
    text: row.text,
    thinking: row.thinking ?? "",
    isSubagent: row.session_db_id !== sessionDbId,
    at: row.created_at,
  }));
}

interface ToolUseFields {
  id: number;
  session_db_id: number;
  name: string;
  input: string;
  output: string | null;
  is_error: number;
  exit_code: number | null;
  duration_ms: number | null;
  created_at: number;
}

interface TouchFields {
  tool_use_db_id: number;
  path: string;
  kind: FileTouch["kind"];
  added: number | null;
  removed: number | null;
}

function loadToolUses(db: Db, sessionDbId: number, promptNumber: number): EvidenceToolUse[] {
  const rows = db.all<ToolUseFields>(
    `SELECT id, session_db_id, name, input, ${outputOf()} AS output, is_error, exit_code, duration_ms, created_at FROM tool_uses
     WHERE session_db_id IN (${FAMILY}) AND prompt_number = ?2 ORDER BY created_at, id`,
    sessionDbId,
    promptNumber,
  );
  const touches = db.all<TouchFields>(
    `SELECT f.tool_use_db_id, f.path, f.kind, f.added, f.removed
     FROM tool_uses t JOIN file_touches f ON f.tool_use_db_id = t.id
     WHERE t.session_db_id IN (${FAMILY}) AND t.prompt_number = ?2 ORDER BY f.id`,
    sessionDbId,
    promptNumber,
  );
  const byUse = Map.groupBy(touches, (touch) => touch.tool_use_db_id);
  return rows.map((row) => ({
    id: `t${row.id}`,
    name: row.name,
    input: parseInput(row.input),
    output: row.output ?? "",
    isError: row.is_error === 1,
    exitCode: row.exit_code ?? undefined,
    durationMs: row.duration_ms ?? undefined,
    isSubagent: row.session_db_id !== sessionDbId,
    at: row.created_at,
    files: (byUse.get(row.id) ?? []).map(({ path, kind, added, removed }) => ({
      path,
      kind,
      ...(added !== null && { added }),
      ...(removed !== null && { removed }),
    })),
  }));
}

function parseInput(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
