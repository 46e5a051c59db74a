// Moves drops from the spool into the database, each exactly once, in order. Several processes may do it at once.
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readWhole } from "../../agents/agent-files.ts";
import { type CapturedEvent, KNOWN_ACTIVITIES } from "../../core/event.ts";
import { parseJson } from "../../core/json.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { type Db, isStorageError } from "../../store/db/driver.ts";
import { nested, transaction } from "../../store/db/transaction.ts";
import { claimDrop, claimedDropNames, countHookRun, deleteDropNames } from "../../store/tables/drops.ts";
import { enqueueSession } from "../../store/tables/jobs.ts";
import { applyEvent } from "./apply.ts";
import { DROP_SUFFIX, removeFallbackSpool, withFallback } from "./spool.ts";

export interface DrainResult {
  applied: number;
  /** Drops that could not be read or applied, moved to spool/bad. */
  bad: number;
  remaining: number;
}

/** Drops per transaction: the write lock is held for some 30 ms. */
const BATCH = 200;
/** A temporary file this old belongs to a hook that was killed while it wrote. */
const STALE_TEMPORARY_MS = 60 * 60 * 1000;
export const BAD_FOLDER = "bad";

/** With a time limit it stops after the batch that exceeds it. */
export function drainSpool(db: Db, spool: string, { maxMs = Infinity }: { maxMs?: number } = {}): DrainResult {
  const result: DrainResult = { applied: 0, bad: 0, remaining: 0 };
  const deadline = Date.now() + maxMs;
  const folders = withFallback(spool);
  for (const folder of folders) {
    const names = listDrops(folder);
    let done = 0;
    // Always apply the first batch: on a busy machine the time may be over before it starts.
    while (done < names.length && (done === 0 || Date.now() < deadline)) {
      drainBatch(db, folder, names.slice(done, done + BATCH), result);
      done += BATCH;
    }
    result.remaining += Math.max(0, names.length - done);
  }
  // The name of a deleted file cannot come back. Also cleans up after a process that was killed before it deleted the file.
  const gone = claimedDropNames(db).filter((name) =>
    folders.every((folder) => statOf(join(folder, name)) === undefined),
  );
  if (gone.length > 0) transaction(db, () => deleteDropNames(db, gone));
  if (folders[1] !== undefined) removeFallbackSpool(folders[1]);
  return result;
}

function listDrops(folder: string): string[] {
  const names = listFolder(folder);
  for (const path of names.filter((name) => name.endsWith(".tmp")).map((name) => join(folder, name))) {
    if (Date.now() - (statOf(path)?.mtimeMs ?? Infinity) > STALE_TEMPORARY_MS) rmSync(path, { force: true });
  }
  return names.filter((name) => name.endsWith(DROP_SUFFIX)).sort();
}

type Outcome = "applied" | "known" | "waits" | "bad";

function drainBatch(db: Db, folder: string, names: string[], result: DrainResult): void {
  // Read inside the transaction: while this process waited for the lock, another may have applied and deleted a drop.
  const outcomes = transaction(db, () => applyBatch(db, readBatch(folder, names)));
  for (const [name, outcome] of outcomes) {
    if (outcome === "applied" || outcome === "known") rmSync(join(folder, name), { force: true });
    if (outcome === "bad") moveToBad(folder, name);
    if (outcome === "applied" || outcome === "bad") result[outcome] += 1;
  }
}

/** Undefined: the file is not an event. A file that is gone or cannot be read is left out. */
function readBatch(folder: string, names: string[]): Map<string, CapturedEvent | undefined> {
  const events = new Map<string, CapturedEvent | undefined>();
  for (const name of names) {
    const text = readWhole(join(folder, name));
    const event = parseJson(text) as CapturedEvent | null | undefined;
    if (text !== undefined) events.set(name, typeof event?.activity?.kind === "string" ? event : undefined);
  }
  return events;
}

function applyBatch(db: Db, events: Map<string, CapturedEvent | undefined>): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  const apply = (name: string, event: CapturedEvent | undefined) => {
    if (!outcomes.has(name)) outcomes.set(name, event === undefined ? "bad" : applyDrop(db, name, event));
  };
  // A prompt typed while the agent works has the id of the running turn: the first one with an id is the turn's own.
  const prompts = new Map<string, string>();
  for (const [name, event] of events) {
    const id = event?.activity.kind === "prompt" ? event.activity.promptId : undefined;
    if (id !== undefined && !prompts.has(id)) prompts.set(id, name);
  }
  for (const [name, event] of events) {
    // A clock that was set back sorts a prompt after its own tool uses: the prompt goes first.
    const promptId = event !== undefined && "promptId" in event.activity ? event.activity.promptId : undefined;
    const prompt = promptId === undefined ? undefined : prompts.get(promptId);
    if (prompt !== undefined) apply(prompt, events.get(prompt));
    apply(name, event);
  }
  return outcomes;
}

/** Events that queue the session's job. */
const JOB_AT: ReadonlySet<string> = new Set(["turn-end", "checkpoint", "session-end"]);

function applyDrop(db: Db, name: string, event: CapturedEvent): Outcome {
  // Written by a newer version of C-Mem, which will apply it.
  if (!KNOWN_ACTIVITIES.has(event.activity.kind)) return "waits";
  try {
    return nested(db, () => {
      if (!claimDrop(db, name, Date.now())) return "known";
      applyEvent(db, event, name);
      if (JOB_AT.has(event.activity.kind)) enqueueSession(db, event.sessionId, event.at);
      if (event.hook !== undefined) countHookRun(db, event.hook, event.at);
      return "applied";
    });
  } catch (error) {
    if (isStorageError(error)) throw error;
    return "bad";
  }
}

function moveToBad(folder: string, name: string): void {
  mkdirSync(join(folder, BAD_FOLDER), { recursive: true, mode: 0o700 });
  try {
    renameSync(join(folder, name), join(folder, BAD_FOLDER, name));
  } catch (error) {
    // Another process has moved it.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Puts bad drops back into the spool: a newer version may be able to apply them. */
export function retryBad(spool: string): void {
  for (const folder of withFallback(spool)) {
    for (const name of listFolder(join(folder, BAD_FOLDER)).filter((each) => each.endsWith(DROP_SUFFIX)))
      renameSync(join(folder, BAD_FOLDER, name), join(folder, name));
  }
}

export function spoolCounts(spool: string): { waiting: number; bad: number } {
  const countDrops = (folders: readonly string[]): number =>
    folders.flatMap(listFolder).filter((name) => name.endsWith(DROP_SUFFIX)).length;
  const folders = withFallback(spool);
  return { waiting: countDrops(folders), bad: countDrops(folders.map((folder) => join(folder, BAD_FOLDER))) };
}
