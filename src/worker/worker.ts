// The worker's rounds: drain the spool, run jobs, read transcripts, do maintenance. An idle worker sleeps between
// rounds, and stops after 15 minutes.
import { setImmediate } from "node:timers/promises";
import { drainSpool } from "../capture/live/drain.ts";
import type { Env, Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { count } from "../core/text.ts";
import { updateLinks } from "../memory/relate/update-links.ts";
import { statOf } from "../platform/read-file.ts";
import { prepareLostEvents } from "../platform/state/lost-events.ts";
import { HEARTBEAT_MS, renewHeartbeat, birthOf, isSameProcess } from "../platform/worker-lock.ts";
import { clearStopRequest, isStopRequested } from "../platform/worker-start.ts";
import { dataVersion } from "../store/db/query-cache.ts";
import { type Db, isDamage } from "../store/db/driver.ts";
import { toStoreError, openStore, setDurable } from "../store/db/open.ts";
import { isSwapping, settleSwap } from "../store/db/swap.ts";
import { LOCK_PAUSE_MS } from "../store/db/transaction.ts";
import {
  claimJob,
  enqueueStaleSessions,
  finishJob,
  type Job,
  nextDueAt,
  recoverJobs,
  type JobKind,
  releaseJobs,
  idInKey,
} from "../store/tables/jobs.ts";
import { projectOfSession } from "../store/tables/projects.ts";
import { repairStore } from "../upkeep/backup/repair.ts";
import { writeActivityIfChanged } from "./activity.ts";
import { BackgroundJob, failOrRethrow, isTemporary } from "./background-job.ts";
import { catchUp } from "./catch-up.ts";
import { requestCommits, requestCommitsOf, runCommitsJob } from "./commits-job.ts";
import { requestEmbedding, runEmbedJob } from "./embed-job.ts";
import { runEnrichJob } from "./enrich-job.ts";
import { type Log, reasonOf } from "./log.ts";
import { Maintenance } from "./maintenance.ts";
import { runSessionJob } from "./session-job.ts";
import type { WakeSignal } from "./wake-signal.ts";

export interface WorkerOptions {
  paths: Paths;
  env: Env;
  /** The token of the lock that this worker holds. */
  token: string;
  log: Log;
  wakeSignal: WakeSignal;
  /** When the signal is aborted, the worker finishes its job and stops. */
  signal: AbortSignal;
  /** Stop once no work is due within SOON_MS. */
  once?: boolean;
  idleMs?: number;
  startBackup?: (signal: AbortSignal) => Promise<void>;
  /** Returns unused memory to the system. */
  releaseMemory?: () => void;
  /** performance.now() of the last HTTP request; the current time while a viewer is connected. */
  lastRequestAt?: () => number;
}

/** "lost-lock": another worker took the lock. "memory": memory is above the limit, so a new process takes over. */
export type StopReason = "idle" | "requested" | "lost-lock" | "done" | "memory";

const IDLE_MS = 15 * 60_000;
/** How often the worker looks for work if folders cannot be watched. */
const POLL_MS = 1_000;
/** After this idle time the worker returns unused memory to the system. */
const RELEASE_AFTER_MS = 5_000;
/** If memory has grown by less than this since the start, a garbage collection would free too little. */
const RELEASE_BYTES = 10 * 1024 * 1024;
/** A worker that is above this limit is replaced once it has been idle for 30 seconds and has run for 10 minutes. */
const MEMORY_LIMIT_BYTES = 200 * 1024 * 1024;
const RESTART_IDLE_MS = 30_000;
const RESTART_EVERY_MS = 10 * 60_000;
/** How long one round may drain the spool before it runs jobs. */
const DRAIN_MS = 1_000;
/** How long one round may update links. */
const LINKS_MS = 200;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** With `once`, the worker waits for jobs that are due within this time. */
const SOON_MS = 5_000;
/** A stopping worker waits this long for the model's answer, which has to be paid for anyway. */
const ANSWER_MS = 20_000;
/** How often activity.json is written while transcripts are read. */
const ACTIVITY_MS = 1_000;

/** After a round: start the next, sleep first, or stop. */
type Next = { kind: "continue" } | { kind: "sleep"; ms: number } | { kind: "done" };

export function runWorker(options: WorkerOptions): Promise<StopReason> {
  return new Worker(options).run();
}

/** Measures time with performance.now(), which never jumps; Date.now() is for stored times. */
class Worker {
  readonly #options: WorkerOptions;
  /** Identifies the process, so that another worker can tell whether the owner of a job still runs. */
  readonly #owner: string;
  readonly #enriching: BackgroundJob;
  readonly #embedding: BackgroundJob;
  readonly #linking: BackgroundJob;
  readonly #background: readonly BackgroundJob[];
  readonly #maintenance: Maintenance;
  readonly #startedAt = performance.now();
  readonly #bytesAtStart = process.memoryUsage.rss();
  #db: Db | undefined;
  /** The database file's inode when it was opened. */
  #inode: number | undefined;
  /** Reads changed transcripts. Undefined: not begun. Null: all are read. */
  #catchUp: Generator<number, void> | undefined | null;
  #unreadTranscripts = 0;
  #hasLock = true;
  #heartbeatAt = -Infinity;
  #workedAt = performance.now();
  #releasedAt = -Infinity;
  /** The wait after the last error; 0 if the last round had no error. */
  #retryMs = 0;
  #activity = "";
  #activityAt = -Infinity;
  /** Whether the last round or a background job changed the database. */
  #hasWritten = false;
  /** The database changed since the last search for stale sessions. */
  #mayBeStale = false;
  #dataVersion = -1;

  constructor(options: WorkerOptions) {
    const { paths, env, token, log, wakeSignal, startBackup } = options;
    this.#options = options;
    this.#owner = [process.pid, birthOf(process.pid) ?? "", token].join("/");
    const background = (kind: JobKind, run: typeof runEnrichJob, graceMs: number): BackgroundJob => {
      const onEnd = (): void => {
        this.#workedAt = performance.now();
        this.#hasWritten = true;
        wakeSignal.wake();
      };
      return new BackgroundJob({ paths, env, kind, owner: `${this.#owner}/${kind}`, log, onEnd, graceMs, run });
    };
    this.#enriching = background("enrich", runEnrichJob, ANSWER_MS);
    this.#embedding = background("embed", runEmbedJob, 0);
    this.#linking = background("commits", runCommitsJob, 0);
    this.#background = [this.#enriching, this.#embedding, this.#linking];
    const hasLock = (): boolean => this.#checkLock();
    this.#maintenance = new Maintenance({ paths, env, log, hasLock, startBackup, onBackedUp: wakeSignal.wake });
    prepareLostEvents(paths.lostEvents);
  }

  async run(): Promise<StopReason> {
    try {
      for (;;) {
        this.#checkLock();
        const reason = this.#stopReason();
        if (reason !== undefined) return reason;
        this.#releaseMemory();
        const next = await this.#tryRound();
        if (next.kind === "done") return "done";
        if (next.kind === "sleep") await this.#options.wakeSignal.sleep(next.ms);
        else await setImmediate();
      }
    } finally {
      await this.#stop();
    }
  }

  /** Renews the heartbeat when due. False if the lock is lost, e.g. while the worker was suspended. */
  #checkLock(): boolean {
    if (performance.now() - this.#heartbeatAt >= HEARTBEAT_MS) {
      this.#heartbeatAt = performance.now();
      this.#hasLock = renewHeartbeat(this.#options.paths.workerLock, this.#options.token, Date.now());
    }
    return this.#hasLock;
  }

  get #isBusyInBackground(): boolean {
    return this.#background.some((job) => job.isBusy) || this.#maintenance.isBackingUp;
  }

  get #lastBusyAt(): number {
    return Math.max(this.#workedAt, this.#options.lastRequestAt?.() ?? -Infinity);
  }

  #stopReason(): StopReason | undefined {
    const { signal, paths, token, idleMs = IDLE_MS } = this.#options;
    if (!this.#hasLock) return "lost-lock";
    if (signal.aborted || isStopRequested(paths, token)) return "requested";
    if (this.#isBusyInBackground) return undefined;
    const now = performance.now();
    const idleForMs = now - this.#lastBusyAt;
    if (idleForMs > idleMs) return "idle";
    const mayRestart = idleForMs > RESTART_IDLE_MS && now - this.#startedAt >= RESTART_EVERY_MS;
    return mayRestart && process.memoryUsage.rss() > MEMORY_LIMIT_BYTES ? "memory" : undefined;
  }

  /** Runs once after each period of work: V8 and malloc keep 135 MB after a first sync. A new worker uses 70 MB. */
  #releaseMemory(): void {
    const busyAt = this.#lastBusyAt;
    if (this.#releasedAt > busyAt || performance.now() - busyAt < RELEASE_AFTER_MS) return;
    if (this.#background.some((job) => job.isBusy)) return;
    this.#releasedAt = performance.now();
    if (process.memoryUsage.rss() > this.#bytesAtStart + RELEASE_BYTES) this.#options.releaseMemory?.();
  }

  async #tryRound(): Promise<Next> {
    const { paths, log, once } = this.#options;
    try {
      if (this.#db !== undefined && statOf(paths.database)?.ino !== this.#inode) {
        // Otherwise rows would be written to a deleted file, and their spool files deleted: the events would be lost.
        log("the database file was deleted or replaced: opening it again");
        this.#close();
      }
      const db = (this.#db ??= this.#open());
      const hasWorked = await this.#round(db);
      if (this.#retryMs > 0) log("recovered");
      this.#retryMs = 0;
      if (hasWorked) this.#workedAt = performance.now();
      else this.#maintenance.backUp(db);
      if (this.#maintenance.isUnderWay) return { kind: "sleep", ms: LOCK_PAUSE_MS };
      return hasWorked ? { kind: "continue" } : this.#nextStep(db);
    } catch (error) {
      if (!this.#checkLock()) return { kind: "continue" };
      if (isDamage(error) && this.#repair()) return { kind: "continue" };
      if (!isTemporary(error)) throw error;
      const explained = toStoreError(error, paths.database);
      // `worker run --once` reports a full disk instead of waiting for space.
      if (once && !isBusyStore(explained)) throw explained;
      if (this.#retryMs === 0) log(`retrying: ${reasonOf(explained)}`);
      this.#retryMs = Math.min(MAX_RETRY_MS, Math.max(FIRST_RETRY_MS, this.#retryMs * 2));
      if (this.#catchUp !== null) this.#catchUp = undefined;
      this.#maintenance.reset();
      return { kind: "sleep", ms: this.#retryMs };
    }
  }

  #nextStep(db: Db): Next {
    const { wakeSignal, once } = this.#options;
    const now = Date.now();
    const session = nextDueAt(db, "session", now) ?? Infinity;
    const dueMs = Math.min(session, ...this.#background.map((job) => job.nextDueAt(db, now))) - now;
    if (once && dueMs > SOON_MS && !this.#isBusyInBackground) return { kind: "done" };
    return { kind: "sleep", ms: Math.max(0, Math.min(dueMs, wakeSignal.isWatching ? HEARTBEAT_MS : POLL_MS)) };
  }

  /** False: there was no damage, or the repair failed. No other process repairs while this one holds the lock. */
  #repair(): boolean {
    const { paths, log } = this.#options;
    log("the database is damaged");
    try {
      this.#close();
      const done = repairStore(paths, Date.now(), { onStep: () => this.#checkLock() });
      if (done.kind === "replaced") {
        const { backup, recovered, lost } = done.report;
        log(`repaired: the damaged file is in ${done.quarantine}`, { backup, recovered, lost });
      } else if (done.kind === "indexed") log("repaired: only the search index was damaged");
      return done.kind !== "intact";
    } catch (error) {
      log(`cannot repair the database: ${reasonOf(error)}`);
      return false;
    }
  }

  #close(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#catchUp = undefined;
    this.#maintenance.reset();
  }

  #open(): Db {
    const { paths, log } = this.#options;
    // The process that was replacing the database is dead, because this worker has the lock: finish or cancel its swap.
    if (isSwapping(paths.database)) settleSwap(paths.database);
    const db = openStore(paths.database);
    this.#inode = statOf(paths.database)?.ino;
    this.#dataVersion = -1;
    const isAlive = (owner: string): boolean => !owner.startsWith(this.#owner) && isOwnerAlive(owner);
    const recovered = recoverJobs(db, isAlive, Date.now());
    if (recovered > 0) log(`took over ${count(recovered, "job")} of a dead worker`);
    return db;
  }

  /** Does the most urgent work. True if it did something: there may be more to do. */
  async #round(db: Db): Promise<boolean> {
    // A job that was interrupted by an error is still marked as running.
    if (this.#retryMs > 0) releaseJobs(db, this.#owner, Date.now());
    for (const job of this.#background) job.renewLease(db);
    const { applied } = this.#drain(db);
    if (!this.#checkLock()) return true;
    const hasTidiedFiles = this.#maintenance.tidy(db);
    if (hasTidiedFiles) requestCommits(db, Date.now());
    const hasChanged = applied > 0 || hasTidiedFiles || this.#hasChanged(db);
    this.#mayBeStale ||= hasChanged;
    const job = claimJob(db, "session", this.#owner, Date.now());
    // Only if no job is due: the search reads all stale turns, and after a first sync every turn is stale.
    const enqueued = job === undefined && this.#mayBeStale ? enqueueStaleSessions(db, Date.now()) : 0;
    if (job === undefined) this.#mayBeStale = false;
    else await this.#runSessionJob(db, job);
    if (!this.#checkLock()) return true;
    const hasEnriched = this.#enriching.start(db);
    const hasLinked = this.#linking.start(db);
    const isBusy = applied + enqueued > 0 || job !== undefined || hasEnriched || hasLinked || this.#readTranscripts(db);
    if (!this.#checkLock()) return true;
    const hasTidied =
      isBusy || updateLinks(db, { maxMs: LINKS_MS }) > 0 || this.#maintenance.mergeIndexes(db, hasChanged);
    const hasWorked = hasTidied || this.#embed(db, hasChanged) || this.#maintenance.freeSpace(db);
    if (hasChanged && !hasWorked) this.#writeActivity(db);
    this.#hasWritten = hasWorked;
    return hasWorked;
  }

  /** Makes the commit durable, because the spool files are deleted after it. Other work can be repeated. */
  #drain(db: Db): { applied: number } {
    setDurable(db, true);
    try {
      return drainSpool(db, this.#options.paths.spool, { maxMs: DRAIN_MS });
    } finally {
      setDurable(db, false);
    }
  }

  /** Whether the last round or another process changed the database. */
  #hasChanged(db: Db): boolean {
    const before = this.#dataVersion;
    this.#dataVersion = dataVersion(db);
    return this.#hasWritten || this.#dataVersion !== before;
  }

  async #runSessionJob(db: Db, job: Job): Promise<void> {
    const { paths, env, log } = this.#options;
    try {
      const steps = runSessionJob(db, idInKey(job.key), { paths, env, now: Date.now() });
      let step = steps.next();
      while (!step.done) {
        await setImmediate();
        // Another worker has the lock and runs the job.
        if (!this.#checkLock()) return;
        step = steps.next();
      }
      finishJob(db, job, this.#owner, Date.now());
      const { turns } = step.value;
      // The user or the agent may have committed the changes of the turn.
      if (turns > 0) requestCommitsOf(db, projectOfSession(db, idInKey(job.key)), Date.now());
      if (turns > 0) log(`${job.key}: derived memory of ${turns} turn${turns === 1 ? "" : "s"}`);
    } catch (error) {
      failOrRethrow(db, job, { owner: this.#owner, log }, error);
    }
  }

  /** Reads one piece of the transcripts that changed while no worker ran. False if all were read before. */
  #readTranscripts(db: Db): boolean {
    if (this.#catchUp === null) return false;
    const { paths, env, log } = this.#options;
    this.#catchUp ??= catchUp(db, paths, env, log);
    const { done: isDone, value: unread } = this.#catchUp.next();
    this.#unreadTranscripts = unread ?? 0;
    if (this.#unreadTranscripts > 0 && performance.now() - this.#activityAt > ACTIVITY_MS) this.#writeActivity(db);
    if (isDone === true) {
      this.#catchUp = null;
      // Some sessions just read may have been idle for a day: close them.
      this.#maintenance.tidySoon();
    }
    return true;
  }

  #embed(db: Db, hasChanged: boolean): boolean {
    if (this.#embedding.isBusy) return false;
    if (hasChanged) requestEmbedding(db, this.#options);
    return this.#embedding.start(db);
  }

  #writeActivity(db: Db): void {
    const moment = { now: Date.now(), toRead: this.#unreadTranscripts };
    this.#activity = writeActivityIfChanged(db, this.#options.paths.activity, this.#activity, moment);
    this.#activityAt = performance.now();
  }

  async #stop(): Promise<void> {
    clearStopRequest(this.#options.paths, this.#options.token);
    this.#maintenance.stop();
    const db = this.#db;
    if (db === undefined) return;
    try {
      await Promise.all(this.#background.map((job) => job.stop(db)));
      releaseJobs(db, this.#owner, Date.now());
    } catch {
      // The next worker takes over jobs of a dead owner.
    }
    db.close();
  }
}

function isOwnerAlive(owner: string): boolean {
  const [pid, birth] = owner.split("/");
  return isSameProcess({ pid: Number(pid), birth: birth === "" ? undefined : birth });
}

/** True if another program has locked the database or is replacing it. */
function isBusyStore(error: unknown): boolean {
  return error instanceof AppError && ["store_busy", "store_restoring"].includes(error.code);
}
