// Every setting: its default and a sentence about it. `c-mem config` and the docs are made from this table.
import { SURFACES } from "../core/event.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../core/memory.ts";
import { patternProblem } from "../core/path-pattern.ts";
import { parseJson, parseList } from "./list.ts";

export interface Settings {
  enabled: boolean;
  worker: boolean;
  port: number;
  project: string;
  projects: Record<string, string>;
  excludePaths: string[];
  skipTools: string[];
  maxInputChars: number;
  maxOutputChars: number;
  maxTranscriptMb: number;
  sessionFolders: Record<string, string>;
  archive: boolean;
  backupsDaily: number;
  backupsBeforeMigration: number;
  backupsMaxMb: number;
  compressAfterDays: number;
  retentionEvidenceDays: number;
  retentionMemoryDays: number;
  retentionMaxMb: number;
  retentionProjects: Record<string, string>;
  searchLimit: number;
  searchSnippetChars: number;
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

/** Agents whose sessions are read from files. */
export const AGENTS_WITH_SESSIONS = ["claude-code", "codex", "gemini-cli", "copilot-cli", "opencode"] as const;

/** A folder has to be given from the root, a drive or home: hooks and the worker run in different folders. */
const RELATIVE_FOLDER = /^(?![/\\]|~(?:[/\\]|$)|[a-z]:[/\\])/i;

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
  /** Of a list: each of its items. */
  oneOf?: readonly string[];
  /** Of a list: why an item does not do what it seems to. It is kept; `config set` refuses it, `doctor` reports it. */
  itemProblem?: (item: string) => string | undefined;
  /** Of a list: a comma may be part of an item. */
  hasPaths?: true;
  /** Nothing is recorded while its value cannot be read: better a gap in memory than a record of what was to be left out. */
  guardsPrivacy?: true;
  /** A text like this is not taken; of a record: no value like this. */
  refuses?: RegExp;
  /** Of a record: the only keys there may be. */
  keys?: readonly string[];
  /** Takes fractions. */
  isFraction?: true;
  min?: number;
  max?: number;
}

export const SETTINGS: { readonly [K in SettingKey]: Setting<Settings[K]> } = {
  enabled: {
    default: true,
    about: "Record sessions and hand memory back. Off: hooks do nothing.",
    inProject: true,
    guardsPrivacy: true,
  },
  worker: {
    default: true,
    about:
      "Start the background worker when it is needed. Off: memory is derived only when somebody runs `c-mem worker`.",
  },
  port: {
    default: 37_777,
    about:
      "Port of the page and the API on 127.0.0.1; the next free one if it is taken. 0: neither is served. Holds from the worker's next start.",
    min: 0,
    max: 65_535,
  },
  project: {
    default: "",
    about: "Name of the project this folder belongs to, instead of its git remote or path.",
    inProject: true,
  },
  projects: { default: {}, about: 'Project names by folder, e.g. {"~/work/app": "app"}; sub-folders follow.' },
  excludePaths: {
    default: [],
    about:
      'Folders and files never recorded: paths or globs, e.g. ["~/clients/**"]. Transcript files count as well: "**/subagents/**" leaves out subagents. `c-mem ignore` changes them.',
    hasPaths: true,
    itemProblem: patternProblem,
    guardsPrivacy: true,
  },
  skipTools: {
    default: ["ListMcpResourcesTool", "SlashCommand", "Skill", "TodoWrite", "AskUserQuestion"],
    about: "Tools whose calls are not recorded, by their full names, e.g. Bash,mcp__github__get_me.",
    inProject: true,
    itemProblem: toolNameProblem,
    guardsPrivacy: true,
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
  sessionFolders: {
    default: {},
    about:
      'Where agents keep their sessions, if elsewhere than usual, e.g. {"claude-code": "~/.claude-work/projects"}; several with : between (; on Windows). For codex its sessions folder, gemini-cli tmp, copilot-cli session-state, opencode its data folder.',
    keys: AGENTS_WITH_SESSIONS,
    refuses: RELATIVE_FOLDER,
  },
  archive: {
    default: false,
    about: "Keep compressed copies of transcripts, filtered, at every `c-mem sync`: agents delete theirs.",
  },
  backupsDaily: {
    default: 7,
    about: "How many daily backups of the database are kept; 0: none are made.",
    min: 0,
    max: 365,
  },
  backupsBeforeMigration: {
    default: 3,
    about: "How many of those are kept that are made before an update changes the database.",
    min: 1,
    max: 100,
  },
  backupsMaxMb: {
    default: 5_000,
    about: "Most megabytes that all backups take; the oldest go first, the newest always stays.",
    min: 1,
    max: 10_000_000,
  },
  compressAfterDays: {
    default: 30,
    about: "Tool outputs older than this are kept compressed; 0: never.",
    min: 0,
    max: 36_500,
  },
  retentionEvidenceDays: {
    default: 0,
    about:
      "After so many days what happened in a session is taken out (prompts, messages, tool uses); what was learnt of it stays. 0: kept for good.",
    inUserFileOnly: true,
    min: 0,
    max: 36_500,
  },
  retentionMemoryDays: {
    default: 0,
    about: "The same for observations; what you pinned, wrote, reworded or imported stays. 0: kept for good.",
    inUserFileOnly: true,
    min: 0,
    max: 36_500,
  },
  retentionMaxMb: {
    default: 0,
    about:
      "Most megabytes that the database may hold: above it what happened in the oldest sessions is taken out. 0: no limit.",
    inUserFileOnly: true,
    min: 0,
    max: 10_000_000,
  },
  retentionProjects: {
    default: {},
    about:
      'Other days for some projects, evidence/memory, by name or key, e.g. {"app": "30/365"}; 0 keeps, whatever the rest says.',
    inUserFileOnly: true,
  },
  searchLimit: {
    default: 10,
    about: "How many results a search gives unless --limit says otherwise.",
    min: 1,
    max: 1_000,
  },
  searchSnippetChars: {
    default: 220,
    about: "Longest piece of text shown with each result of a search.",
    min: 40,
    max: 10_000,
  },
  surfaces: {
    default: [...SURFACES],
    about:
      "When memory speaks: session-start, compaction, prompt, file (before it is read or changed), command, error, subagent.",
    oneOf: SURFACES,
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
    oneOf: OBSERVATION_TYPES,
  },
  contextConcepts: {
    default: [],
    about: "Concepts of observations it lists, e.g. gotcha,trade-off; empty: all.",
    oneOf: CONCEPTS,
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

/** Turns what a person, a program or the environment gives into a setting's value, or undefined where it does not fit. */
export function parseSetting<K extends SettingKey>(key: K, raw: unknown): Settings[K] | undefined {
  const { value, rejected } = readSetting(key, raw);
  return rejected.length === 0 ? value : undefined;
}

/** Of a list the items that fit, and those that do not; no value where nothing of it fits. */
export function readSetting<K extends SettingKey>(
  key: K,
  raw: unknown,
): { value: Settings[K] | undefined; rejected: string[] } {
  const setting: Setting<unknown> = SETTINGS[key];
  const value = parseAs(setting, raw);
  const { oneOf } = setting;
  if (oneOf === undefined || !Array.isArray(value)) return { value: value as Settings[K] | undefined, rejected: [] };
  const fitting = (value as string[]).filter((item) => oneOf.includes(item));
  const rejected = (value as string[]).filter((item) => !oneOf.includes(item));
  const isEmpty = fitting.length === 0 && rejected.length > 0;
  return { value: isEmpty ? undefined : (fitting as Settings[K]), rejected };
}

/** The items of a list that are well formed and do not do what they seem to, each with the reason. */
export function doubtfulItems(key: SettingKey, value: unknown): { item: string; problem: string }[] {
  const { itemProblem }: Setting<unknown> = SETTINGS[key];
  if (itemProblem === undefined || !Array.isArray(value)) return [];
  return (value as string[]).flatMap((item) => {
    const problem = itemProblem(item);
    return problem === undefined ? [] : [{ item, problem }];
  });
}

export function isListKey(key: SettingKey): boolean {
  return Array.isArray(SETTINGS[key].default);
}

function parseAs(setting: Setting<unknown>, raw: unknown): unknown {
  const { default: sample, oneOf, refuses } = setting;
  if (typeof sample === "boolean") return parseBoolean(raw);
  if (typeof sample === "string") {
    if (typeof raw !== "string" || refuses?.test(raw)) return undefined;
    return oneOf === undefined || oneOf.includes(raw) ? raw : undefined;
  }
  if (typeof sample === "number") return parseNumber(setting, raw);
  if (!Array.isArray(sample)) return fittingRecord(setting, parseRecord(raw));
  const items = parseList(raw);
  return setting.hasPaths ? items : items && parseList(items.join(","));
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
  const text = typeof raw === "string" ? raw.trim().toLowerCase() : raw;
  if (["1", "true", "yes", "on", 1].includes(text as string)) return true;
  if (["0", "false", "no", "off", 0].includes(text as string)) return false;
  return undefined;
}

function parseRecord(raw: unknown): Record<string, string> | undefined {
  if (typeof raw === "string") return parseRecord(parseJson(raw));
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return undefined;
  return Object.values(raw).every((value) => typeof value === "string") ? (raw as Record<string, string>) : undefined;
}

function fittingRecord(
  { keys, refuses }: Setting<unknown>,
  record: Record<string, string> | undefined,
): Record<string, string> | undefined {
  if (record === undefined) return undefined;
  const fits = Object.entries(record).every(
    ([key, value]) => (keys === undefined || keys.includes(key)) && !refuses?.test(value),
  );
  return fits ? record : undefined;
}

/** Tool names are compared whole: "Bash(git *)" and "mcp__*" match no tool. */
function toolNameProblem(name: string): string | undefined {
  return /^[\p{L}\p{N}_.:/@-]+$/u.test(name)
    ? undefined
    : "can match nothing: it takes full names of tools, not patterns";
}
