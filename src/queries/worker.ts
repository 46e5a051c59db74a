// Shows the worker, its jobs and the logs, and retries failed jobs.
import { spoolCounts } from "../capture/live/drain.ts";
import { nothingFound } from "../core/error.ts";
import { ago, count } from "../core/text.ts";
import { iso, parseTime } from "../core/time.ts";
import { allLogEntries, logEntries, logLine } from "../health/log-entries.ts";
import { readServer } from "../platform/state/server-record.ts";
import { dim, fields, heading } from "../platform/terminal/style.ts";
import { findWorker } from "../platform/worker-lock.ts";
import { countJobs, retryJobs, jobsWithErrors } from "../store/tables/jobs.ts";
import { clearPauses } from "../store/tables/model-pauses.ts";
import { defineQuery } from "./query.ts";
import { listOf, schemaOf } from "./schemas.ts";

const JOBS_SHOWN = 20;
const DEFAULT_LINES = 20;

export const workerStatus = defineQuery({
  name: "worker",
  about: "show the worker, its jobs and what failed",
  fields: {},
  http: { path: "/api/jobs", tag: "health" },
  reply: (z) => ({
    data: z.strictObject({
      ...schemaOf(z, {
        flag: ["running"],
        intOrNull: ["pid", "port"],
        text: ["log"],
        textOrNull: ["version"],
        timeOrNull: ["started_at", "last_beat"],
      }),
      jobs: z.strictObject(schemaOf(z, { count: ["pending", "running", "failed"] })),
      spool: z.strictObject(schemaOf(z, { count: ["waiting", "bad"] })),
      troubled: z.array(
        z.strictObject(
          schemaOf(z, {
            text: ["key", "status"],
            count: ["attempts"],
            textOrNull: ["last_error"],
            timeOrNull: ["next_try"],
          }),
        ),
      ),
    }),
  }),
  run(_input, { db, paths }) {
    const worker = findWorker(paths.workerLock, Date.now());
    const server = readServer(paths.server);
    const troubled = jobsWithErrors(db, JOBS_SHOWN).map(({ run_after: runAfter, ...job }) => ({
      ...job,
      next_try: job.status === "failed" ? null : iso(runAfter),
    }));
    const data = {
      running: worker !== undefined,
      pid: worker?.pid ?? null,
      version: worker?.version ?? null,
      started_at: iso(worker?.startedAt),
      last_beat: iso(worker?.heartbeatAt),
      jobs: countJobs(db),
      spool: spoolCounts(paths.spool),
      troubled,
      log: paths.workerLog,
      port: worker !== undefined && server?.pid === worker.pid ? server.port : null,
    };
    return { data };
  },
  text({ data: { running, pid, version, started_at: startedAt, jobs, troubled, log } }) {
    const state = fields([
      ["worker", running ? `running, started ${ago(Date.parse(startedAt ?? ""), Date.now())}` : "not running"],
      ...(running ? [["process", `${pid}, version ${version}`] as const] : []),
      ["jobs", `${jobs.pending} waiting, ${jobs.running} running, ${jobs.failed} failed`],
      ["log", log],
    ]);
    const failed = troubled.map(
      (job) => `  ${job.key} (${job.status}, ${count(job.attempts, "attempt")}): ${job.last_error}`,
    );
    return [state, ...(failed.length > 0 ? [`\n${heading("Failing jobs")}`] : []), ...failed].join("\n");
  },
});

interface LogEntry {
  at: string;
  pid: number;
  message: string;
}

export const workerLog = defineQuery({
  name: "worker",
  about: "show the last lines of the worker's log",
  fields: { lines: { kind: "number", short: "n", about: `how many lines (default: ${DEFAULT_LINES})` } },
  http: { path: "/api/logs", tag: "health" },
  reply: (z) => ({
    data: listOf(z, z.looseObject({ at: z.string(), pid: z.int(), message: z.string() })),
  }),
  run({ lines = DEFAULT_LINES }, { paths }) {
    const results = logEntries<LogEntry>(paths.workerLog, lines).map((entry) => ({ ...entry }));
    if (results.length === 0) throw nothingFound("The worker's log is empty.");
    return { data: { results } };
  },
  text: ({ data }) => data.results.map(({ at, message }) => `${dim(at)} ${message}`).join("\n"),
});

const DEFAULT_ENTRIES = 50;

export const logs = defineQuery({
  name: "logs",
  about: "show the log of hooks and the worker",
  fields: {
    since: { kind: "text", value: "time", about: "from this time on: 2026-01-31, 3d, 2w" },
    lines: { kind: "number", short: "n", about: `how many lines (default: ${DEFAULT_ENTRIES})` },
  },
  http: { path: "/api/logs/all", tag: "health", readsFiles: true },
  reply: (z) => ({
    data: listOf(z, z.strictObject({ at: z.string(), from: z.enum(["hook", "worker"]), message: z.string() })),
  }),
  run({ since, lines = DEFAULT_ENTRIES }, { paths }) {
    const sinceMs = since === undefined ? 0 : parseTime(since, Date.now());
    const entries = allLogEntries(paths).filter(({ at }) => Date.parse(at) >= sinceMs);
    return { data: { results: entries.slice(-lines) } };
  },
  text({ data: { results } }, { note }) {
    if (results.length === 0) note("The log is empty.");
    return results.map((entry) => logLine(entry)).join("\n");
  },
});

export const retryFailed = defineQuery({
  name: "worker",
  about: "retry failed jobs: one, or all",
  fields: { key: { kind: "text", about: "a job's key (default: every failed job)" } },
  http: { method: "post", path: "/api/jobs/retry", tag: "health", startsWork: true },
  reply: (z) => ({ data: z.strictObject(schemaOf(z, { count: ["retried", "models"] })) }),
  run({ key }, { db }) {
    const retried = retryJobs(db, Date.now(), key);
    // Without a key, the pauses of models after errors end, too.
    const models = key === undefined ? clearPauses(db) : 0;
    if (retried + models === 0)
      throw nothingFound(key === undefined ? "No job has failed." : `No failed job "${key}".`);
    return { data: { retried, models } };
  },
  text: ({ data }) => `Retrying ${count(data.retried, "job")}.`,
});
