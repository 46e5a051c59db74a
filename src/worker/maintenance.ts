// Work for quiet times: deletes old files and jobs, merges search indexes, frees disk space, starts backups.
import { tidySessionFiles } from "../capture/live/private-turn.ts";
import { userSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { count } from "../core/text.ts";
import { deleteOldConversations } from "../llm/agent-sdk/conversations.ts";
import { pruneBytecodeCache } from "../platform/prune-bytecode-cache.ts";
import { releasePages, fileSize } from "../store/db/disk-usage.ts";
import type { Db } from "../store/db/driver.ts";
import { LOCK_HOLD_MS } from "../store/db/transaction.ts";
import { mergeSearchIndex } from "../store/fts/search-index.ts";
import { countSessions } from "../store/reads/counts.ts";
import { enqueueSession, deleteDoneJobs } from "../store/tables/jobs.ts";
import { deleteOldReplies } from "../store/tables/model-replies.ts";
import { enqueueForgottenTurns } from "../store/tables/model-turns.ts";
import { packOutputs } from "../store/tables/tool-uses.ts";
import { updateIdleStatuses } from "../store/tables/session-status.ts";
import { isBackupDue } from "../upkeep/backup/rotation.ts";
import { isRetentionSet, purge } from "../upkeep/retention/retention.ts";
import type { Log } from "./log.ts";

interface MaintenanceOptions {
  paths: Paths;
  env: Env;
  log: Log;
  /** Checked between steps: a worker that lost its lock must stop. */
  hasLock: () => boolean;
  /** Makes a backup in another process; undefined: no backups. */
  startBackup?: ((signal: AbortSignal) => Promise<void>) | undefined;
  onBackedUp: () => void;
}

const HOUR_MS = 60 * 60_000;

export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #stopping = new AbortController();
  readonly #isDue = { tidy: everyHour(), freeSpace: everyHour(), backup: everyHour() };
  #merging: Generator<void, void> | undefined;
  #freeing: Generator<unknown, void> | undefined;
  isBackingUp = false;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  /** True while merging indexes or freeing disk space is unfinished. */
  get isUnderWay(): boolean {
    return this.#merging !== undefined || this.#freeing !== undefined;
  }

  /** Does nothing for an hour after it ran, unless `tidySoon` is called. True if it ran: sessions may be stale now. */
  tidy(db: Db): boolean {
    if (!this.#isDue.tidy()) return false;
    const { paths } = this.#options;
    const now = Date.now();
    for (const sessionId of updateIdleStatuses(db, now)) enqueueSession(db, sessionId, now);
    deleteDoneJobs(db, now);
    deleteOldReplies(db, now);
    deleteOldConversations(paths.conversations, now);
    enqueueForgottenTurns(db, now);
    tidySessionFiles([paths.privateTurns, paths.shown], now);
    pruneBytecodeCache(paths.cache, now);
    return true;
  }

  /** Makes the next call of `tidy` run without waiting for the hour to end. */
  tidySoon(): void {
    this.#isDue.tidy = everyHour();
  }

  /** Begins a merge if the database has changed, or continues one, for some steps. True while there is more to do. */
  mergeIndexes(db: Db, hasChanged: boolean): boolean {
    if (hasChanged) this.#merging ??= mergeSearchIndex(db);
    if (this.#merging === undefined || !this.#hasMore(this.#merging)) this.#merging = undefined;
    return this.#merging !== undefined;
  }

  /** Begins at most once an hour, or continues, for some steps. True while there is more to do. */
  freeSpace(db: Db): boolean {
    if (this.#freeing === undefined && this.#isDue.freeSpace()) {
      const { paths, env, log } = this.#options;
      this.#freeing = freeDiskSpace(db, userSettings(paths, env), log);
    }
    if (this.#freeing === undefined || !this.#hasMore(this.#freeing)) this.#freeing = undefined;
    return this.#freeing !== undefined;
  }

  #hasMore(steps: Generator<unknown, void>): boolean {
    for (const until = performance.now() + LOCK_HOLD_MS; performance.now() < until;) {
      if (steps.next().done) return false;
      if (!this.#options.hasLock()) return true;
    }
    return true;
  }

  /** Starts the daily backup if it is due and there are sessions. */
  backUp(db: Db): void {
    const { startBackup, paths, env, onBackedUp } = this.#options;
    if (startBackup === undefined || this.isBackingUp || !this.#isDue.backup()) return;
    const isDue = isBackupDue(paths.database, userSettings(paths, env), Date.now());
    if (!isDue || countSessions(db).sessions === 0) return;
    this.isBackingUp = true;
    void startBackup(this.#stopping.signal).finally(() => {
      this.isBackingUp = false;
      onBackedUp();
    });
  }

  /** Drops unfinished work after an error or before another database is opened. The next call of `tidy` runs. */
  reset(): void {
    this.tidySoon();
    this.#merging = undefined;
    this.#freeing = undefined;
  }

  stop(): void {
    this.#stopping.abort();
  }
}

/** True at the first call, then once an hour by performance.now(), which never jumps. */
function everyHour(): () => boolean {
  let last = -Infinity;
  return () => {
    if (performance.now() - last < HOUR_MS) return false;
    last = performance.now();
    return true;
  };
}

/** Older tool outputs are compressed, on real sessions to 30% of their size. */
const COMPRESS_AFTER_MS = 30 * 24 * HOUR_MS;
/** Only a smaller database may be vacuumed, which takes a second or two. */
const VACUUM_BYTES = 200 * 1024 * 1024;
/** Free pages are released only above this share: new rows soon fill a smaller one. */
const FREE_SHARE = 0.1;

/** Yields between short steps, so that the worker can do more urgent work. */
function* freeDiskSpace(db: Db, settings: Settings, log: Log): Generator<unknown, void> {
  if (isRetentionSet(settings)) {
    const mayVacuum = fileSize(db).bytes < VACUUM_BYTES;
    const { sessions, observations } = yield* purge(db, settings, Date.now(), { mayVacuum });
    if (sessions + observations > 0) {
      const deleted = `the evidence of ${count(sessions, "session")} and ${count(observations, "observation")}`;
      log(`deleted ${deleted} beyond the retention limits`);
    }
  }
  const before = Date.now() - COMPRESS_AFTER_MS;
  let packed = 0;
  for (let rows = packOutputs(db, before); rows > 0; rows = packOutputs(db, before)) {
    packed += rows;
    yield;
  }
  if (packed > 0) log(`compressed ${count(packed, "old tool output")}`);
  const { bytes, free } = fileSize(db);
  if (free > bytes * FREE_SHARE) yield* releasePages(db);
}
