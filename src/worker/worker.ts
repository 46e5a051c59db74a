// The worker: drains the spool, does jobs, catches up; rests when there is nothing to do, and leaves after a while.
import { setImmediate } from "node:timers/promises";
import { drainSpool } from "../capture/live/drain.ts";
import { prepareLostEvents } from "../platform/state/lost-events.ts";
import type { Env, Paths } from "../config/paths.ts";
import { statOf } from "../platform/read-file.ts";
import { BEAT_MS, beat, birthOf, isSameProcess } from "../platform/worker-lock.ts";
import { forgetRequest, isAskedToLeave } from "../platform/worker-start.ts";
import { AppError } from "../core/error.ts";
import { repairStore } from "../upkeep/backup/repair.ts";
import { updateLinks } from "../memory/relate/update-links.ts";
import { type Db, isDamage } from "../store/db/driver.ts";
import {
  claimJob,
  enqueueStaleSessions,
  failJob,
  finishJob,
  type Job,
  nextDueAt,
  recoverJobs,
  releaseJobs,
  subjectOf,
} from "../store/tables/jobs.ts";
import { explain, openStore, setDurable } from "../store/db/open.ts";
import { isSwapping, settleSwap } from "../store/db/swap.ts";
import { LET_GO_MS } from "../store/db/transaction.ts";
import { dataVersion } from "../store/db/data-version.ts";
import { refreshActivity } from "./activity.ts";
import { type Asking, createAsking } from "./asking.ts";
import { catchUp } from "./catch-up.ts";
import { type Chores, createChores } from "./chores.ts";
import { createEmbedding, type Embedding } from "./embedding.ts";
import { modelSettings } from "./enrich-job.ts";
import { type Log, reasonOf } from "./log.ts";
import { runSessionJob } from "./session-job.ts";
import { isTrouble } from "./trouble.ts";
import type { Waker } from "./waker.ts";

export interface WorkerOptions {
  paths: Paths;
  env: Env;
  /** Of the lock this worker holds. */
  token: string;
  log: Log;
  waker: Waker;
  /** Aborted: finish the job and leave. */
  signal: AbortSignal;
  /** Leave once nothing is left to do. */
  once?: boolean;
  /** Transcripts have just been looked at. */
  isCaughtUp?: boolean;
  idleMs?: number;
  /** Makes a backup, in a process of its own. */
  startBackup?: (signal: AbortSignal) => Promise<void>;
  /** Returns unused memory to the system. */
  releaseMemory?: () => void;
  /** When somebody asked the server last, by the process's own clock: now, while somebody watches. */
  askedAt?: () => number;
}

/** Why it stopped. "lost": another worker has the lock. "memory": above the limit, a fresh process takes over. */
export type Leaving = "idle" | "asked" | "lost" | "done" | "memory";

const IDLE_MS = 15 * 60_000;
/** How often it looks where folders cannot be watched. */
const LOOK_MS = 1_000;
/** Idle this long after work, it returns unused memory to the system. */
const RELEASE_AFTER_MS = 5_000;
/** Below this growth there is next to nothing to return: a fresh worker has 70 MB. */
const RELEASE_BYTES = 10 * 1024 * 1024;
/** An idle worker above the limit, with all unused memory returned, is replaced: at most once in ten minutes. */
const MEMORY_LIMIT_BYTES = 200 * 1024 * 1024;
const RESTART_REST_MS = 30_000;
const RESTART_EVERY_MS = 10 * 60_000;
/** How long draining goes on before jobs get a turn. */
const DRAIN_MS = 1_000;
const LINKS_MS = 200;
const FIRST_TROUBLE_MS = 500;
const MAX_TROUBLE_MS = 30_000;
/** With `once`, work that is due this soon is waited for. */
const SOON_MS = 5_000;

/** Times are those of the process's own clock, which never jumps; only what is stored has the time of day. */
interface State extends WorkerOptions {
  db: Db | undefined;
  /** Which file the database was when it was opened. */
  inode: number | undefined;
  owner: string;
  asking: Asking;
  embedding: Embedding;
  chores: Chores;
  /** Left to read of the transcripts; undefined before the start, null once all are read. */
  catchUp: Generator<number, void> | undefined | null;
  /** Transcripts that it has still to read. */
  toRead: number;
  hasLock: boolean;
  beatenAt: number;
  workedAt: number;
  /** How long it waits after trouble; 0 while all is well. */
  troubleMs: number;
  activity: string;
  /** When it last said how much is left to read, by the process's clock. */
  toldAt: number;
  /** Something may be new in the database that this worker has written itself. */
  hasWritten: boolean;
  /** Nobody has looked for stale sessions since something was new. */
  mayBeStale: boolean;
  dataVersion: number;
  startedAt: number;
  bytesAtStart: number;
  /** By the process's own clock. */
  releasedAt: number;
}

/** What is to be done after a round: the next at once, or a rest, or nothing more. */
type Next = { kind: "go-on" } | { kind: "rest"; ms: number } | { kind: "done" };

export async function work(options: WorkerOptions): Promise<Leaving> {
  const state = begin(options);
  try {
    for (;;) {
      keepBeating(state);
      const leaving = reasonToLeave(state);
      if (leaving !== undefined) return leaving;
      releaseUnused(state);
      const next = await tryRound(state);
      if (next.kind === "done") return "done";
      if (next.kind === "rest") await state.waker.sleep(next.ms);
      else await setImmediate();
    }
  } finally {
    await leave(state);
  }
}

function begin(options: WorkerOptions): State {
  const owner = ownerName(options.token);
  prepareLostEvents(options.paths.lostEvents);
  const state: State = {
    ...options,
    db: undefined,
    inode: undefined,
    owner,
    asking: createAsking({ ...options, owner: `${owner}/asking` }, () => noteWork(state)),
    embedding: createEmbedding({ ...options, owner: `${owner}/embedding` }, () => noteWork(state)),
    chores: createChores({
      ...options,
      startBackup: options.startBackup,
      isStillMine: () => isStillMine(state),
      onBackedUp: () => options.waker.wake(),
    }),
    catchUp: options.isCaughtUp ? null : undefined,
    toRead: 0,
    toldAt: -Infinity,
    hasLock: true,
    beatenAt: -Infinity,
    workedAt: performance.now(),
    troubleMs: 0,
    activity: "",
    hasWritten: false,
    mayBeStale: false,
    dataVersion: -1,
    startedAt: performance.now(),
    bytesAtStart: process.memoryUsage.rss(),
    releasedAt: -Infinity,
  };
  return state;
}

/** Something that went on beside the rounds has ended. */
function noteWork(state: State): void {
  state.workedAt = performance.now();
  state.hasWritten = true;
  state.waker.wake();
}

/** A job's owner says whom to ask for, should the job be left behind. */
function ownerName(token: string): string {
  return [process.pid, birthOf(process.pid) ?? "", token].join("/");
}

function isOwnerAlive(owner: string): boolean {
  const [pid, birth] = owner.split("/");
  return isSameProcess({ pid: Number(pid), birth: birth === "" ? undefined : birth });
}

function keepBeating(state: State): void {
  if (performance.now() - state.beatenAt < BEAT_MS) return;
  state.beatenAt = performance.now();
  state.hasLock = beat(state.paths.workerLock, state.token, Date.now());
}

/** Who was stopped for long may have been taken for dead: asked before anything is begun. */
function isStillMine(state: State): boolean {
  keepBeating(state);
  return state.hasLock;
}

function reasonToLeave(state: State): Leaving | undefined {
  if (!state.hasLock) return "lost";
  if (state.signal.aborted || isAskedToLeave(state.paths, state.token)) return "asked";
  if (state.asking.isBusy() || state.embedding.isBusy() || state.chores.isBackingUp()) return undefined;
  const restedMs = performance.now() - lastBusyAt(state);
  if (restedMs > (state.idleMs ?? IDLE_MS)) return "idle";
  if (restedMs <= RESTART_REST_MS || performance.now() - state.startedAt < RESTART_EVERY_MS) return undefined;
  return process.memoryUsage.rss() > MEMORY_LIMIT_BYTES ? "memory" : undefined;
}

function lastBusyAt(state: State): number {
  return Math.max(state.workedAt, state.askedAt?.() ?? -Infinity);
}

/** Once after each stretch of work: V8 and malloc keep what a burst of work needed (135 MB after a first sync, 70 MB before). */
function releaseUnused(state: State): void {
  const busyAt = lastBusyAt(state);
  if (state.releasedAt > busyAt || performance.now() - busyAt < RELEASE_AFTER_MS) return;
  if (state.asking.isBusy() || state.embedding.isBusy()) return;
  state.releasedAt = performance.now();
  if (process.memoryUsage.rss() > state.bytesAtStart + RELEASE_BYTES) state.releaseMemory?.();
}

async function tryRound(state: State): Promise<Next> {
  try {
    if (state.db !== undefined && statOf(state.paths.database)?.ino !== state.inode) {
      // Deleted or replaced: what is written to the old one, nobody reads, and drops are deleted.
      state.log("the database is another file now");
      letGo(state);
    }
    const db = (state.db ??= open(state));
    const hasWorked = await round(db, state);
    if (state.troubleMs > 0) state.log("all is well again");
    state.troubleMs = 0;
    if (hasWorked) state.workedAt = performance.now();
    if (!hasWorked) state.chores.backUp(db);
    if (state.chores.isUnderWay()) return { kind: "rest", ms: LET_GO_MS };
    return hasWorked ? { kind: "go-on" } : whatNext(db, state);
  } catch (error) {
    if (!isStillMine(state)) return { kind: "go-on" };
    if (isDamage(error) && repair(state)) return { kind: "go-on" };
    if (!isTrouble(error)) throw error;
    const explained = explain(error, state.paths.database);
    // Run by hand, it reports a disk that is full instead of waiting for space.
    if (state.once && !isPassing(explained)) throw explained;
    // The disk is full, the database busy: nothing is lost, and it goes on when that is over.
    if (state.troubleMs === 0) state.log(`trouble: ${reasonOf(explained)}`);
    state.troubleMs = Math.min(MAX_TROUBLE_MS, Math.max(FIRST_TROUBLE_MS, state.troubleMs * 2));
    if (state.catchUp !== null) state.catchUp = undefined;
    state.chores.drop();
    return { kind: "rest", ms: state.troubleMs };
  }
}

/** Another program holds the database, or is replacing it: over in a moment. */
function isPassing(error: unknown): boolean {
  return error instanceof AppError && ["store_busy", "store_restoring"].includes(error.code);
}

function whatNext(db: Db, { waker, asking, embedding, chores, once }: State): Next {
  const now = Date.now();
  const session = nextDueAt(db, "session", now) ?? Infinity;
  // While one question is asked the next one waits, due or not.
  const question = asking.isBusy() ? Infinity : (nextDueAt(db, "enrich", now) ?? Infinity);
  const vectors = embedding.isBusy() ? Infinity : (nextDueAt(db, "embed", now) ?? Infinity);
  const due = Math.min(session, question, vectors) - now;
  if (once && due > SOON_MS && !asking.isBusy() && !embedding.isBusy() && !chores.isBackingUp())
    return { kind: "done" };
  return { kind: "rest", ms: Math.max(0, Math.min(due, waker.isWatching() ? BEAT_MS : LOOK_MS)) };
}

/** This worker holds the lock: nobody else repairs. True when it can go on. */
function repair(state: State): boolean {
  const { paths, log } = state;
  log("the database is damaged");
  try {
    letGo(state);
    const done = repairStore(paths, Date.now(), { onStep: () => keepBeating(state) });
    if (done.kind === "replaced") {
      const { backup, recovered, lost } = done.report;
      log(`repaired: the damaged file is in ${done.setAside}`, { backup, recovered, lost });
    } else if (done.kind === "indexed") log("repaired: only the search index was damaged");
    return done.kind !== "whole";
  } catch (error) {
    log(`cannot repair it: ${reasonOf(error)}`);
    return false;
  }
}

function letGo(state: State): void {
  state.db?.close();
  state.db = undefined;
  state.catchUp = undefined;
  state.chores.drop();
}

function open(state: State): Db {
  const { paths, owner, log } = state;
  // Whoever was replacing the database was killed: this worker holds the lock, and finishes it.
  if (isSwapping(paths.database)) settleSwap(paths.database);
  const db = openStore(paths.database);
  state.inode = statOf(paths.database)?.ino;
  // What another connection counted says nothing of this one.
  state.dataVersion = -1;
  const recovered = recoverJobs(db, (other) => !other.startsWith(owner) && isOwnerAlive(other), Date.now());
  if (recovered > 0) log(`took over ${recovered} jobs of a worker that is gone`);
  return db;
}

/** True when something was done: there may be more. */
async function round(db: Db, state: State): Promise<boolean> {
  // A job that trouble has interrupted is still marked as being done here.
  if (state.troubleMs > 0) releaseJobs(db, state.owner, Date.now());
  state.asking.keep(db);
  const { applied } = drain(db, state);
  if (!isStillMine(state)) return true;
  const isNew = applied > 0 || state.chores.tidy(db) || hasChanged(db, state);
  state.mayBeStale ||= isNew;
  const job = claimJob(db, "session", state.owner, Date.now());
  // Not while there are jobs enough: after a first sync every turn is stale, and each look goes through all of them.
  const asked = job === undefined && state.mayBeStale ? enqueueStaleSessions(db, Date.now()) : 0;
  if (job === undefined) state.mayBeStale = false;
  if (job !== undefined) await doSession(db, job, state);
  if (!isStillMine(state)) return true;
  const hasAsked = state.asking.start(db);
  const isBusy = applied + asked > 0 || job !== undefined || hasAsked || readOn(db, state);
  if (!isStillMine(state)) return true;
  const hasTidied = isBusy || updateLinks(db, { maxMs: LINKS_MS }) > 0 || state.chores.merge(db, isNew);
  const hasWorked = hasTidied || embedNext(db, isNew, state) || state.chores.save(db);
  if (isNew && !hasWorked) tellActivity(db, state);
  state.hasWritten = hasWorked;
  return hasWorked;
}

/** How often activity.json says how much is left to read. */
const READING_TOLD_MS = 1_000;

function tellActivity(db: Db, state: State): void {
  const { paths, activity, toRead } = state;
  state.activity = refreshActivity(db, paths.activity, activity, { now: Date.now(), toRead });
  state.toldAt = performance.now();
}

/** Last of all: what was done today is derived and indexed before anything is embedded. */
function embedNext(db: Db, isNew: boolean, { embedding }: State): boolean {
  if (isNew) embedding.ask(db);
  return embedding.start(db);
}

/** Only here a commit must outlive a power cut: drops are deleted after it. All else can be done again. */
function drain(db: Db, { paths }: State): { applied: number } {
  setDurable(db, true);
  try {
    return drainSpool(db, paths.spool, { maxMs: DRAIN_MS });
  } finally {
    setDurable(db, false);
  }
}

/** By this worker in its last round, or by anybody else: else there is nothing to look for. */
function hasChanged(db: Db, state: State): boolean {
  const before = state.dataVersion;
  state.dataVersion = dataVersion(db);
  return state.hasWritten || state.dataVersion !== before;
}

async function doSession(db: Db, job: Job, state: State): Promise<void> {
  const { paths, env, owner, log } = state;
  try {
    const enrich = modelSettings(state).provider !== "none";
    const steps = runSessionJob(db, subjectOf(job.key), { paths, env, now: Date.now(), enrich });
    let step = steps.next();
    while (!step.done) {
      await setImmediate();
      // Somebody else has the lock, and does it: the rest of the job is let go.
      if (!isStillMine(state)) return;
      step = steps.next();
    }
    finishJob(db, job, owner, Date.now());
    if (step.value.turns > 0) log(`${job.key}: memory of ${step.value.turns} turn${step.value.turns === 1 ? "" : "s"}`);
  } catch (error) {
    if (isTrouble(error)) throw error;
    failJob(db, job, owner, { now: Date.now(), reason: reasonOf(error) });
    log(`${job.key} failed: ${reasonOf(error)}`);
  }
}

/** Reads one piece more of what no hook has told of. */
function readOn(db: Db, state: State): boolean {
  if (state.catchUp === null) return false;
  state.catchUp ??= catchUp(db, state.paths, state.env, state.log);
  const { done: isDone, value: left } = state.catchUp.next();
  state.toRead = left ?? 0;
  if (state.toRead > 0 && performance.now() - state.toldAt > READING_TOLD_MS) tellActivity(db, state);
  if (isDone === true) {
    state.catchUp = null;
    // What was read may have been idle for long.
    state.chores.tidySoon();
  }
  return true;
}

async function leave({ db, paths, token, owner, asking, embedding, chores }: State): Promise<void> {
  forgetRequest(paths, token);
  chores.stop();
  if (db === undefined) return;
  try {
    await Promise.all([asking.stop(db), embedding.stop(db)]);
    releaseJobs(db, owner, Date.now());
  } catch {
    // Whoever comes next finds the owner gone.
  }
  db.close();
}
