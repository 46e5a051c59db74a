// Types of memory: derived from evidence by the extractor or a model, or written by the user.

export const OBSERVATION_TYPES = ["decision", "bugfix", "feature", "refactor", "discovery", "change"] as const;
export type ObservationType = (typeof OBSERVATION_TYPES)[number];

export const CONCEPTS = [
  "how-it-works",
  "why-it-exists",
  "what-changed",
  "problem-solution",
  "gotcha",
  "pattern",
  "trade-off",
] as const;
export type Concept = (typeof CONCEPTS)[number];

/** Who wrote the text that the memory is derived from. Tool output is trusted least. */
export type Origin = "user" | "assistant" | "tool";

export interface Observation {
  type: ObservationType;
  title: string;
  subtitle?: string;
  narrative: string;
  facts: string[];
  concepts: Concept[];
  files: string[];
  /** Item ids: "p12", "m34", "t56". Empty if a user wrote or imported the observation, or after a purge. */
  evidence: string[];
  origin: Origin;
  /** The topic as a key: a newer observation with the same subject supersedes the older one. */
  subject?: string;
}

/** The summary of a turn or of a whole session. */
export interface Summary {
  request: string;
  investigated: string;
  learned: string;
  completed: string;
  nextSteps: string;
  filesRead: string[];
  filesEdited: string[];
  notes: string;
  evidence: string[];
}

/** The summary of a whole session by a model, or by the agent itself. */
export interface SessionSummary extends Summary {
  title: string;
  subtitle: string;
  /** What the next session needs to know: at most six lines. */
  handover: string[];
  /** The last turn that it covers. */
  lastPrompt: number;
}

export interface TurnMemory {
  observations: Observation[];
  summary: Summary;
}

/** What produced a row of memory. `promptHash` identifies the prompt's template and schema, not the turn. */
export interface Producer {
  /** "extractor", "user", "agent", "import" (from another system), or "<provider>/<model>". */
  name: string;
  promptHash?: string;
}

/** The extractor derives memory with rules, without a model or the network. */
export const EXTRACTOR: Producer = { name: "extractor" };

/** The recorded agent itself, which wrote its session's summary at the user's request. */
export const AGENT: Producer = { name: "agent" };
