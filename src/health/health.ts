// Everything that can be wrong, each with a way to mend it. `status` shows the short form, `doctor` all of it.
import { existsSync, statSync } from "node:fs";
import { findTranscripts } from "../agents/claude-code/discover.ts";
import { HOOKS } from "../agents/claude-code/hooks.ts";
import { isReadByClient } from "../agents/claude-code/settings.ts";
import { type ClaudeSite, inspectClaude, isInstalled } from "../agents/claude-code/site.ts";
import { spoolCounts } from "../capture/live/drain.ts";
import { findPlace } from "../capture/project.ts";
import { checkSettingsFiles } from "../config/check.ts";
import { readInstall } from "../platform/state/install-record.ts";
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { readLostEvents } from "../platform/state/lost-events.ts";
import { isOnlyOurs } from "../platform/private-file.ts";
import { readServer } from "../platform/state/server-record.ts";
import { AppError } from "../core/error.ts";

import { VERSION } from "../core/version.ts";
import { ruleProblems } from "../upkeep/retention/retention.ts";
import { integrityProblems } from "../store/db/backup.ts";
import { sqliteVersion } from "../store/reads/counts.ts";
import { type Db, hasSqlite } from "../store/db/driver.ts";
import { readHookFires } from "../platform/state/hook-counters.ts";
import { type HookRun, hookRuns } from "../store/tables/drops.ts";
import { isUnclean } from "../upkeep/erase/erase-rows.ts";
import { countUnindexed } from "../store/fts/search-index.ts";
import { countJobs, nextDueAt, troubledJobs } from "../store/tables/jobs.ts";
import { findWorker, isBeating } from "../platform/worker-lock.ts";
import { checkAgents } from "./agents.ts";
import { checkBackups } from "./backups.ts";
import { lastHookErrors } from "./hook-errors.ts";
import { ago, count } from "../core/text.ts";
import { checkMeaning } from "./semantic-search.ts";
import { checkLeftovers } from "./leftovers.ts";
import { checkModel } from "./model.ts";
import { checkHookRuns, checkParts, checkTools } from "./program-runs.ts";
import { withDrained } from "../capture/open-drained.ts";

export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  message: string;
  fix?: string;
}

/** Below this several writers can meet a bug in SQLite's WAL reset. */
const SAFE_SQLITE = "3.51.3";
const RECENT_MS = 24 * 60 * 60 * 1000;
const BACKLOG = 20_000;

export interface HealthOptions {
  now: number;
  /** Also reads the whole database to see that it is whole: seconds for a large one. */
  deep: boolean;
  /** The settings of the project here are checked as well. */
  cwd?: string;
}

export function checkHealth(paths: Paths, env: Env, options: HealthOptions): Check[] {
  const { now } = options;
  const found = trySite(env);
  // What they say is not known then; all the rest is.
  const site = found instanceof AppError ? undefined : found;
  return [
    checkNode(),
    ...(hasSqlite() ? checkDatabase(paths, env, site, options) : []),
    checkPermissions(paths),
    ...(found instanceof AppError ? [unreadable(found)] : checkInstall(paths, found)),
    checkParts(paths),
    ...(site === undefined ? [] : [checkHookRuns(paths, site), checkTools(paths, site)]),
    ...checkAgents(paths, env),
    checkSpool(paths),
    checkLeftovers(paths, now),
    checkErrors(paths, now),
    ...checkLost(paths, now),
    checkWorker(paths, env, now),
    checkServer(paths, env, now),
    checkSettings(paths, env, options.cwd),
    ...checkBackups(paths, env, now),
    ...checkModel(paths, env, now),
    checkMeaning(paths, env),
  ].filter((check) => check !== undefined);
}

function unreadable({ message, hint }: AppError): Check {
  return { name: "claude settings", state: "fail", message, fix: hint ?? "" };
}

function trySite(env: Env): ClaudeSite | AppError {
  try {
    return inspectClaude(env);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function checkNode(): Check {
  const message = `Node ${process.versions.node}`;
  if (hasSqlite()) return { name: "node", state: "ok", message };
  return {
    name: "node",
    state: "fail",
    message: `${message} has no SQLite; 22.16 or newer is needed`,
    fix: "Run: c-mem install",
  };
}

function checkDatabase(paths: Paths, env: Env, site: ClaudeSite | undefined, { now, deep }: HealthOptions): Check[] {
  try {
    return withDrained(paths, (db) => [
      ...(deep ? [checkIntegrity(db)] : []),
      checkSqlite(db),
      ...(site === undefined ? [] : [checkFired(db, paths, site, now)]),
      checkJobs(db, now),
      checkIndex(db),
      ...checkErased(db),
      ...checkRetention(db, paths, env),
    ]);
  } catch (error) {
    return [
      {
        name: "database",
        state: "fail",
        message: (error as Error).message,
        fix: (error instanceof AppError && error.hint) || "See the message; then run c-mem doctor again",
      },
    ];
  }
}

function checkIntegrity(db: Db): Check {
  const problems = integrityProblems(db, "quick_check");
  if (problems.length === 0) return { name: "database", state: "ok", message: "opens and is whole" };
  return {
    name: "database",
    state: "fail",
    message: `damaged: ${problems[0]}`,
    fix: "Run: c-mem doctor --fix (it sets the file aside and repairs what can be)",
  };
}

function checkSqlite(db: Db): Check {
  const version = sqliteVersion(db);
  if (isAtLeast(version, SAFE_SQLITE)) return { name: "sqlite", state: "ok", message: `SQLite ${version}` };
  return {
    name: "sqlite",
    state: "warn",
    message: `SQLite ${version} has a known bug when several programs write at once`,
    fix: `Use a newer Node (one with SQLite ${SAFE_SQLITE}), then run: c-mem install`,
  };
}

/** Installed hooks that never fire are the failure nobody notices: the client's own transcripts tell. */
function checkFired(db: Db, paths: Paths, site: ClaudeSite, now: number): Check {
  const name = "hooks firing";
  const last = Math.max(
    0,
    ...hookRuns(db, readHookFires(paths.hookFires))
      .filter(isClaudeCode)
      .map((run) => run.last_at),
  );
  const used = Math.max(0, ...findTranscripts({ CLAUDE_CONFIG_DIR: site.configDir }).map((file) => file.modifiedAt));
  const message = last === 0 ? "no hook has fired yet" : `a hook last fired ${ago(last, now)}`;
  const fix = "Restart Claude Code and look at /hooks there (in a project that is switched off, hooks record nothing)";
  const silent = isInstalled(site) ? `${message}, but Claude Code was used ${ago(used, now)}` : message;
  const installedAt = readInstall(paths.install)?.installedAt ?? now;
  if (isInstalled(site) && last === 0 && used > installedAt) return { name, state: "fail", message: silent, fix };
  if (isInstalled(site) && last > 0 && used - last > RECENT_MS) return { name, state: "warn", message: silent, fix };
  return { name, state: "ok", message };
}

/** Hooks of other agents carry its name. */
function isClaudeCode({ hook }: HookRun): boolean {
  return !hook.includes(" ");
}

function checkPermissions(paths: Paths): Check | undefined {
  if (process.platform === "win32" || !existsSync(paths.home)) return undefined;
  const open = [paths.home, paths.database, paths.spool, paths.server].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
  );
  if (open.length === 0) return { name: "privacy", state: "ok", message: "the data directory is yours alone" };
  if (!isOnlyOurs(paths.home, statSync(paths.home).mode)) {
    return {
      name: "privacy",
      state: "fail",
      message: `the data directory ${paths.home} is your home folder or one that all users share`,
      fix: "Move C-Mem's files into a folder of their own and set C_MEM_HOME to it",
    };
  }
  return {
    name: "privacy",
    state: "fail",
    message: `others on this machine can read ${open.join(", ")}`,
    fix: `Run: c-mem doctor --fix (or chmod -R go-rwx ${paths.home})`,
  };
}

function checkInstall(paths: Paths, site: ClaudeSite): Check[] {
  const name = "hooks installed";
  if (site.settingsText !== undefined && !isReadByClient(site.settingsText)) {
    const message = `Claude Code ignores all of ${site.settingsPath}: it has comments or a trailing comma`;
    return [{ name, state: "fail", message, fix: "Take them out; then restart Claude Code" }];
  }
  if (site.hooksDisabled) {
    return [
      { name, state: "fail", message: `disableAllHooks is set in ${site.settingsPath}`, fix: "Remove that line" },
    ];
  }
  if (!isInstalled(site)) {
    const others = Object.keys(readInstall(paths.install)?.agents ?? {});
    if (others.length > 0) return [{ name, state: "ok", message: `not in Claude Code, but in ${others.join(", ")}` }];
    return [{ name, state: "fail", message: `no hooks in ${site.configDir}`, fix: "Run: c-mem install" }];
  }
  if (site.pluginEnabled && site.hooks.length > 0) {
    return [
      {
        name,
        state: "warn",
        message: "both as a plugin and in settings.json: every hook runs twice",
        fix: "Run: c-mem install",
      },
    ];
  }
  const missing = site.pluginEnabled
    ? []
    : HOOKS.filter(({ event }) => !site.hooks.some((hook) => hook.event === event));
  if (missing.length > 0) {
    return [
      {
        name,
        state: "fail",
        message: `missing: ${missing.map((hook) => hook.event).join(", ")}`,
        fix: "Run: c-mem install",
      },
    ];
  }
  const where = site.pluginEnabled ? "as a plugin" : `in ${site.settingsPath}`;
  const record = readInstall(paths.install);
  const version: Check[] =
    record === undefined || record.version === VERSION
      ? []
      : [
          {
            name: "version",
            state: "warn",
            message: `the hooks are ${record.version}, this is ${VERSION}`,
            fix: "Run: c-mem install",
          },
        ];
  return [{ name, state: "ok", message: where }, ...version];
}

function checkSpool(paths: Paths): Check {
  const { waiting, bad } = spoolCounts(paths.spool);
  if (bad > 0) {
    return {
      name: "spool",
      state: "warn",
      message: `${count(bad, "event")} could not be read`,
      fix: `Run: c-mem doctor --fix, which tries again; else look at ${paths.spool}/bad and delete what is there when you have`,
    };
  }
  const message = `${count(waiting, "event")} ${waiting === 1 ? "waits" : "wait"}`;
  if (waiting > BACKLOG) return { name: "spool", state: "warn", message, fix: "Run: c-mem status" };
  return { name: "spool", state: "ok", message };
}

function checkErrors(paths: Paths, now: number): Check {
  const recent = lastHookErrors(paths.hookLog).filter((entry) => now - Date.parse(entry.at) < RECENT_MS);
  const last = recent.at(-1);
  if (last === undefined) return { name: "hook errors", state: "ok", message: "none in the last 24 hours" };
  return {
    name: "hook errors",
    state: "warn",
    message: `${recent.length} in the last 24 hours; the last: ${last.hook}: ${last.message}`,
    fix: `See ${paths.hookLog}`,
  };
}

const LOST_SHOWN_MS = 30 * RECENT_MS;

/** Only shown where some were, in the last 30 days. */
function checkLost(paths: Paths, now: number): Check[] {
  const lost = readLostEvents(paths.lostEvents);
  if (lost === undefined || now - lost.lastAt > LOST_SHOWN_MS) return [];
  const message = `at least ${count(lost.count, "event")} could not be recorded, the last ${ago(lost.lastAt, now)}: the disk was full`;
  const fix = "Free some space; then run: c-mem sync (the agents' transcripts may have them)";
  return [{ name: "lost events", state: "warn", message, fix }];
}

/** Whoever searches indexes what is new; so much waits only where nobody has for long. */
const INDEX_BACKLOG = 50_000;

function checkIndex(db: Db): Check {
  const name = "search index";
  const waiting = countUnindexed(db);
  if (waiting < INDEX_BACKLOG) return { name, state: "ok", message: `${count(waiting, "row")} to index` };
  return { name, state: "warn", message: `${count(waiting, "row")} to index`, fix: "Run: c-mem doctor --fix" };
}

function checkErased(db: Db): Check[] {
  if (!isUnclean(db)) return [];
  const message = "what was forgotten is not erased from the file yet";
  return [{ name: "forgotten text", state: "warn", message, fix: "Run: c-mem forget (or c-mem doctor --fix)" }];
}

/** Said before the worker takes out what somebody thinks is kept. */
function checkRetention(db: Db, paths: Paths, env: Env): Check[] {
  const problems = ruleProblems(db, loadSettings({ user: paths.config }, env).values);
  if (problems.length === 0) return [];
  const fix = "See c-mem projects; then: c-mem config set retentionProjects …";
  return [{ name: "retention", state: "warn", message: problems.join(" "), fix }];
}

/** A job that is due and not done for so long: nobody does it. */
const OVERDUE_MS = 60 * 60 * 1000;

function checkJobs(db: Db, now: number): Check {
  const name = "background work";
  const { pending, running, failed } = countJobs(db);
  const [first] = troubledJobs(db, 1);
  if (failed > 0) {
    const message = `${count(failed, "job")} failed; e.g. ${first?.key}: ${first?.last_error}`;
    return { name, state: "warn", message, fix: "See c-mem worker logs; then run: c-mem worker retry" };
  }
  const due = nextDueAt(db, "session", now);
  if (due !== undefined && now - due > OVERDUE_MS) {
    const message = `${count(pending, "job")} wait, the oldest since ${ago(due, now)}`;
    return { name, state: "warn", message, fix: "Run: c-mem worker start (and c-mem worker logs, should it not stay)" };
  }
  return { name, state: "ok", message: `${count(pending + running, "job")} to do` };
}

/** None running is no trouble: one comes when there is something to do, and goes when there is nothing. */
function checkWorker(paths: Paths, env: Env, now: number): Check {
  const name = "worker";
  const lock = findWorker(paths.workerLock, now);
  const { worker } = loadSettings({ user: paths.config }, env).values;
  if (lock === undefined)
    return {
      name,
      state: "ok",
      message: worker ? "at rest: starts with the next hook" : "switched off (worker: false)",
    };
  if (isBeating(paths.workerLock, now)) return { name, state: "ok", message: `running (pid ${lock.pid})` };
  const message = `process ${lock.pid} has not shown a sign of life since ${ago(lock.beatenAt, now)}`;
  return { name, state: "warn", message, fix: "If that lasts, end the process; another takes its place" };
}

/** The page and the API are there while a worker runs. */
function checkServer(paths: Paths, env: Env, now: number): Check {
  const name = "page";
  if (loadSettings({ user: paths.config }, env).values.port === 0)
    return { name, state: "ok", message: "switched off (port: 0)" };
  const record = readServer(paths.server);
  const pid = findWorker(paths.workerLock, now)?.pid;
  if (record?.problem !== undefined)
    return { name, state: "warn", message: record.problem, fix: "Run: c-mem worker restart" };
  if (pid === undefined || record?.pid !== pid || record.port === null)
    return { name, state: "ok", message: "at rest: `c-mem open` opens it" };
  return { name, state: "ok", message: `http://127.0.0.1:${record.port}, opened by \`c-mem open\`` };
}

function checkSettings(paths: Paths, env: Env, cwd: string | undefined): Check {
  const name = "settings";
  const project = cwd === undefined ? [] : findPlace(cwd).projectFiles;
  const { problems, warnings } = checkSettingsFiles({ user: paths.config, project }, env);
  const message = [...problems, ...warnings].join("; ");
  if (problems.length > 0) {
    return { name, state: "fail", message, fix: "Fix them by hand; `c-mem config` shows the values in force" };
  }
  if (warnings.length > 0) return { name, state: "warn", message, fix: "Correct them with `c-mem config set`" };
  return { name, state: "ok", message: "readable" };
}

function isAtLeast(version: string, wanted: string): boolean {
  const [a, b] = [version, wanted].map((text) => text.split(".").map(Number));
  for (const [index, part] of (b ?? []).entries()) {
    const own = a?.[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
