// Moves drops from the spool into the database, each exactly once, in order. Several processes may drain at once.
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
  /** Drops that could not be parsed or applied; they were moved to spool/bad. */
  bad: number;
  remaining: number;
}

/** Drops per transaction, so that the write lock is held for about 30 ms. */
const BATCH = 200;
/** An older temporary file is deleted: its hook was killed while writing. */
const STALE_TEMPORARY_MS = 60 * 60 * 1000;
export const BAD_FOLDER = "bad";

/** With a time limit, stops after the batch that exceeds it. */
export function drainSpool(db: Db, spool: string, { maxMs = Infinity }: { maxMs?: number } = {}): DrainResult {
  const result: DrainResult = { applied: 0, bad: 0, remaining: 0 };
  const deadline = Date.now() + maxMs;
  const folders = withFallback(spool);
  for (const folder of folders) {
    const names = listDrops(folder);
    let done = 0;
    // The first batch is always applied: on a busy machine the time may be over before it starts.
    while (done < names.length && (done === 0 || Date.now() < deadline)) {
      drainBatch(db, folder, names.slice(done, done + BATCH), result);
      done += BATCH;
    }
    result.remaining += Math.max(0, names.length - done);
  }
  // Forget the names of claimed drops whose file is gone: no later drop gets the same name.
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

type Outcome = "applied" | "known" | "deferred" | "bad";

function drainBatch(db: Db, folder: string, names: string[], result: DrainResult): void {
  // Drops are read inside the transaction: during a wait for its lock, another process may apply and delete some.
  const outcomes = transaction(db, () => applyBatch(db, readBatch(folder, names)));
  for (const [name, outcome] of outcomes) {
    if (outcome === "applied" || outcome === "known") rmSync(join(folder, name), { force: true });
    if (outcome === "bad") moveToBad(folder, name);
    if (outcome === "applied" || outcome === "bad") result[outcome] += 1;
  }
}

/** Drop name -> event, or undefined if the file has no event. A missing or unreadable file has no entry. */
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
  // Prompt id -> drop. A prompt typed during a turn has the turn's id, too: the first one with an id began the turn.
  const prompts = new Map<string, string>();
  for (const [name, event] of events) {
    const id = event?.activity.kind === "prompt" ? event.activity.promptId : undefined;
    if (id !== undefined && !prompts.has(id)) prompts.set(id, name);
  }
  for (const [name, event] of events) {
    // After the clock was set back, a prompt may sort behind its own tool uses: apply the prompt first.
    const promptId = event !== undefined && "promptId" in event.activity ? event.activity.promptId : undefined;
    const prompt = promptId === undefined ? undefined : prompts.get(promptId);
    if (prompt !== undefined) apply(prompt, events.get(prompt));
    apply(name, event);
  }
  return outcomes;
}

/** After these events, a job is queued to derive the session's memory. */
const JOB_EVENTS: ReadonlySet<string> = new Set(["turn-end", "checkpoint", "session-end"]);

function applyDrop(db: Db, name: string, event: CapturedEvent): Outcome {
  // A newer version of C-Mem wrote this drop and will apply it.
  if (!KNOWN_ACTIVITIES.has(event.activity.kind)) return "deferred";
  try {
    return nested(db, () => {
      if (!claimDrop(db, name, Date.now())) return "known";
      applyEvent(db, event, name);
      if (JOB_EVENTS.has(event.activity.kind)) enqueueSession(db, event.sessionId, event.at);
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
    // ENOENT: another process has moved it.
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
