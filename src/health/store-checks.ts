// Checks of the database and its backups.
import { ago, count } from "../core/text.ts";
import { DAY_MS } from "../core/time.ts";
import { AppError } from "../core/error.ts";
import { isNewer } from "../core/version.ts";
import { statOf } from "../platform/read-file.ts";
import { readHookFires } from "../platform/state/hook-counters.ts";
import { findTranscripts } from "../agents/claude-code/discover.ts";
import { isInstalled } from "../agents/claude-code/site.ts";
import { integrityProblems, listBackups } from "../store/db/backup.ts";
import type { Db } from "../store/db/driver.ts";
import { readReports } from "../store/db/quarantine.ts";
import { countUnindexed } from "../store/fts/search-index.ts";
import { sqliteVersion } from "../store/reads/counts.ts";
import { hookRuns } from "../store/tables/drops.ts";
import { countJobs, nextDueAt, jobsWithErrors } from "../store/tables/jobs.ts";
import { reportText } from "../upkeep/backup/repair.ts";
import { isUnclean } from "../upkeep/erase/erase-rows.ts";
import { ruleProblems } from "../upkeep/retention/retention.ts";
import { type CheckRow, fail, type HealthContext, ok, onStore, type Result, warn } from "./check.ts";

/** In older versions, resetting the write-ahead log has a bug when several processes write. */
const SAFE_SQLITE = "3.51.3";
/** Every search and every session job indexes new rows: with this many waiting, neither has run lately. */
const INDEX_BACKLOG = 50_000;
const OVERDUE_MS = 60 * 60 * 1000;

export const DATABASE_CHECKS: readonly CheckRow[] = [
  ["database", checkDatabase],
  ["sqlite", onStore((db) => checkSqlite(sqliteVersion(db)))],
  ["hooks firing", onStore(checkFired)],
  ["background work", onStore(checkJobs)],
  ["search index", onStore(checkIndex)],
  ["forgotten text", onStore(checkErased)],
  ["retention", onStore(checkRetention)],
];

function checkDatabase({ store, deep }: HealthContext): Result | undefined {
  if (store instanceof Error) {
    const hint = store instanceof AppError ? store.hint : undefined;
    return fail(store.message, hint || "Fix the cause, then run c-mem doctor again");
  }
  if (store === undefined || !deep) return undefined;
  const [problem] = integrityProblems(store, "quick_check");
  if (problem === undefined) return ok("opens and is intact");
  return fail(
    `damaged: ${problem}`,
    "Run: c-mem doctor --fix (it quarantines the file and recovers all readable rows)",
  );
}

function checkSqlite(version: string): Result {
  if (!isNewer(SAFE_SQLITE, version)) return ok(`SQLite ${version}`);
  return warn(
    `SQLite ${version} has a known bug when several processes write at once`,
    `Use a newer Node (one with SQLite ${SAFE_SQLITE}), then run: c-mem install`,
  );
}

/** Compares the last hook run with Claude Code's newest transcript, to notice hooks that never fire. */
function checkFired(db: Db, { paths, site, record, now }: HealthContext): Result | undefined {
  if (site instanceof Error) return undefined;
  // Hooks of other agents carry the agent's name: "codex save".
  const runs = hookRuns(db, readHookFires(paths.hookFires)).filter(({ hook }) => !hook.includes(" "));
  const lastRunAt = Math.max(0, ...runs.map((run) => run.last_at));
  const lastUseAt = Math.max(
    0,
    ...findTranscripts({ CLAUDE_CONFIG_DIR: site.configDir }).map((file) => file.modifiedAt),
  );
  const message = lastRunAt === 0 ? "no hook has fired yet" : `a hook last fired ${ago(lastRunAt, now)}`;
  if (!isInstalled(site)) return ok(message);
  const silent = `${message}, but Claude Code was used ${ago(lastUseAt, now)}`;
  const fix = "Restart Claude Code and check /hooks there (hooks record nothing in a disabled project)";
  if (lastRunAt === 0 && lastUseAt > (record?.installedAt ?? now)) return fail(silent, fix);
  return lastRunAt > 0 && lastUseAt - lastRunAt > DAY_MS ? warn(silent, fix) : ok(message);
}

function checkJobs(db: Db, { now }: HealthContext): Result {
  const { pending, running, failed } = countJobs(db);
  if (failed > 0) {
    const [first] = jobsWithErrors(db, 1);
    const message = `${count(failed, "job")} failed; e.g. ${first?.key}: ${first?.last_error}`;
    return warn(message, "See c-mem worker logs; then run: c-mem worker retry");
  }
  const due = nextDueAt(db, "session", now);
  if (due === undefined || now - due <= OVERDUE_MS) return ok(`${count(pending + running, "job")} to do`);
  const message = `${count(pending, "job")} waiting, the oldest since ${ago(due, now)}`;
  return warn(message, "Run: c-mem worker start (and c-mem worker logs if it does not keep running)");
}

function checkIndex(db: Db): Result {
  const waiting = countUnindexed(db);
  const message = `${count(waiting, "row")} to index`;
  return waiting < INDEX_BACKLOG ? ok(message) : warn(message, "Run: c-mem doctor --fix");
}

function checkErased(db: Db): Result | undefined {
  if (!isUnclean(db)) return undefined;
  return warn("deleted text is not erased from the file yet", "Run: c-mem forget (or c-mem doctor --fix)");
}

/** Warns before the worker deletes data that the user wanted to keep. */
function checkRetention(db: Db, { settings }: HealthContext): Result | undefined {
  const problems = ruleProblems(db, settings);
  if (problems.length === 0) return undefined;
  return warn(problems.join(" "), "See c-mem projects; then: c-mem config set retentionProjects …");
}

const WEEK_MS = 7 * DAY_MS;

export const BACKUP_CHECKS: readonly CheckRow[] = [
  ["backups", checkBackups],
  ["quarantine", checkReplaced],
];

function checkBackups({ paths, settings, now }: HealthContext): Result {
  const backups = listBackups(paths.database);
  const [newest] = backups;
  if (newest === undefined) return ok("none yet; the worker makes one a day");
  const message = `${count(backups.length, "backup")}, the newest from ${ago(newest.at, now)}`;
  const hasChanged = (statOf(paths.database)?.mtimeMs ?? 0) >= newest.at;
  if (settings.backupsDaily === 0 || now - newest.at < WEEK_MS || !hasChanged) return ok(message);
  return warn(message, "Run: c-mem backup create (and see c-mem worker logs)");
}

/** Reported for a week after the database was replaced. */
function checkReplaced({ paths, now }: HealthContext): Result | undefined {
  const [last] = readReports(paths.quarantine);
  if (last === undefined || Math.abs(now - last.at) > WEEK_MS) return undefined;
  const fix = `The replaced file is in ${last.folder}; delete it once you have checked that nothing is missing`;
  const when = ago(last.at, now);
  if (last.why === "damaged") return warn(`the database was damaged and replaced ${when}. ${reportText(last)}`, fix);
  return { ...ok(`the database was replaced by a backup ${when}`), fix };
}
