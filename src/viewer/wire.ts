// What the API's replies hold: the same as the commands print with --json.
import type * as z from "zod";
import type { list } from "../queries/list.ts";
import type { DataOf, MetaOf } from "../queries/query.ts";
import type { search } from "../queries/search.ts";
import type { summarySchema } from "../queries/session-json.ts";
import type { Concept, ObservationType, Origin } from "../core/memory.ts";

export type Session = DataOf<typeof list>["results"][number];

export type Summary = z.output<ReturnType<typeof summarySchema>>;

export interface Observation {
  /** "o12" */
  id: string;
  type: ObservationType;
  title: string;
  subtitle: string | null;
  narrative: string;
  facts: string[];
  concepts: Concept[];
  /** All it is about: those its turn only read, those it changed, and those only named. */
  files: string[];
  files_read: string[];
  files_modified: string[];
  /** Item ids: "p12", "m34", "t56". */
  evidence: string[];
  origin: Origin;
  subject: string | null;
  producer: string;
  is_current: boolean;
  pinned: boolean;
  edited_at: string | null;
  superseded_by: { id: string; title: string | null } | null;
  superseded_by_hand: boolean;
  valid_from: string;
  valid_to: string | null;
  created_at: string;
  session_id: string | null;
  prompt_number: number | null;
  agent: string | null;
  project: string | null;
  project_key: string | null;
}

export type Finding = DataOf<typeof search>["results"][number];
export type SearchMeta = MetaOf<typeof search>;

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

/** By today's files; null where that cannot be told. */
export interface Standing {
  kind: "holds" | "gone" | "renamed" | "changed";
  name?: string;
  file?: string;
  note: string;
}

export interface ListedObservation extends Observation {
  standing?: Standing | null;
}

export interface Named {
  id: string;
  title: string;
  producer: string;
}

export type Evidence =
  | { id: string; kind: "gone" }
  | { id: string; kind: "prompt" | "message"; text: string; at: string }
  | {
      id: string;
      kind: "tool";
      name: string;
      subject: string;
      outcome: string;
      is_error: boolean;
      output: string;
      at: string;
    };

/** Whatever form its evidence comes in. */
export type AnyObservation = Omit<ListedObservation, "evidence">;

export interface Story extends AnyObservation {
  session: { session_id: string; title: string | null } | null;
  replaced_by: Named | null;
  replaces: Named[];
  versions: (Named & { is_current: boolean })[];
  evidence: Evidence[];
}

export interface ChangedFile {
  path: string;
  project: string;
  project_key: string;
  sessions: number;
  added: number;
  removed: number;
  last_at: string;
}

/** What one turn of a session did to a file. */
export interface FileTurn {
  session_id: string;
  agent: string;
  project: string;
  title: string | null;
  path: string;
  turn: number;
  prompt_id: string | null;
  prompt: string | null;
  reads: number;
  edits: number;
  creates: number;
  added: number;
  removed: number;
  last_at: string;
  commits: { sha: string; subject: string }[];
}

export interface Effort {
  id: string;
  title: string;
  project: string;
  branches: string[];
  agents: string[];
  subagents: number;
  started_at: string;
  last_at: string;
  sessions: {
    session_id: string;
    agent: string;
    title: string | null;
    outcome: string | null;
    git_branch: string | null;
    started_at: string;
    continues: string | null;
    weight: number | null;
  }[];
  decisions: { id: string; title: string; at: string }[];
  open_ends: { session_id: string; text: string }[];
}

export interface DayShare {
  day: string;
  project: string;
  project_key: string;
  agent: string;
  sessions: number;
  prompts: number;
  tool_uses: number;
  bytes: number;
}

interface FolderSize {
  files: number;
  bytes: number;
}

export interface Stats {
  totals: {
    sessions: number;
    prompts: number;
    tool_uses: number;
    failed_tool_uses: number;
    files_changed: number;
    lines_added: number;
    lines_removed: number;
    commits: number;
  };
  by_project: { name: string; key: string; sessions: number; prompts: number }[];
  by_tool: { name: string; uses: number; failed: number; failure_rate: number }[];
  by_day: DayShare[];
  database: { bytes: number };
  archive: FolderSize;
  backups: FolderSize;
  models: FolderSize;
}

interface CostShare {
  name: string;
  requests: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

export interface Cost {
  total: CostShare;
  by_day: CostShare[];
  by_model: CostShare[];
}

export interface Impact {
  surfaces: { surface: string; injections: number; used: number; tokens: number }[];
}

export interface ContextBlock {
  text: string;
  items: string[];
  chars: number;
  tokens: number;
}

export interface Setting {
  key: string;
  value: unknown;
  source: "environment" | "project" | "user" | "default";
  default: unknown;
  about: string;
  min: number | null;
  max: number | null;
  one_of: string[] | null;
}

export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  message: string;
  fix?: string;
}

export interface WorkerState {
  running: boolean;
  pid: number | null;
  version: string | null;
  started_at: string | null;
  jobs: { pending: number; running: number; failed: number };
  spool: { waiting: number; bad: number };
  troubled: { key: string; status: string; attempts: number; last_error: string | null }[];
}

export interface LogLine {
  at: string;
  message: string;
}

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
  status: "running" | "completed" | "interrupted";
  files: { path: string; created: boolean; added: number; removed: number }[];
  commits: { sha: string; subject: string }[];
  failed: { id: string; command: string; exit_code: number | null; error: string }[];
}
