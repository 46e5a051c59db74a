// What `doctor --fix` does for each failed check. Settings are left to the user.
import { readInput } from "../queries/fields.ts";
import { optionName } from "./parse-args.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { BAD_FOLDER, retryBad, spoolCounts } from "../capture/live/drain.ts";
import { readInstall } from "../platform/state/install-record.ts";
import type { Paths } from "../config/paths.ts";
import { makeAllPrivate } from "../platform/private-file.ts";
import { readLock, removeLock } from "../platform/worker-lock.ts";
import { SETUPS } from "../agents/setups.ts";
import { repairStore, repairText } from "../upkeep/backup/repair.ts";
import { createBackup } from "../store/db/backup.ts";
import { retryJobs } from "../store/tables/jobs.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import { finishForget } from "../queries/forget.ts";
import type { Check } from "../health/check.ts";
import { leftovers } from "../health/worker-checks.ts";
import { rereadTranscripts } from "./deep-checks.ts";
import { explainSystemError } from "./system-error.ts";
import { count } from "../core/text.ts";
import { DamagedStore, withStore } from "./store.ts";
import { withoutWorker } from "./worker-control.ts";

export interface FixResult {
  name: string;
  /** What was done, or why it was not fixed. */
  done: string;
  isFixed: boolean;
}

type Fix = (paths: Paths) => string | Promise<string>;

/** `c-mem install` also removes duplicate hooks. */
const installClaude: Fix = (paths) => reinstall(paths);

/** By the name of a check. */
const FIXES: Record<string, Fix> = {
  database: repair,
  privacy: restrictAccess,
  "hooks installed": installClaude,
  "hook runs": installClaude,
  "memory tools": installClaude,
  version: installClaude,
  // All agents run the same copy of the plugin.
  "installed parts": (paths) => reinstall(paths, ...Object.keys(readInstall(paths.install)?.agents ?? {})),
  ...Object.fromEntries(SETUPS.map(({ id, label }): [string, Fix] => [label, (paths) => reinstall(paths, id)])),
  backups: ({ database }) => `made ${createBackup(database, "manual", Date.now()).name}`,
  transcripts: (paths) => `read ${count(rereadTranscripts(paths, process.env), "transcript")} again`,
  "background work": (paths) => {
    const jobs = withStore(paths, (db) => retryJobs(db, Date.now()));
    return `retried ${count(jobs, "job")}`;
  },
  spool: drainSpool,
  "search index": (paths) => `indexed ${count(withStore(paths, updateSearchIndex), "row")}`,
  "forgotten text": (paths) =>
    withStore(paths, (db) => {
      finishForget(db, paths);
      return "erased forgotten text";
    }),
  leftovers: removeLeftovers,
};

/** Reasons why some checks cannot be fixed here. */
const NOT_FIXED: Record<string, string> = {
  settings: "your settings were not changed: edit them yourself",
  "claude settings": "Claude Code's settings cannot be read, so they were not changed",
  "hook errors": "the errors are in the log: c-mem logs",
  "lost events": "run c-mem sync: the agents' transcripts may have them",
};

export async function applyFixes(paths: Paths, checks: readonly Check[]): Promise<FixResult[]> {
  const results: FixResult[] = [];
  const tried = new Map<Fix, FixResult>();
  for (const { name, state, fix } of checks) {
    if (state === "ok" || results.some((one) => one.name === name)) continue;
    const work = FIXES[name];
    if (work === undefined) {
      results.push({ name, done: NOT_FIXED[name] ?? `not fixed: ${fix ?? ""}`, isFixed: false });
      continue;
    }
    // One fix may serve several checks.
    const result = tried.get(work) ?? (await attempt(name, () => work(paths)));
    tried.set(work, result);
    results.push({ ...result, name });
  }
  return results;
}

async function attempt(name: string, work: () => string | Promise<string>): Promise<FixResult> {
  try {
    return { name, done: await work(), isFixed: true };
  } catch (thrown) {
    // The fix has found damage in the database: the caller repairs the database.
    if (thrown instanceof DamagedStore && thrown.hasBegun) throw thrown;
    const error = explainSystemError(thrown) as Error;
    return { name, done: `could not be fixed: ${error.message}`, isFixed: false };
  }
}

async function repair(paths: Paths): Promise<string> {
  const repaired = await withoutWorker(paths, () => repairStore(paths, Date.now()));
  if (repaired.kind === "intact") throw new Error("the file is intact");
  return repairText(repaired);
}

function drainSpool(paths: Paths): string {
  retryBad(paths.spool);
  withStore(paths, () => {});
  const { bad } = spoolCounts(paths.spool);
  if (bad > 0) throw new Error(`${count(bad, "event")} cannot be read: see ${join(paths.spool, BAD_FOLDER)}`);
  return "stored the waiting events";
}

function restrictAccess({ home }: Paths): string {
  const closed = makeAllPrivate(home);
  if (closed === 0) throw new Error(`${home} is shared with other programs; nothing was changed`);
  return `made ${count(closed, "file")} readable by you only`;
}

async function reinstall(paths: Paths, ...agents: string[]): Promise<string> {
  const command = ["c-mem install", ...agents].join(" ");
  const { command: install } = await import("./commands/install.ts");
  const input = readInput(install.fields, { agents, yes: true, sync: false }, optionName);
  const exitCode = await install.run(input, { json: false, paths, env: process.env });
  if (exitCode !== 0) throw new Error(`${command} failed`);
  return `ran ${command}`;
}

function removeLeftovers(paths: Paths): string {
  const found = leftovers(paths, Date.now());
  for (const path of found.files) rmSync(path, { force: true });
  if (found.deadLock) removeLock(paths.workerLock, readLock(paths.workerLock)?.token);
  const parts = [
    found.files.length > 0 && `removed ${count(found.files.length, "file")} left by killed processes`,
    found.deadLock && "removed the lock of a dead worker",
  ];
  return parts.filter(Boolean).join("; ");
}
