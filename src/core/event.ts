// What an agent did, in our own words. Every agent's wire format is reduced to these; both capture lanes write them.

export interface FileTouch {
  path: string;
  kind: "read" | "edit" | "create";
  added?: number;
  removed?: number;
  /** The agent's own name for the copy it kept of the file before this turn changed it. */
  backup?: string;
}

export type Activity =
  | { kind: "session-start"; source: string; model?: string }
  | { kind: "prompt"; promptId?: string; text: string }
  /** A prompt no person typed, e.g. the notice that a background task ended. Not a turn of its own. */
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
  /** A tool is about to run: nothing has happened yet, but memory may have something to say. */
  | { kind: "tool-start"; promptId?: string; name: string; input: unknown; path?: string }
  | { kind: "subagent-start"; promptId?: string }
  /** Something was handed to the agent outside of any other event. */
  | { kind: "injection" }
  /** `isInterrupted`: the agent says that the turn was stopped before it was finished. */
  | { kind: "turn-end"; promptId?: string; response?: string; isInterrupted?: true }
  /** The newest words of a turn that may go on. */
  | { kind: "response"; promptId?: string; text: string }
  /** What the assistant said (one event per message, not per block), or a note of the agent's own. */
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
  /** A title the agent itself gave the session. */
  | { kind: "title"; title: string }
  /** What the session goes on with: a plan that is handed on from session to session, or a history that was copied. */
  | { kind: "origin"; plan?: string; forkedFrom?: string }
  /** Files the agent keeps copies of, because it changes them. */
  | { kind: "file-snapshot"; promptId?: string; files: FileTouch[] }
  /** The agent summed up and forgot what came before. */
  | { kind: "compaction"; uuid: string; summary: string }
  /** The agent is about to forget part of the conversation: a good moment to write down what it knows. */
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

/** What this version knows of; a drop may come from a newer one. */
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
  /** Set inside a subagent; `sessionId` is then the session that started it. */
  agentId?: string;
  agentType?: string;
  cwd: string;
  transcriptPath?: string;
  version?: string;
  /** As the agent noted it; "" where it noted that there is none. Live events leave it out: the repository is asked. */
  branch?: string;
  /** Of a fork that begins with a copy of what happened before: the session that happened in, "" where the agent does not say. */
  copiedFrom?: string;
  at: number;
  activity: Activity;
}

export interface Project {
  key: string;
  name: string;
  /** The main working tree: shared by all worktrees. */
  root: string;
  remote?: string;
}

/** The moments at which memory speaks; `holdout` marks a session in which it does not, to be compared with the others. */
export const SURFACES = ["session-start", "compaction", "prompt", "file", "command", "error", "subagent"] as const;
export type Surface = (typeof SURFACES)[number] | "holdout";

/** What was handed to the agent, so that it is not repeated and its use can be measured. */
export interface Injection {
  surface: Surface;
  itemIds: string[];
  chars: number;
  tokens: number;
}

/** An agent event made ready for the store: filtered, and tied to its project while the folder is still there. */
export interface CapturedEvent extends AgentEvent {
  hook?: string;
  project: Project;
  injection?: Injection;
}
