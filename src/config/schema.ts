// Every setting: its default and a sentence about it. `c-mem config` and the docs are made from this table.
import { SURFACES } from "../core/event.ts";

export interface Settings {
  enabled: boolean;
  worker: boolean;
  project: string;
  projects: Record<string, string>;
  excludePaths: string[];
  skipTools: string[];
  maxInputChars: number;
  maxOutputChars: number;
  maxTranscriptMb: number;
  archive: boolean;
  surfaces: string[];
  contextTokens: number;
  contextMaxChars: number;
  contextSessions: number;
  contextObservations: number;
  contextTypes: string[];
  contextConcepts: string[];
  contextFull: number;
  contextFullField: FullField;
  contextMessage: boolean;
  holdout: number;
  provider: ProviderName;
  model: string;
  baseUrl: string;
  apiKeyEnv: string;
  tokensPerDay: number;
  tokensPerProjectAndDay: number;
  usdPerDay: number;
  usdPerProjectAndDay: number;
  prices: Record<string, string>;
  modelTimeoutSeconds: number;
  embeddings: EmbeddingsName;
  embeddingsUrl: string;
  embeddingsModel: string;
  embeddingsKeyEnv: string;
}

/** Who is asked to improve on the extractor. */
export const PROVIDERS = ["none", "anthropic", "openai", "claude"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Who turns texts into vectors. */
export const EMBEDDINGS = ["auto", "none", "openai"] as const;
export type EmbeddingsName = (typeof EMBEDDINGS)[number];

/** What of an observation is written out. */
export const FULL_FIELDS = ["narrative", "facts"] as const;
export type FullField = (typeof FULL_FIELDS)[number];

export type SettingKey = keyof Settings;

interface Setting<T> {
  default: T;
  about: string;
  /** May be set by a file inside a project. That file may come from somebody else, so only what harms nobody. */
  inProject?: true;
  /**
   * Only the user's own file counts: what costs money or sends words elsewhere must not come from a project's file, nor
   * from the environment, which a project's agent settings can fill and the worker inherits.
   */
  inUserFileOnly?: true;
  oneOf?: readonly string[];
  /** A text like this is not taken. */
  refuses?: RegExp;
  /** Takes fractions. */
  isFraction?: true;
  min?: number;
  max?: number;
}

export const SETTINGS: { readonly [K in SettingKey]: Setting<Settings[K]> } = {
  enabled: { default: true, about: "Record sessions and hand memory back. Off: hooks do nothing.", inProject: true },
  worker: {
    default: true,
    about:
      "Start the background worker when it is needed. Off: memory is derived only when somebody runs `c-mem worker`.",
  },
  project: {
    default: "",
    about: "Name of the project this folder belongs to, instead of its git remote or path.",
    inProject: true,
  },
  projects: { default: {}, about: 'Project names by folder, e.g. {"~/work/app": "app"}; sub-folders follow.' },
  excludePaths: {
    default: [],
    about: 'Folders never recorded: paths or globs, e.g. ["~/clients/**"].',
  },
  skipTools: {
    default: ["ListMcpResourcesTool", "SlashCommand", "Skill", "TodoWrite", "AskUserQuestion"],
    about: "Tools whose calls are not recorded.",
    inProject: true,
  },
  maxInputChars: {
    default: 20_000,
    about: "Longest text kept of each value in a tool's input; longer ones keep head and tail.",
    min: 200,
    max: 1_000_000,
  },
  maxOutputChars: {
    default: 32_000,
    about: "Longest tool output, prompt or answer kept; longer ones keep head and tail.",
    min: 200,
    max: 1_000_000,
  },
  maxTranscriptMb: {
    default: 2_000,
    about: "Largest transcript that `c-mem sync` reads, in megabytes; larger ones are named and left out.",
    min: 1,
    max: 1_000_000,
  },
  archive: {
    default: false,
    about: "Keep compressed copies of transcripts, filtered, at every `c-mem sync`: agents delete theirs.",
  },
  surfaces: {
    default: [...SURFACES],
    about:
      "When memory speaks: session-start, compaction, prompt, file (before it is read or changed), command, error, subagent.",
    inProject: true,
  },
  contextTokens: {
    default: 2_000,
    about: "Most tokens of the block handed to an agent at session start.",
    min: 100,
    max: 9_500,
  },
  contextMaxChars: {
    default: 9_500,
    about: "Longest block handed to an agent at session start, in UTF-16 units (the client cuts at 10,000).",
    min: 200,
    max: 9_500,
  },
  contextSessions: { default: 10, about: "How many recent sessions that block draws on most.", min: 1, max: 50 },
  contextObservations: { default: 50, about: "Most observations that block lists.", min: 0, max: 200 },
  contextTypes: {
    default: [],
    about: "Types of observations it lists, e.g. decision,bugfix; empty: all.",
  },
  contextConcepts: {
    default: [],
    about: "Concepts of observations it lists, e.g. gotcha,trade-off; empty: all.",
  },
  contextFull: { default: 5, about: "How many of the newest among them are written out.", min: 0, max: 20 },
  contextFullField: {
    default: "narrative",
    about: "What of those is written out: narrative or facts.",
    oneOf: FULL_FIELDS,
  },
  contextMessage: {
    default: true,
    about: "Tell the person in one line, at session start, what the agent was told.",
  },
  holdout: {
    default: 0,
    about: "Percent of sessions that get no memory at all, so that `c-mem impact` can compare; 0: none.",
    min: 0,
    max: 90,
  },
  provider: {
    default: "none",
    about:
      "Who rewrites what the extractor noted of a turn: none, anthropic, openai (any compatible server) or claude (your own Claude Code).",
    oneOf: PROVIDERS,
    inUserFileOnly: true,
  },
  model: {
    default: "",
    about: "The provider's model; empty: claude-haiku-5-5, gpt-5.4-nano, or haiku.",
    inUserFileOnly: true,
  },
  baseUrl: {
    default: "",
    about:
      "Where the provider is, e.g. http://localhost:11434/v1 for Ollama, without a password in it; empty: the company's own.",
    refuses: /^[a-z]+:\/\/[^/]*@/i,
    inUserFileOnly: true,
  },
  apiKeyEnv: {
    default: "",
    about:
      "Name of the environment variable that holds the key; empty: ANTHROPIC_API_KEY or OPENAI_API_KEY, with an own baseUrl none.",
    inUserFileOnly: true,
  },
  tokensPerDay: {
    default: 1_000_000,
    about: "Most tokens, in and out, that a model may take in a day; 0 for none.",
    inUserFileOnly: true,
    min: 0,
    max: 1_000_000_000,
  },
  tokensPerProjectAndDay: {
    default: 500_000,
    about: "The same for each project.",
    inUserFileOnly: true,
    min: 0,
    max: 1_000_000_000,
  },
  usdPerDay: {
    default: 1,
    about: "Most US dollars that a model may cost in a day, by the prices known; 0 for none.",
    inUserFileOnly: true,
    isFraction: true,
    min: 0,
    max: 10_000,
  },
  usdPerProjectAndDay: {
    default: 0.5,
    about: "The same for each project.",
    inUserFileOnly: true,
    isFraction: true,
    min: 0,
    max: 10_000,
  },
  prices: {
    default: {},
    about:
      'Prices that C-Mem does not know or has wrong, in dollars per million tokens in/out, e.g. {"my-model": "0.25/1.25"}.',
    inUserFileOnly: true,
  },
  modelTimeoutSeconds: {
    default: 120,
    about: "How long a model may take to answer, from the question to its last word.",
    inUserFileOnly: true,
    min: 1,
    max: 300,
  },
  embeddings: {
    default: "auto",
    about:
      "Who turns texts into vectors, for search by meaning: auto (MiniLM on this machine, once `c-mem model install` has fetched it), none, or openai (any server with /v1/embeddings).",
    oneOf: EMBEDDINGS,
    inUserFileOnly: true,
  },
  embeddingsUrl: {
    default: "",
    about: "Where that server is, e.g. http://localhost:11434 for Ollama. What is embedded is sent there.",
    inUserFileOnly: true,
  },
  embeddingsModel: {
    default: "",
    about:
      "The server's model, e.g. nomic-embed-text. With another one everything is embedded anew, in the background.",
    inUserFileOnly: true,
  },
  embeddingsKeyEnv: {
    default: "",
    about: "Name of the environment variable that holds the server's key; empty: none is sent.",
    inUserFileOnly: true,
  },
};

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export const ENV_PREFIX = "C_MEM_";

export function envName(key: SettingKey): string {
  return `${ENV_PREFIX}${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Turns what a file or the environment holds into a setting's value, or undefined where it does not fit. */
export function parseSetting<K extends SettingKey>(key: K, raw: unknown): Settings[K] | undefined {
  const setting: Setting<unknown> = SETTINGS[key];
  if (typeof raw === "string" && setting.refuses?.test(raw)) return undefined;
  return parseAs(setting, raw) as Settings[K] | undefined;
}

function parseAs(setting: Setting<unknown>, raw: unknown): unknown {
  const { default: sample, oneOf } = setting;
  if (typeof sample === "boolean") return parseBoolean(raw);
  if (typeof sample === "string") {
    return typeof raw === "string" && (oneOf === undefined || oneOf.includes(raw)) ? raw : undefined;
  }
  if (typeof sample === "number") return parseNumber(setting, raw);
  if (Array.isArray(sample)) return parseList(raw);
  return parseRecord(raw);
}

function parseNumber(
  { min = -Infinity, max = Infinity, isFraction }: Setting<unknown>,
  raw: unknown,
): number | undefined {
  const value = typeof raw === "string" && raw.trim() !== "" ? Number(raw) : raw;
  if (typeof value !== "number" || !Number.isFinite(value) || value < min || value > max) return undefined;
  return isFraction || Number.isInteger(value) ? value : undefined;
}

function parseBoolean(raw: unknown): boolean | undefined {
  if (typeof raw === "boolean") return raw;
  if (raw === "1" || raw === "true") return true;
  if (raw === "0" || raw === "false") return false;
  return undefined;
}

function parseList(raw: unknown): string[] | undefined {
  if (typeof raw === "string")
    return raw
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  return Array.isArray(raw) && raw.every((item) => typeof item === "string") ? raw : undefined;
}

function parseRecord(raw: unknown): Record<string, string> | undefined {
  if (typeof raw === "string") return parseRecord(parseJson(raw));
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return undefined;
  return Object.values(raw).every((value) => typeof value === "string") ? (raw as Record<string, string>) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
