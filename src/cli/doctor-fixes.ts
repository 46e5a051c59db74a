// What `doctor --fix` does about each check that did not pass, and says in a sentence. What only a person can decide is left.
import { readInput } from "../queries/fields.ts";
import { optionName } from "./parse-args.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { BAD_FOLDER, retryBad, spoolCounts } from "../capture/live/drain.ts";
import { readInstall } from "../platform/state/install-record.ts";
import type { Paths } from "../config/paths.ts";
import { closeAllToOthers } from "../platform/private-file.ts";
import { readLock, removeLock } from "../platform/worker-lock.ts";
import { SETUPS } from "../agents/setups.ts";
import { repairStore } from "../upkeep/backup/repair.ts";
import { createBackup } from "../store/db/backup.ts";
import { retryJobs } from "../store/tables/jobs.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import { finishForget } from "../queries/forget.ts";
import type { Check } from "../health/check.ts";
import { leftovers } from "../health/worker-checks.ts";
import { repairText } from "../health/repair-text.ts";
import { readAgain } from "./deep-checks.ts";
import { asMachineTrouble } from "./machine-trouble.ts";
import { count } from "../core/text.ts";
import { DamagedStore, withStore } from "./store.ts";
import { withoutWorker } from "./worker-control.ts";

export interface Mended {
  name: string;
  /** What was done, or why nothing was. */
  done: string;
  isMended: boolean;
}

type Mend = (paths: Paths) => string | Promise<string>;

/** As `c-mem install` does it, which also takes out what is there twice. */
const installClaude: Mend = () => installAgain();

/** By the name of a check. */
const MENDS: Record<string, Mend> = {
  database: repair,
  privacy: closeAll,
  "hooks installed": installClaude,
  "hook runs": installClaude,
  "memory tools": installClaude,
  version: installClaude,
  "installed parts": copyAgain,
  ...Object.fromEntries(SETUPS.map(({ id, label }) => [label, () => installAgain(id)])),
  backups: ({ database }) => `made ${createBackup(database, "manual", Date.now()).name}`,
  transcripts: (paths) => `read ${count(readAgain(paths, process.env), "transcript")} again`,
  "background work": (paths) =>
    `gave ${count(
      withStore(paths, (db) => retryJobs(db, Date.now())),
      "job",
    )} another try`,
  spool: drainBriefly,
  "search index": (paths) =>
    `indexed ${count(
      withStore(paths, (db) => updateSearchIndex(db)),
      "row",
    )}`,
  "forgotten text": (paths) =>
    withStore(paths, (db) => {
      finishForget(db, paths);
      return "erased what was forgotten";
    }),
  leftovers: removeLeftovers,
};

const LEFT: Record<string, string> = {
  settings: "your settings are yours: nothing in them was touched",
  "claude settings": "Claude Code's settings cannot be read: nothing in them was touched",
  "hook errors": "what went wrong is in the log: c-mem logs",
  "lost events": "run c-mem sync: the agents' transcripts may have them",
};

export async function mend(paths: Paths, checks: readonly Check[]): Promise<Mended[]> {
  const mended: Mended[] = [];
  const tried = new Map<Mend, Mended>();
  for (const { name, state, fix } of checks) {
    if (state === "ok" || mended.some((one) => one.name === name)) continue;
    const work = MENDS[name];
    if (work === undefined) {
      mended.push({ name, done: LEFT[name] ?? `left to you: ${fix ?? ""}`, isMended: false });
      continue;
    }
    // What mends several is done once.
    const result = tried.get(work) ?? (await attempt(name, () => work(paths)));
    tried.set(work, result);
    mended.push({ ...result, name });
  }
  return mended;
}

async function attempt(name: string, work: () => string | Promise<string>): Promise<Mended> {
  try {
    return { name, done: await work(), isMended: true };
  } catch (thrown) {
    // One that cannot even be opened is said to be so, and was tried to be repaired.
    if (thrown instanceof DamagedStore && thrown.hasBegun) throw thrown;
    const error = asMachineTrouble(thrown) as Error;
    return { name, done: `could not be fixed: ${error.message}`, isMended: false };
  }
}

async function repair(paths: Paths): Promise<string> {
  const repaired = await withoutWorker(paths, () => repairStore(paths, Date.now()));
  if (repaired.kind === "whole") throw new Error("the file is whole, something else stands in the way");
  return repairText(repaired);
}

function drainBriefly(paths: Paths): string {
  retryBad(paths.spool);
  withStore(paths, () => {});
  const { bad } = spoolCounts(paths.spool);
  if (bad > 0) throw new Error(`${count(bad, "event")} cannot be read: see ${join(paths.spool, BAD_FOLDER)}`);
  return "brought in what waited";
}

function closeAll({ home }: Paths): string {
  const closed = closeAllToOthers(home);
  if (closed === 0) throw new Error(`${home} is not for C-Mem alone; nothing was changed`);
  return `made ${count(closed, "file")} readable by you alone`;
}

async function installAgain(...agents: string[]): Promise<string> {
  const command = ["c-mem install", ...agents].join(" ");
  const { command: install } = await import("./commands/install.ts");
  const input = readInput(install.fields, { agents, yes: true, sync: false }, optionName);
  if ((await install.run(input, { json: false })) !== 0) throw new Error(`${command} failed`);
  return `ran ${command}`;
}

/** All agents run the same copy: it is made for those it is in already. */
function copyAgain(paths: Paths): Promise<string> {
  return installAgain(...Object.keys(readInstall(paths.install)?.agents ?? {}));
}

function removeLeftovers(paths: Paths): string {
  const found = leftovers(paths, Date.now());
  for (const path of found.files) rmSync(path, { force: true });
  if (found.deadLock) removeLock(paths.workerLock, readLock(paths.workerLock)?.token);
  const parts = [
    found.files.length > 0 && `removed ${count(found.files.length, "file")} left by programs that were ended`,
    found.deadLock && "removed the lock of a worker that is gone",
  ];
  return parts.filter(Boolean).join("; ");
}
