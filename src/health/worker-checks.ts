// Checks of the spool, leftover files, errors, the worker, its page and the settings files.
import { join } from "node:path";
import { spoolCounts } from "../capture/live/drain.ts";
import { findPlace } from "../capture/project.ts";
import { checkSettingsFiles } from "../config/check.ts";
import type { Paths } from "../config/paths.ts";
import { ago, count } from "../core/text.ts";
import { DAY_MS } from "../core/time.ts";
import { listFolder, statOf } from "../platform/read-file.ts";
import { readLostEvents } from "../platform/state/lost-events.ts";
import { readServer } from "../platform/state/server-record.ts";
import { findWorker, hasHeartbeat } from "../platform/worker-lock.ts";
import { type CheckRow, fail, type HealthContext, ok, type Result, warn } from "./check.ts";
import { lastHookErrors } from "./log-entries.ts";

export const WORKER_CHECKS: readonly CheckRow[] = [
  ["spool", checkSpool],
  ["leftovers", checkLeftovers],
  ["hook errors", checkHookErrors],
  ["lost events", checkLostEvents],
  ["worker", checkWorker],
  ["page", checkPage],
  ["settings", checkSettings],
];

const SPOOL_BACKLOG = 20_000;

function checkSpool({ paths }: HealthContext): Result {
  const { waiting, bad } = spoolCounts(paths.spool);
  if (bad > 0) {
    const fix = `Run: c-mem doctor --fix to retry. If that does not help, inspect and delete ${paths.spool}/bad`;
    return warn(`${count(bad, "event")} could not be read`, fix);
  }
  const message = `${count(waiting, "event")} ${waiting === 1 ? "waits" : "wait"}`;
  return waiting > SPOOL_BACKLOG ? warn(message, "Run: c-mem status") : ok(message);
}

/** Temporary files older than this are leftovers: writing a file never takes this long. */
const OLD_FILE_MS = 60 * 60 * 1000;
const TEMPORARY = /(?:\.tmp|\.new)$|^(?:request|(?:lock|activity|server)\.json)\.\d+$/;

/** Temporary files and the lock of killed processes. */
export function leftovers(paths: Paths, now: number): { files: string[]; deadLock: boolean } {
  const archives = listFolder(paths.archive).map((agent) => join(paths.archive, agent));
  const folders = [paths.home, paths.spool, paths.worker, paths.shown, paths.privateTurns, ...archives];
  const files = folders
    .flatMap((folder) => listFolder(folder).flatMap((name) => (TEMPORARY.test(name) ? [join(folder, name)] : [])))
    .filter((path) => now - (statOf(path)?.mtimeMs ?? now) > OLD_FILE_MS);
  const lock = paths.workerLock;
  const deadLock = statOf(lock) !== undefined && findWorker(lock, now) === undefined && !hasHeartbeat(lock, now);
  return { files, deadLock };
}

function checkLeftovers({ paths, now }: HealthContext): Result {
  const { files, deadLock } = leftovers(paths, now);
  const parts = [
    ...(files.length > 0 ? [`${count(files.length, "temporary file")} of killed processes`] : []),
    ...(deadLock ? ["the lock of a dead worker"] : []),
  ];
  return parts.length === 0 ? ok("none") : warn(parts.join("; "), "Run: c-mem doctor --fix");
}

function checkHookErrors({ paths, now }: HealthContext): Result {
  const recent = lastHookErrors(paths.hookLog).filter((entry) => now - Date.parse(entry.at) < DAY_MS);
  const last = recent.at(-1);
  if (last === undefined) return ok("none in the last 24 hours");
  const message = `${recent.length} in the last 24 hours; the last: ${last.hook}: ${last.message}`;
  return warn(message, `See ${paths.hookLog}`);
}

function checkLostEvents({ paths, now }: HealthContext): Result | undefined {
  const lost = readLostEvents(paths.lostEvents);
  if (lost === undefined || now - lost.lastAt > 30 * DAY_MS) return undefined;
  return warn(
    `at least ${count(lost.count, "event")} could not be recorded, the last ${ago(lost.lastAt, now)}: the disk was full`,
    "Free some space; then run: c-mem sync (the agents' transcripts may have them)",
  );
}

function checkWorker({ paths, settings, now }: HealthContext): Result {
  const lock = findWorker(paths.workerLock, now);
  if (lock === undefined)
    return ok(settings.worker ? "stopped: starts with the next hook" : "switched off (worker: false)");
  if (hasHeartbeat(paths.workerLock, now)) return ok(`running (pid ${lock.pid})`);
  const message = `process ${lock.pid} has not responded since ${ago(lock.heartbeatAt, now)}`;
  return warn(message, "If this persists, end the process; a new worker starts");
}

/** The worker serves the page and the API. */
function checkPage({ paths, settings, now }: HealthContext): Result {
  if (settings.port === 0) return ok("switched off (port: 0)");
  const server = readServer(paths.server);
  if (server?.problem !== undefined) return warn(server.problem, "Run: c-mem worker restart");
  const pid = findWorker(paths.workerLock, now)?.pid;
  if (pid === undefined || server?.pid !== pid || server.port === null) return ok("stopped; to open it: c-mem open");
  return ok(`http://127.0.0.1:${server.port}; to open it: c-mem open`);
}

function checkSettings({ paths, env, cwd }: HealthContext): Result {
  const project = cwd === undefined ? [] : findPlace(cwd).projectFiles;
  const { problems, warnings } = checkSettingsFiles({ user: paths.config, project }, env);
  const message = [...problems, ...warnings].join("; ");
  if (problems.length > 0) return fail(message, "Edit the file; `c-mem config` shows the values in use");
  if (warnings.length > 0) return warn(message, "Correct them with `c-mem config set`");
  return ok("valid");
}
