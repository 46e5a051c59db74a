// Events of a session. Every agent's hooks and transcripts are converted to these types.

export interface FileTouch {
  path: string;
  kind: "read" | "edit" | "create";
  added?: number;
  removed?: number;
  /** Name of the file snapshot that the agent made before this turn's edits. */
  backup?: string;
}

export type Activity =
  | { kind: "session-start"; source: string; model?: string }
  | { kind: "prompt"; promptId?: string; text: string }
  /** A prompt that a program wrote, e.g. a notice that a background task ended. It does not start a turn. */
  | { kind: "machine-prompt" }
  | {
      kind: "tool-use";
      toolUseId?: string;
      promptId?: string;
      name: string;
      input: unknown;
      output?: string;
      isError: boolean;
      exitCode?: number;
      durationMs?: number;
      files: FileTouch[];
    }
  /** A tool is about to run, and C-Mem may inject context. */
  | { kind: "tool-start"; promptId?: string; name: string; input: unknown; path?: string }
  | { kind: "subagent-start"; promptId?: string }
  /** Context was injected outside of any other event. */
  | { kind: "injection" }
  /** `isInterrupted`: the agent reports that the turn was stopped early. */
  | { kind: "turn-end"; promptId?: string; response?: string; isInterrupted?: true }
  /** The latest answer of a turn that may continue. */
  | { kind: "response"; promptId?: string; text: string }
  /** A message of the assistant (one event per message, not per block), or a notice of the agent. */
  | {
      kind: "message";
      uuid: string;
      parentUuid?: string;
      promptId?: string;
      role: "assistant" | "system";
      text: string;
      thinking?: string;
      model?: string;
      tokens?: TokenCounts;
    }
  /** The agent's own title for the session. */
  | { kind: "title"; title: string }
  /** Where the session comes from: a plan of an earlier session, or the history it was forked from. */
  | { kind: "origin"; plan?: string; forkedFrom?: string }
  /** Files that the agent copied before changing them. */
  | { kind: "file-snapshot"; promptId?: string; files: FileTouch[] }
  /** The agent replaced the conversation so far by a summary. */
  | { kind: "compaction"; uuid: string; summary: string }
  /** The agent is about to compact the conversation. */
  | { kind: "checkpoint"; promptId?: string }
  | { kind: "session-end"; reason: string };

const ACTIVITIES: Record<Activity["kind"], true> = {
  "session-start": true,
  prompt: true,
  "machine-prompt": true,
  "tool-use": true,
  "tool-start": true,
  "file-snapshot": true,
  "subagent-start": true,
  injection: true,
  message: true,
  title: true,
  origin: true,
  compaction: true,
  "turn-end": true,
  response: true,
  checkpoint: true,
  "session-end": true,
};

/** Events of other kinds stay in the spool: a newer version wrote them. */
export const KNOWN_ACTIVITIES: ReadonlySet<string> = new Set(Object.keys(ACTIVITIES));

export interface TokenCounts {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** An activity as an agent reported it. */
export interface AgentEvent {
  agent: string;
  sessionId: string;
  /** Set inside a subagent; `sessionId` is then its parent session. */
  agentId?: string;
  agentType?: string;
  cwd: string;
  transcriptPath?: string;
  version?: string;
  /** From the transcript; "" if there was no branch. Live events omit it: C-Mem reads the repository. */
  branch?: string;
  /** Set if a fork copied the event: the original session, "" if the agent does not name it. */
  copiedFrom?: string;
  at: number;
  activity: Activity;
}

export interface Project {
  key: string;
  name: string;
  /** The main working tree, shared by all worktrees. */
  root: string;
  remote?: string;
}

/** Moments at which C-Mem injects context; `holdout` marks a session without injection, for comparison. */
export const SURFACES = ["session-start", "compaction", "prompt", "file", "command", "error", "subagent"] as const;
export type Surface = (typeof SURFACES)[number] | "holdout";

/** What was injected, so that it is not repeated and its use can be measured. */
export interface Injection {
  surface: Surface;
  itemIds: string[];
  chars: number;
  tokens: number;
}

/** A filtered event. Its project is resolved at capture, while the folder still exists. */
export interface CapturedEvent extends AgentEvent {
  hook?: string;
  project: Project;
  injection?: Injection;
}
