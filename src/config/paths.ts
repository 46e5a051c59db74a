// Where everything lives: one data directory, ~/.c-mem unless C_MEM_HOME says otherwise.
import { homedir } from "node:os";
import { join, resolve } from "node:path";

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
  workerLog: string;
  /** What the worker and those who deal with it leave for each other. */
  worker: string;
  workerLock: string;
  workerStart: string;
  workerRequest: string;
  /** What the status line shows. */
  activity: string;
  /** The copy of the plugin that agents run: a path that stays the same across upgrades. */
  plugin: string;
  runtime: string;
  install: string;
  backups: string;
  /** Compiled code of the command line (see bin/c-mem.cjs). */
  cache: string;
  /** Compressed copies of transcripts. */
  archive: string;
  /** What `c-mem model install` fetches, and what is made of it. */
  models: string;
  /** Where `npm start` plays its example. */
  example: string;
}

export function resolvePaths(env: Env): Paths {
  const home = resolve(env["C_MEM_HOME"] || join(env["HOME"] || homedir(), ".c-mem"));
  return {
    home,
    database: join(home, "c-mem.db"),
    spool: join(home, "spool"),
    privateTurns: join(home, "private"),
    shown: join(home, "shown"),
    config: join(home, "config.json"),
    logs: join(home, "logs"),
    hookLog: join(home, "logs", "hook.log"),
    workerLog: join(home, "logs", "worker.log"),
    worker: join(home, "worker"),
    workerLock: join(home, "worker", "lock.json"),
    workerStart: join(home, "worker", "start"),
    workerRequest: join(home, "worker", "request"),
    activity: join(home, "activity.json"),
    plugin: join(home, "plugin"),
    runtime: join(home, "runtime"),
    install: join(home, "install.json"),
    backups: join(home, "backups"),
    cache: join(home, "cache"),
    archive: join(home, "archive"),
    models: join(home, "models"),
    example: join(home, "example"),
  };
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
