// Where everything lives: one data directory, ~/.c-mem unless C_MEM_HOME says otherwise.
import { join, resolve, sep } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

export interface Paths {
  home: string;
  database: string;
  spool: string;
  privateTurns: string;
  /** What each session has been shown. */
  shown: string;
  config: string;
  logs: string;
  hookLog: string;
  /** How often hooks ran that had nothing to record. */
  hookFires: string;
  /** How many events no hook could write. */
  lostEvents: string;
  workerLog: string;
  /** What the worker and those who deal with it leave for each other. */
  worker: string;
  workerLock: string;
  workerStart: string;
  workerRequest: string;
  /** Where the API listens, and the token that opens it. */
  server: string;
  /** What the status line shows. */
  activity: string;
  /** The copy of the plugin that agents run: a path that stays the same across upgrades. */
  plugin: string;
  runtime: string;
  install: string;
  backups: string;
  /** Databases that were replaced: by a restored backup, or because they were damaged. */
  setAside: string;
  /** Compiled code, as long as it is valid. */
  cache: string;
  /** Compressed copies of transcripts. */
  archive: string;
  /** What `c-mem model install` fetches, and what is made of it. */
  models: string;
  /** Where `npm start` plays its example. */
  example: string;
}

export function resolvePaths(env: Env): Paths {
  const home = resolveHome(env);
  // Not join: it looks at every letter, and hooks wait for this.
  const inHome = (...parts: string[]): string => [home, ...parts].join(sep);
  return {
    home,
    database: inHome("c-mem.db"),
    spool: inHome("spool"),
    privateTurns: inHome("private"),
    shown: inHome("shown"),
    config: inHome("config.json"),
    logs: inHome("logs"),
    hookLog: inHome(...HOOK_LOG),
    hookFires: inHome("logs", "fired"),
    lostEvents: inHome("logs", "lost-events"),
    workerLog: inHome("logs", "worker.log"),
    worker: inHome("worker"),
    workerLock: inHome("worker", "lock.json"),
    workerStart: inHome("worker", "start"),
    workerRequest: inHome("worker", "request"),
    server: inHome("server.json"),
    activity: inHome("activity.json"),
    plugin: inHome("plugin"),
    runtime: inHome("runtime"),
    install: inHome("install.json"),
    backups: inHome("backups"),
    setAside: inHome("set-aside"),
    cache: inHome(CACHE),
    archive: inHome("archive"),
    models: inHome("models"),
    example: inHome("example"),
  };
}

/** Compiled code: of the hooks and of the command line. */
export const CACHE = "cache";
/** Folders with programs, compiled or not, and models, as they were fetched or copied: nothing recorded is in them. */
export const PROGRAM_FOLDERS: readonly string[] = ["plugin", "runtime", CACHE, "models", "example"];
/** What hooks had to say. */
export const HOOK_LOG = ["logs", "hook.log"] as const;

export function resolveHome(env: Env): string {
  return resolve(env["C_MEM_HOME"] || join(userHome(env), ".c-mem"));
}

export function userHome(env: Env): string {
  // Loaded only where it is needed: that takes a third of a millisecond.
  return env["HOME"] || process.getBuiltinModule("node:os").homedir();
}

/** The file inside a project that names it or switches C-Mem off there. */
export const PROJECT_FILE = ".c-mem.json";
/** The file in a folder that says what of it is not to be recorded. */
export const IGNORE_FILE = ".c-memignore";

/** No file system knows a longer path: whatever names one means no folder, and nobody walks up from it. */
export const MAX_PATH_CHARS = 4096;

/** Switches everything off, for a process and what it starts. */
export function isDisabled(env: Env): boolean {
  return !["", "0", "false"].includes(env["C_MEM_DISABLE"] ?? "");
}
