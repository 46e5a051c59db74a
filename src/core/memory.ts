// What memory consists of, whoever produced it: the extractor, a model, or a person.

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

/** Whose words it rests on. What a tool printed is trusted least. */
export type Origin = "user" | "assistant" | "tool";

export interface Observation {
  type: ObservationType;
  title: string;
  subtitle?: string;
  narrative: string;
  facts: string[];
  concepts: Concept[];
  files: string[];
  /** Item ids: "p12" (prompt), "m34" (message), "t56" (tool use). Never empty, but for what a person wrote. */
  evidence: string[];
  origin: Origin;
  /** What it is about, in a form that can be compared: of two with one subject the newer replaces the older. */
  subject?: string;
}

/** The eight fields, of one turn or of a whole session. */
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

/** Who derived it; `promptHash` names the prompt a model was given. */
export interface Producer {
  /** "extractor", "user", "import" (another system's), or "<provider>/<model>". */
  name: string;
  promptHash?: string;
}

/** No model, no network: what every turn gets at once. */
export const EXTRACTOR: Producer = { name: "extractor" };
