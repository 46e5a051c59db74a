// What the API's replies hold: the same as the commands print with --json.
import type { Concept, ObservationType, Origin } from "../core/memory.ts";

export interface Session {
  session_id: string;
  parent_session_id: string | null;
  agent: string;
  project: string;
  project_key: string;
  title: string | null;
  subtitle: string | null;
  status: string;
  prompts: number;
  tool_uses: number;
  files_changed: number;
  model: string | null;
  version: string | null;
  git_branch: string | null;
  cwd: string;
  started_at: string;
  last_at: string;
}

export interface Summary {
  request: string;
  investigated: string;
  learned: string;
  completed: string;
  next_steps: string;
  files_read: string[];
  files_edited: string[];
  notes: string;
}

export interface Observation {
  /** "o12" */
  id: string;
  type: ObservationType;
  title: string;
  subtitle: string | null;
  narrative: string;
  facts: string[];
  concepts: Concept[];
  files: string[];
  /** Item ids: "p12", "m34", "t56". */
  evidence: string[];
  origin: Origin;
  subject: string | null;
  producer: string;
  is_current: boolean;
  pinned: boolean;
  edited_at: string | null;
  superseded_by: { id: string; title: string | null } | null;
  valid_from: string;
  valid_to: string | null;
  created_at: string;
  session_id: string | null;
  prompt_number: number | null;
  agent: string | null;
  project: string | null;
  project_key: string | null;
}

export interface Finding {
  session_id: string;
  agent: string;
  project: string;
  title: string | null;
  branch: string | null;
  started_at: string;
  at: string;
  prompt_number: number;
  kind: string;
  role: string;
  item: string | null;
  score: number;
  snippet: string;
  marks: [number, number][];
}

export interface SearchMeta {
  rung: string;
  words: string[];
  lanes: string[];
  degraded: string | null;
  hint: string | null;
  corpus: { model: string | null; vectors: number; not_embedded: number };
  ms: number;
}

export interface ListMeta {
  where?: string;
  has_more?: boolean;
}

export interface ProjectEntry {
  key: string;
  name: string;
  root: string;
  sessions: number;
}

export interface TouchedFile {
  path: string;
  kind: "read" | "edit" | "create";
  added: number | null;
  removed: number | null;
}

interface InTranscript {
  /** As the outline names it: "p12", "m34", "t56", "r12", "s7", "c9". */
  id: string;
  at: string;
}

export interface PromptItem extends InTranscript {
  kind: "prompt";
  text: string;
}

export interface MessageItem extends InTranscript {
  kind: "message";
  role: "assistant" | "system" | "summary";
  text: string;
  thinking: string | null;
}

export interface ToolItem extends InTranscript {
  kind: "tool";
  name: string;
  subject: string;
  outcome: string;
  is_error: boolean;
  exit_code: number | null;
  duration_ms: number | null;
  files: TouchedFile[];
}

/** A tool use with what went in and what came out. */
export interface WholeToolItem extends ToolItem {
  input: unknown;
  output: string;
}

export interface SubagentItem extends InTranscript {
  kind: "subagent";
  session_id: string;
  title: string | null;
  subtitle: string | null;
  tool_uses: number;
  report: string | null;
}

export interface CommitItem extends InTranscript {
  kind: "commit";
  sha: string;
  subject: string;
}

export type TranscriptItem = PromptItem | MessageItem | ToolItem | SubagentItem | CommitItem;

/** A turn as the timeline tells it. */
export interface TimelineTurn {
  /** "p12" */
  id: string;
  session_id: string;
  agent: string;
  project: string;
  title: string | null;
  turn: number;
  prompt: string;
  at: string;
  ended_at: string | null;
  files: { path: string; created: boolean; added: number; removed: number }[];
  commits: { sha: string; subject: string }[];
  failed: { id: string; command: string; exit_code: number | null; error: string }[];
}

export interface WorkerState {
  running: boolean;
  pid: number | null;
  version: string | null;
  started_at: string | null;
  jobs: { pending: number; running: number; failed: number };
  spool: { waiting: number; bad: number };
}
