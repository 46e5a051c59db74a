// Every setting with its default and a description. `c-mem config` and the docs are generated from this table.
import { SURFACES } from "../core/event.ts";
import { parseJson } from "../core/json.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../core/memory.ts";
import { patternProblem } from "../core/path-pattern.ts";
import { parseList } from "./list.ts";

/** Model providers that rewrite the extractor's observations. */
export const PROVIDERS = [
  "none",
  "claude",
  "agent-sdk",
  "anthropic",
  "openai",
  "openrouter",
  "gemini",
  "ollama",
  "lmstudio",
  "vllm",
] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Ways to compute vectors. */
const EMBEDDINGS = ["auto", "none", "openai"] as const;

/** Fields of an observation that the context block can show in full. */
const FULL_FIELDS = ["narrative", "facts"] as const;
export type FullField = (typeof FULL_FIELDS)[number];

/** Agents whose sessions are read from files. */
export const AGENTS_WITH_SESSIONS = ["claude-code", "codex", "gemini-cli", "copilot-cli", "opencode"] as const;

/** Relative paths are rejected, because hooks and the worker run in different folders. */
const RELATIVE_FOLDER = /^(?![/\\]|~(?:[/\\]|$)|[a-z]:[/\\])/i;

interface Options {
  /** A file inside a project may set it. Only for harmless settings, because that file may come from a stranger. */
  inProject?: true;
  /**
   * Read only from the user's own file, because it may cost money or send text elsewhere. A project's agent settings
   * can set environment variables, which the worker inherits.
   */
  inUserFileOnly?: true;
  /** Allowed values, or allowed items of a list. */
  oneOf?: readonly string[];
  /** For lists: returns why an item has no effect. `config set` rejects such an item, `doctor` reports it. */
  itemProblem?: (item: string) => string | undefined;
  /** For texts: returns what is wrong with a new value. A value that is in the file already is used. */
  problem?: (text: string) => string | undefined;
  /** For lists: items are paths, which may contain commas. */
  hasPaths?: true;
  /** Nothing is recorded while its value is invalid, because it may exclude something from recording. */
  guardsPrivacy?: true;
  /** Rejected texts, or rejected values of a record. */
  rejects?: RegExp;
  /** For records: the allowed keys. */
  keys?: readonly string[];
  isFraction?: true;
  min?: number;
  max?: number;
}

interface Setting<T> extends Options {
  default: T;
  about: string;
}

function define<T>(initial: T, about: string, options: Options = {}): Setting<T> {
  return { default: initial, about, ...options };
}

function number(initial: number, [min, max]: [number, number], about: string, options: Options = {}): Setting<number> {
  return { default: initial, about, min, max, ...options };
}

function choice<T extends string>(
  initial: NoInfer<T>,
  oneOf: readonly T[],
  about: string,
  options: Options = {},
): Setting<T> {
  return { default: initial, about, oneOf, ...options };
}

const USER_FILE = { inUserFileOnly: true } as const;
const MAX_DAYS = 36_500;

const TABLE = {
  enabled: define<boolean>(true, "Record sessions and inject context. Off: hooks do nothing.", {
    inProject: true,
    guardsPrivacy: true,
  }),
  worker: define<boolean>(
    true,
    "Start the background worker when there is work. Off: memory is derived when a command needs it, or after `c-mem worker start`.",
  ),
  port: number(
    37_777,
    [0, 65_535],
    "Port of the page and the API on 127.0.0.1; if it is taken, one of the next. 0: no server. A change takes effect when the worker restarts.",
  ),
  project: define("", "Name of the project this folder belongs to, instead of its git remote or path.", {
    inProject: true,
  }),
  projects: define<Record<string, string>>(
    {},
    'Project names by folder, e.g. {"~/work/app": "app"}. A name also applies to sub-folders.',
  ),
  excludePaths: define<string[]>(
    [],
    'Folders and files never recorded: paths or globs, e.g. ["~/clients/**"]. Also matches transcript files: "**/subagents/**" excludes subagents. `c-mem ignore` edits this list.',
    { hasPaths: true, itemProblem: patternProblem, guardsPrivacy: true },
  ),
  skipTools: define(
    ["ListMcpResourcesTool", "SlashCommand", "Skill"],
    "Tools whose calls are not recorded, by full name, e.g. Bash,mcp__github__get_me.",
    { inProject: true, itemProblem: toolNameProblem, guardsPrivacy: true },
  ),
  maxTranscriptMb: number(
    2_000,
    [1, 1_000_000],
    "Largest transcript that `c-mem sync` reads, in megabytes; larger ones are reported and skipped.",
  ),
  sessionFolders: define<Record<string, string>>(
    {},
    'Where agents store sessions, if not in the usual place, e.g. {"claude-code": "~/.claude-work/projects"}; separate several folders with ":" (on Windows ";"). Name the folder sessions of codex, tmp of gemini-cli, session-state of copilot-cli, the data folder of opencode.',
    { keys: AGENTS_WITH_SESSIONS, rejects: RELATIVE_FOLDER },
  ),
  archive: define<boolean>(
    false,
    "Keep compressed, filtered copies of transcripts, updated by `c-mem sync`: agents delete their transcripts after a while.",
  ),
  backupsDaily: number(7, [0, 365], "How many daily backups of the database to keep; 0: make none."),
  retentionEvidenceDays: number(
    0,
    [0, MAX_DAYS],
    "Delete prompts, messages and tool uses after this many days; memory derived from them stays. 0: keep forever.",
    USER_FILE,
  ),
  retentionMemoryDays: number(
    0,
    [0, MAX_DAYS],
    "Delete observations after this many days, except those you pinned, wrote, edited or imported. 0: keep forever.",
    USER_FILE,
  ),
  retentionMaxMb: number(
    0,
    [0, 10_000_000],
    "Maximum size of the database in megabytes. Above it, the evidence of the oldest sessions is deleted. 0: no limit.",
    USER_FILE,
  ),
  retentionProjects: define<Record<string, string>>(
    {},
    'Limits in days (evidence/memory) for single projects, by name or key, instead of retentionEvidenceDays and retentionMemoryDays, e.g. {"app": "30/365"}. "0" keeps everything, even if the database is larger than retentionMaxMb.',
    USER_FILE,
  ),
  searchLimit: number(10, [1, 1_000], "How many results a search returns without --limit."),
  searchSnippetChars: number(220, [40, 10_000], "Longest snippet shown with each search result, in characters."),
  surfaces: define<string[]>(
    [...SURFACES],
    "When C-Mem injects context: session-start, compaction, prompt, file (before it is read or changed), command, error, subagent.",
    { oneOf: SURFACES, inProject: true },
  ),
  contextTokens: number(900, [100, 9_500], "Maximum tokens of the context block injected at session start."),
  contextMaxChars: number(
    9_500,
    [200, 9_500],
    "Longest context block at session start, in UTF-16 units (the client cuts at 10,000).",
  ),
  contextSessions: number(6, [1, 50], "How many recent sessions the session-start block covers."),
  contextObservations: number(
    0,
    [0, 200],
    "Maximum number of observations in the session-start block, besides where work stopped and decisions in force.",
  ),
  contextTypes: define<string[]>(
    [],
    "Types of observations in the session-start block, e.g. change,bugfix; empty: all. Where work stopped, decisions in force and pinned observations are shown in any case.",
    {
      oneOf: OBSERVATION_TYPES,
    },
  ),
  contextConcepts: define<string[]>(
    [],
    "Concepts of observations in the session-start block, e.g. gotcha,trade-off; empty: all. Where work stopped, decisions in force and pinned observations are shown in any case.",
    {
      oneOf: CONCEPTS,
    },
  ),
  contextFull: number(5, [0, 20], "How many of the newest observations the session-start block shows in full."),
  contextFullField: choice(
    "narrative",
    FULL_FIELDS,
    "What an observation shown in full consists of: narrative or facts.",
  ),
  contextMessage: define<boolean>(true, "Show the user one line about the injected context at session start."),
  holdout: number(
    0,
    [0, 90],
    "Percent of sessions that get no context, so that `c-mem impact` can compare; 0: every session gets context.",
  ),
  provider: choice(
    "none",
    PROVIDERS,
    "Who rewrites the extractor's observations: none, claude (your own Claude Code), agent-sdk (Claude's Agent SDK, after `c-mem model install --agent-sdk`), an API (anthropic, openai, openrouter, gemini) or a server on this machine (ollama, lmstudio, vllm). openai with your own baseUrl is any compatible server.",
    USER_FILE,
  ),
  model: define(
    "",
    "The provider's model; empty: its smallest (claude-haiku-5-5, gpt-5.4-nano, gemini-3.5-flash-lite, haiku). ollama, lmstudio and vllm need a name.",
    USER_FILE,
  ),
  baseUrl: define(
    "",
    "The provider's URL, e.g. http://localhost:4000/v1, without a password in it; empty: the usual one.",
    { rejects: /^[a-z]+:\/\/[^/]*@/i, problem: urlProblem, inUserFileOnly: true },
  ),
  apiKeyEnv: define(
    "",
    "Environment variable with the API key; empty: ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY or GEMINI_API_KEY, or none with your own baseUrl.",
    { problem: variableProblem, inUserFileOnly: true },
  ),
  tokensPerDay: number(
    1_000_000,
    [0, 1_000_000_000],
    "Maximum tokens per day, input and output together; 0: no requests.",
    USER_FILE,
  ),
  tokensPerProjectAndDay: number(
    500_000,
    [0, 1_000_000_000],
    "Maximum tokens per project and day; 0: no requests.",
    USER_FILE,
  ),
  usdPerDay: number(1, [0, 10_000], "Maximum cost per day in US dollars, by the known prices; 0: no requests.", {
    inUserFileOnly: true,
    isFraction: true,
  }),
  usdPerProjectAndDay: number(0.5, [0, 10_000], "Maximum cost per project and day in US dollars; 0: no requests.", {
    inUserFileOnly: true,
    isFraction: true,
  }),
  prices: define<Record<string, string>>(
    {},
    'Prices of models that C-Mem does not know, or instead of its own, in dollars per million tokens (input/output, or input/output/cached input), e.g. {"my-model": "0.25/1.25"}.',
    USER_FILE,
  ),
  modelTimeoutSeconds: number(120, [1, 300], "Seconds until a request to the model times out.", USER_FILE),
  embeddings: choice(
    "auto",
    EMBEDDINGS,
    "What computes vectors for semantic search: auto (MiniLM on this machine, after `c-mem model install`), none, or openai (any server with /v1/embeddings).",
    USER_FILE,
  ),
  embeddingsUrl: define(
    "",
    "URL of the embeddings server, e.g. http://localhost:11434 for Ollama. Texts to embed are sent there.",
    USER_FILE,
  ),
  embeddingsModel: define(
    "",
    "Model of the embeddings server, e.g. nomic-embed-text. After a change everything is embedded again, in the background.",
    USER_FILE,
  ),
  embeddingsKeyEnv: define(
    "",
    "Environment variable with the API key of the embeddings server; empty: no key is sent.",
    { problem: variableProblem, inUserFileOnly: true },
  ),
};

export type SettingKey = keyof typeof TABLE;
export type Settings = { [K in SettingKey]: (typeof TABLE)[K]["default"] };

export const SETTINGS: { readonly [K in SettingKey]: Setting<Settings[K]> } = TABLE;

/** Settings of earlier versions, which are ignored in a file. */
export const RETIRED_KEYS: readonly string[] = [
  "maxInputChars",
  "maxOutputChars",
  "backupsBeforeMigration",
  "backupsMaxMb",
  "compressAfterDays",
];

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export const ENV_PREFIX = "C_MEM_";

export function envName(key: SettingKey): string {
  return `${ENV_PREFIX}${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** A setting's value from a file, an argument or the environment; undefined if invalid. */
export function parseSetting<K extends SettingKey>(key: K, raw: unknown): Settings[K] | undefined {
  const { value, rejected } = readSetting(key, raw);
  return rejected.length === 0 ? value : undefined;
}

/** `rejected`: invalid items of a list. `value` is undefined if all items are invalid. */
export function readSetting<K extends SettingKey>(
  key: K,
  raw: unknown,
): { value: Settings[K] | undefined; rejected: string[] } {
  const value = parseAs(SETTINGS[key], raw) as Settings[K] | undefined;
  const { oneOf } = SETTINGS[key];
  if (oneOf === undefined || !Array.isArray(value)) return { value, rejected: [] };
  const valid = value.filter((item) => oneOf.includes(item));
  return {
    value: valid.length === 0 && value.length > 0 ? undefined : (valid as Settings[K]),
    rejected: value.filter((item) => !oneOf.includes(item)),
  };
}

/** Items of a list that are valid but have no effect, each with the reason. */
export function ineffectiveItems(key: SettingKey, value: unknown): { item: string; problem: string }[] {
  const { itemProblem } = SETTINGS[key];
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
  const { default: sample, oneOf, rejects } = setting;
  if (typeof sample === "boolean") return parseBoolean(raw);
  if (typeof sample === "string") {
    if (typeof raw !== "string" || rejects?.test(raw)) return undefined;
    return oneOf === undefined || oneOf.includes(raw) ? raw : undefined;
  }
  if (typeof sample === "number") return parseNumber(setting, raw);
  if (!Array.isArray(sample)) return parseRecord(setting, raw);
  const items = parseList(raw);
  return setting.hasPaths ? items : items && parseList(items.join(","));
}

function parseNumber({ min = -Infinity, max = Infinity, isFraction }: Options, raw: unknown): number | undefined {
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

function parseRecord({ keys, rejects }: Options, raw: unknown): Record<string, string> | undefined {
  const record = typeof raw === "string" ? parseJson(raw) : raw;
  if (typeof record !== "object" || record === null || Array.isArray(record)) return undefined;
  const fits = Object.entries(record).every(
    ([key, value]) => typeof value === "string" && (keys?.includes(key) ?? true) && !rejects?.test(value),
  );
  return fits ? (record as Record<string, string>) : undefined;
}

function urlProblem(text: string): string | undefined {
  return text === "" || (/^https?:/i.test(text) && URL.canParse(text))
    ? undefined
    : "takes a URL such as http://localhost:4000/v1";
}

/** Users paste the key itself. The message must not repeat it. */
function variableProblem(text: string): string | undefined {
  return text === "" || /^[A-Za-z_]\w{0,63}$/.test(text) ? undefined : "takes the name of a variable, not the key";
}

/** Patterns such as "Bash(git *)" and "mcp__*" match no tool. */
function toolNameProblem(name: string): string | undefined {
  return /^[\p{L}\p{N}_.:/@-]+$/u.test(name) ? undefined : "can match nothing: use full tool names, not patterns";
}
