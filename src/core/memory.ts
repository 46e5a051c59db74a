// Memory derived from evidence by the extractor or a model, or written by a person.

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

/** Whose text it is derived from. A tool's output is trusted least. */
export type Origin = "user" | "assistant" | "tool";

export interface Observation {
  type: ObservationType;
  title: string;
  subtitle?: string;
  narrative: string;
  facts: string[];
  concepts: Concept[];
  files: string[];
  /** Item ids: "p12" (prompt), "m34" (message), "t56" (tool use). Empty only where a person wrote it. */
  evidence: string[];
  origin: Origin;
  /** Its topic in comparable form: a newer observation on the same subject replaces the older. */
  subject?: string;
}

/** Of a turn or a whole session. */
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

export interface TurnMemory {
  observations: Observation[];
  summary: Summary;
}

/** Who derived a row. `promptHash` identifies the model's prompt. */
export interface Producer {
  /** "extractor", "user", "import" (from another system), or "<provider>/<model>". */
  name: string;
  promptHash?: string;
}

/** Needs no model and no network. */
export const EXTRACTOR: Producer = { name: "extractor" };

/** A next step in the summary of an interrupted turn. */
export const TURN_INTERRUPTED = "The turn was interrupted before it was finished.";

/** Once the session continues, the interruption is no longer a next step. */
export function withoutInterruption(nextSteps: string): string {
  return nextSteps.replace(TURN_INTERRUPTED, "").trim();
}
