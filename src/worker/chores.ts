// What the worker does when nothing is urgent: tidies up, makes the search indexes one piece again, saves room, has a backup made.
import { tidySessionFiles } from "../capture/live/private-turn.ts";
import { pruneCompileCache } from "../platform/prune-bytecode-cache.ts";
import type { Env, Paths } from "../config/paths.ts";
import { isBackupDue } from "../upkeep/backup/rotation.ts";
import type { Db } from "../store/db/driver.ts";
import { enqueueSession, forgetDoneJobs } from "../store/tables/jobs.ts";
import { mergeSearchIndex } from "../store/fts/search-index.ts";
import { updateIdleStatuses } from "../store/tables/session-status.ts";
import { countSessions } from "../store/reads/what-counts.ts";
import { HELD_MS } from "../store/db/transaction.ts";
import { modelSettings } from "./enrich-job.ts";
import type { Log } from "./log.ts";
import { saveRoom } from "./save-room.ts";

export interface Chores {
  /** At the start, and then every hour. True when something may be new. */
  tidy(db: Db): boolean;
  /** Not in an hour, but next time. */
  tidySoon(): void;
  /** Some steps of it, then others have their turn. True while there is more to do. */
  merge(db: Db, isNew: boolean): boolean;
  save(db: Db): boolean;
  /** Once a day, and not before there is something to keep. */
  backUp(db: Db): void;
  isUnderWay(): boolean;
  isBackingUp(): boolean;
  /** The database is not what it was: whatever was begun begins anew. */
  drop(): void;
  stop(): void;
}

export interface ChoreOptions {
  paths: Paths;
  env: Env;
  log: Log;
  /** Asked between steps: a worker that has lost its lock does nothing more. */
  isStillMine: () => boolean;
  /** Makes a backup, in a process of its own. */
  startBackup: ((signal: AbortSignal) => Promise<void>) | undefined;
  onBackedUp: () => void;
}

const HOUR_MS = 60 * 60_000;

export function createChores(options: ChoreOptions): Chores {
  const { paths, log, isStillMine, startBackup, onBackedUp } = options;
  const stopped = new AbortController();
  // By the process's own clock, which never jumps.
  let tidiedAt = -Infinity;
  let savedAt = -Infinity;
  let backupAskedAt = -Infinity;
  let merging: Generator<void, void> | undefined;
  let saving: Generator<unknown, void> | undefined;
  let isBackingUp = false;

  const goOn = (steps: Generator<unknown, void>): boolean => {
    const begun = performance.now();
    while (performance.now() - begun < HELD_MS) {
      if (steps.next().done) return false;
      if (!isStillMine()) return true;
    }
    return true;
  };

  return {
    tidy(db) {
      if (!isDue(tidiedAt)) return false;
      const now = Date.now();
      for (const sessionId of updateIdleStatuses(db, now)) enqueueSession(db, sessionId, now);
      forgetDoneJobs(db, now);
      tidySessionFiles([paths.privateTurns, paths.shown], now);
      pruneCompileCache(paths.cache, now);
      tidiedAt = performance.now();
      return true;
    },
    tidySoon: () => void (tidiedAt = -Infinity),
    merge(db, isNew) {
      if (isNew) merging ??= mergeSearchIndex(db);
      if (merging === undefined || !goOn(merging)) merging = undefined;
      return merging !== undefined;
    },
    save(db) {
      if (saving === undefined) {
        if (!isDue(savedAt)) return false;
        savedAt = performance.now();
        saving = saveRoom(db, modelSettings(options), log);
      }
      if (!goOn(saving)) saving = undefined;
      return saving !== undefined;
    },
    backUp(db) {
      if (startBackup === undefined || isBackingUp || !isDue(backupAskedAt)) return;
      backupAskedAt = performance.now();
      if (!isBackupDue(paths.database, modelSettings(options), Date.now()) || countSessions(db).sessions === 0) return;
      isBackingUp = true;
      void startBackup(stopped.signal).finally(() => {
        isBackingUp = false;
        onBackedUp();
      });
    },
    isUnderWay: () => merging !== undefined || saving !== undefined,
    isBackingUp: () => isBackingUp,
    drop() {
      merging = undefined;
      saving = undefined;
    },
    stop: () => stopped.abort(),
  };
}

function isDue(doneAt: number): boolean {
  return performance.now() - doneAt >= HOUR_MS;
}
