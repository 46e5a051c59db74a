// Moves drops from the spool into the database, each exactly once, in order. Any reader may do it, several at once.
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type CapturedEvent, KNOWN_ACTIVITIES } from "../../core/event.ts";
import { type Db, isStoreTrouble } from "../../store/db/driver.ts";
import { claimDrop, claimedDrops, countHookRun, forgetDrops } from "../../store/tables/drops.ts";
import { nested, transaction } from "../../store/db/transaction.ts";
import { applyEvent, enqueueWork } from "./apply.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { findFallbackSpool, removeFallbackSpool } from "./fallback-spool.ts";
import { DROP_SUFFIX } from "./spool.ts";

export interface DrainResult {
  applied: number;
  /** Drops that could not be read or applied; they are set aside in spool/bad. */
  bad: number;
  remaining: number;
}

/** Drops per transaction: the write lock is held for some 30 ms. */
const BATCH = 200;
/** A temporary file this old belongs to a hook that was killed while it wrote. */
const STALE_TEMPORARY_MS = 60 * 60 * 1000;
export const BAD_FOLDER = "bad";

/** With a time limit it stops after the batch that exceeds it; the rest stays for whoever reads next. */
export function drainSpool(db: Db, spool: string, options: { maxMs?: number } = {}): DrainResult {
  const result: DrainResult = { applied: 0, bad: 0, remaining: 0 };
  const deadline = Date.now() + (options.maxMs ?? Infinity);
  const folders = foldersOf(spool);
  for (const folder of folders) drainFolder(db, folder, deadline, result);
  forgetGone(db, folders);
  if (folders[1] !== undefined) removeFallbackSpool(folders[1]);
  return result;
}

function foldersOf(spool: string): string[] {
  return [spool, findFallbackSpool(spool)].filter((folder) => folder !== undefined);
}

function drainFolder(db: Db, folder: string, deadline: number, result: DrainResult): void {
  const names = listSpool(folder);
  result.remaining += names.length;
  // The first batch in any case: who was kept waiting for the processor has not yet done anything.
  for (let start = 0; start < names.length && (start === 0 || Date.now() < deadline); start += BATCH) {
    const batch = names.slice(start, start + BATCH);
    drainBatch(db, folder, batch, result);
    result.remaining -= batch.length;
  }
}

function listSpool(spool: string): string[] {
  const entries = listFolder(spool);
  for (const name of entries) if (name.endsWith(".tmp")) removeStale(join(spool, name));
  return entries.filter((name) => name.endsWith(DROP_SUFFIX)).sort();
}

function removeStale(path: string): void {
  const stat = statOf(path);
  if (stat !== undefined && Date.now() - stat.mtimeMs > STALE_TEMPORARY_MS) rmSync(path, { force: true });
}

type Outcome = "applied" | "known" | "waits" | "bad";

function drainBatch(db: Db, spool: string, names: string[], result: DrainResult): void {
  // Drops are read inside the transaction: another reader may have taken one while this one waited for the lock.
  const outcomes = transaction(db, () => applyBatch(db, readBatch(spool, names)));
  for (const [name, outcome] of outcomes) {
    if (outcome === "applied" || outcome === "known") rmSync(join(spool, name), { force: true });
    if (outcome === "bad") setAside(spool, name);
    if (outcome === "applied") result.applied += 1;
    if (outcome === "bad") result.bad += 1;
  }
}

/** Undefined stands for a drop that is there but is not an event. One that is gone or cannot be read is left out. */
function readBatch(spool: string, names: string[]): Map<string, CapturedEvent | undefined> {
  const events = new Map<string, CapturedEvent | undefined>();
  for (const name of names) {
    const text = readDrop(join(spool, name));
    if (text !== undefined) events.set(name, parseDrop(text));
  }
  return events;
}

function applyBatch(db: Db, events: Map<string, CapturedEvent | undefined>): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  const apply = (name: string, event: CapturedEvent | undefined) => {
    if (!outcomes.has(name)) outcomes.set(name, event === undefined ? "bad" : applyDrop(db, name, event));
  };
  const prompts = new Map<string, string>();
  for (const [name, event] of events) {
    const id = event?.activity.kind === "prompt" ? event.activity.promptId : undefined;
    // One typed while the agent is at work has the id of the turn it was typed in.
    if (id !== undefined && !prompts.has(id)) prompts.set(id, name);
  }
  for (const [name, event] of events) {
    // A clock that was set back puts a prompt behind what followed from it: the prompt goes first.
    const promptId = event !== undefined && "promptId" in event.activity ? event.activity.promptId : undefined;
    const prompt = promptId === undefined ? undefined : prompts.get(promptId);
    if (prompt !== undefined) apply(prompt, events.get(prompt));
    apply(name, event);
  }
  return outcomes;
}

function readDrop(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function parseDrop(text: string): CapturedEvent | undefined {
  try {
    const event = JSON.parse(text) as CapturedEvent;
    return typeof event.activity?.kind === "string" ? event : undefined;
  } catch {
    return undefined;
  }
}

function applyDrop(db: Db, name: string, event: CapturedEvent): Outcome {
  // Written by a newer version beside this one: that one will know what it means.
  if (!KNOWN_ACTIVITIES.has(event.activity.kind)) return "waits";
  try {
    return nested(db, () => {
      if (!claimDrop(db, name, Date.now())) return "known";
      applyEvent(db, event, name);
      enqueueWork(db, event);
      if (event.hook !== undefined) countHookRun(db, event.hook, event.at);
      return "applied";
    });
  } catch (error) {
    if (isStoreTrouble(error)) throw error;
    return "bad";
  }
}

/** Once its file is gone a name cannot come back. Also tidies up after a reader that was killed in between. */
function forgetGone(db: Db, folders: readonly string[]): void {
  const gone = claimedDrops(db).filter((name) => folders.every((folder) => statOf(join(folder, name)) === undefined));
  if (gone.length > 0) transaction(db, () => forgetDrops(db, gone));
}

function setAside(spool: string, name: string): void {
  mkdirSync(join(spool, BAD_FOLDER), { recursive: true, mode: 0o700 });
  try {
    renameSync(join(spool, name), join(spool, BAD_FOLDER, name));
  } catch (error) {
    // Another reader has set it aside already.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Puts back what was set aside: it may have been this program's fault, and a newer one may know better. */
export function retryBad(spool: string): void {
  for (const folder of foldersOf(spool)) {
    for (const name of listFolder(join(folder, BAD_FOLDER)).filter((each) => each.endsWith(DROP_SUFFIX)))
      renameSync(join(folder, BAD_FOLDER, name), join(folder, name));
  }
}

export function spoolCounts(spool: string): { waiting: number; bad: number } {
  const drops = (folder: string) => listFolder(folder).filter((name) => name.endsWith(DROP_SUFFIX)).length;
  const sum = (folders: readonly string[]) => folders.reduce((total, folder) => total + drops(folder), 0);
  const folders = foldersOf(spool);
  return { waiting: sum(folders), bad: sum(folders.map((folder) => join(folder, BAD_FOLDER))) };
}
