// Paths in the data directory: C_MEM_HOME, by default ~/.c-mem.
import { join, resolve, sep } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

export type Paths = ReturnType<typeof resolvePaths>;

/** Bytecode of the hooks and of the command line. */
export const CACHE = "cache";
/** Folders with programs and models; they contain no recorded data. */
export const PROGRAM_FOLDERS: readonly string[] = ["plugin", "runtime", CACHE, "models", "example"];
export const HOOK_LOG = ["logs", "hook.log"] as const;

export function resolvePaths(env: Env) {
  const home = resolveHome(env);
  // Not `join`, which also normalises each path: every hook would wait for that.
  const inHome = (...parts: string[]): string => [home, ...parts].join(sep);
  return {
    home,
    config: inHome("config.json"),
    database: inHome("c-mem.db"),
    spool: inHome("spool"),
    /** One file for each session that is in a private turn. */
    privateTurns: inHome("private"),
    /** What was injected into each session. */
    shown: inHome("shown"),
    logs: inHome("logs"),
    hookLog: inHome(...HOOK_LOG),
    /** Counts of hook runs that recorded no event. */
    hookFires: inHome("logs", "fired"),
    /** The count of events that hooks could not write anywhere. */
    lostEvents: inHome("logs", "lost-events"),
    workerLog: inHome("logs", "worker.log"),
    /** Files through which the worker and other processes coordinate. */
    worker: inHome("worker"),
    workerLock: inHome("worker", "lock.json"),
    workerStart: inHome("worker", "start"),
    workerRequest: inHome("worker", "request"),
    /** The API's port and token. */
    server: inHome("server.json"),
    /** What the status line shows. */
    activity: inHome("activity.json"),
    /** The copy of the plugin that agents run, at the same path across upgrades. */
    plugin: inHome("plugin"),
    runtime: inHome("runtime"),
    install: inHome("install.json"),
    backups: inHome("backups"),
    /** Quarantined databases: replaced by a backup, or damaged. */
    quarantine: inHome("set-aside"),
    cache: inHome(CACHE),
    /** Compressed copies of transcripts. */
    archive: inHome("archive"),
    /** Embedding models, as downloaded and as built. */
    models: inHome("models"),
    /** What the Agent SDK keeps of conversations with a model, a folder for each. */
    conversations: inHome("conversations"),
    /** Data directory of the example that `npm start` plays. */
    example: inHome("example"),
  };
}

export function resolveHome(env: Env): string {
  return resolve(env["C_MEM_HOME"] || join(userHome(env), ".c-mem"));
}

export function userHome(env: Env): string {
  if (env["HOME"]) return env["HOME"];
  // Loaded only if HOME is not set: loading takes a third of a millisecond.
  const { homedir, userInfo } = process.getBuiltinModule("node:os");
  // If HOME is "", homedir() is "", too: data would be stored in the current folder.
  return homedir() || userInfo().homedir;
}

/** The file inside a project that names it or switches C-Mem off there. */
export const PROJECT_FILE = ".c-mem.json";
/** The file that excludes files of its folder from recording. */
export const IGNORE_FILE = ".c-memignore";

/** A longer text is not looked up as a path: Linux and macOS do not allow longer ones. */
export const MAX_PATH_CHARS = 4096;

/** C_MEM_DISABLE is an environment variable, so that child processes inherit it. */
export function isDisabled(env: Env): boolean {
  return !["", "0", "false"].includes(env["C_MEM_DISABLE"] ?? "");
}
