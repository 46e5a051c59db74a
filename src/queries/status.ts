// Shows what is stored, which hooks run, and what needs attention.
import { providerLabel } from "../llm/provider-labels.ts";
import { HOOKS } from "../agents/claude-code/settings.ts";
import { findCaptureContext } from "../capture/capture-context.ts";
import { spoolCounts } from "../capture/live/drain.ts";
import { archiveSize } from "../capture/sync/archive-copies.ts";
import { userSettings } from "../config/load.ts";
import { ago, count } from "../core/text.ts";
import { iso } from "../core/time.ts";
import { VERSION } from "../core/version.ts";
import { embedSource } from "../embed/source.ts";
import { agentRuns } from "../health/agents.ts";
import type { Check } from "../health/check.ts";
import { checkHealth } from "../health/health.ts";
import { modelUse } from "../health/model-use.ts";
import { lastHookErrors } from "../health/log-entries.ts";
import { statOf } from "../platform/read-file.ts";
import { readHookFires } from "../platform/state/hook-counters.ts";
import { readLostEvents } from "../platform/state/lost-events.ts";
import { bytes, fields, heading } from "../platform/terminal/style.ts";
import { findWorker } from "../platform/worker-lock.ts";
import { currentVersion } from "../store/db/migrate.ts";
import { type Counts, counts, sqliteVersion } from "../store/reads/counts.ts";
import { hookRuns } from "../store/tables/drops.ts";
import { embedProgress } from "../store/vectors/vectors.ts";
import { checkSchema } from "./health.ts";
import { defineQuery } from "./query.ts";
import { countOf, schemaOf, textOrNull } from "./schemas.ts";

const ERRORS_SHOWN = 5;
const EXIT_FAILED = 1;
const MODEL_PARTS: ReadonlySet<string> = new Set(["model", "model budget", "model work", "model replies"]);
const MODEL_COUNTS = [
  "turns_waiting",
  "sessions_waiting",
  "turns_postponed",
  "sessions_postponed",
  "parts_kept",
  "parts_dropped",
  "requests_today",
  "tokens_today",
  "tokens_per_day",
] as const;

export const status = defineQuery({
  name: "status",
  about: "show what is stored, which hooks run and what failed",
  fields: {},
  http: { path: "/api/status", tag: "health", readsFiles: true },
  reply: (z) => {
    const fired = schemaOf(z, { timeOrNull: ["last_fired"], count: ["count"] });
    return {
      data: z.strictObject({
        ...schemaOf(z, {
          text: ["version", "node", "home", "model"],
          textOrNull: ["installed"],
          count: ["lost_events"],
          flag: ["healthy"],
        }),
        database: z.strictObject(schemaOf(z, { text: ["path", "sqlite_version"], count: ["bytes"], int: ["schema"] })),
        counts: z.record(z.string(), countOf(z)),
        archive: z.strictObject(schemaOf(z, { text: ["path"], count: ["files", "bytes"] })),
        spool: z.strictObject(schemaOf(z, { count: ["waiting", "bad"] })),
        worker: z.strictObject(schemaOf(z, { flag: ["running"], intOrNull: ["pid"], textOrNull: ["version"] })),
        recording: z.strictObject({
          here: z.boolean().nullable().meta({ description: "in the current folder; null over HTTP" }),
          because: textOrNull(z),
          ignored: z.array(z.string()),
        }),
        writer: z.strictObject(
          schemaOf(z, {
            text: ["provider"],
            textOrNull: ["model"],
            count: MODEL_COUNTS,
            number: ["usd_today", "usd_per_day"],
          }),
        ),
        meaning: z.strictObject(schemaOf(z, { text: ["source"], count: ["vectors", "waiting"] })),
        hooks: z.array(z.strictObject({ command: z.string(), events: z.array(z.string()), ...fired })),
        agents: z.array(z.strictObject({ id: z.string(), installed: z.boolean(), ...fired })),
        errors: z.array(z.looseObject({ at: z.string(), message: z.string() })),
        problems: z.array(checkSchema(z)),
      }),
    };
  },
  run(_input, { db, paths, env, cwd }) {
    const now = Date.now();
    const checks = checkHealth(paths, env, { now, deep: false, ...(cwd !== undefined && { cwd }) });
    const settings = userSettings(paths, env);
    const off = cwd === undefined ? undefined : findCaptureContext(cwd, paths.config, env).offReason;
    const worker = findWorker(paths.workerLock, now);
    const runs = hookRuns(db, readHookFires(paths.hookFires));
    const agents = agentRuns(paths, runs);
    const isHealthy = checks.every((check) => check.state !== "fail");
    return {
      data: {
        version: VERSION,
        node: process.versions.node,
        home: paths.home,
        database: {
          path: paths.database,
          bytes: statOf(paths.database)?.size ?? 0,
          sqlite_version: sqliteVersion(db),
          schema: currentVersion(db),
        },
        counts: counts(db),
        archive: { path: paths.archive, ...archiveSize(paths.archive) },
        spool: spoolCounts(paths.spool),
        lost_events: readLostEvents(paths.lostEvents)?.count ?? 0,
        worker: { running: worker !== undefined, pid: worker?.pid ?? null, version: worker?.version ?? null },
        installed: messageOf(checks, "hooks installed") ?? null,
        recording: {
          here: cwd === undefined ? null : off === undefined,
          because: off ?? null,
          ignored: settings.excludePaths,
        },
        model: modelText(checks, settings.provider),
        writer: modelUse(db, settings, env, now),
        meaning: { source: embedSource(settings, env, paths).kind, ...embedProgress(db) },
        hooks: hooksJson(runs),
        agents: agents.map(({ id, installed, lastAt, count: times }) => ({
          id,
          installed,
          last_fired: iso(lastAt),
          count: times,
        })),
        errors: lastHookErrors(paths.hookLog)
          .slice(-ERRORS_SHOWN)
          .map((error) => ({ ...error })),
        problems: checks.filter((check) => check.state !== "ok").map((check) => ({ ...check })),
        healthy: isHealthy,
      },
      ...(!isHealthy && { exitCode: EXIT_FAILED }),
      checks,
      labels: new Map(agents.map(({ id, label }) => [id, label])),
    };
  },
  text({ data, checks, labels }) {
    const { database, archive, recording, hooks, agents, problems } = data;
    return [
      heading(`C-Mem ${data.version}`),
      fields([
        ["data", `${database.path} (${bytes(database.bytes)}, SQLite ${database.sqlite_version})`],
        ["stored", countsText(data.counts)],
        ...(archive.files === 0
          ? []
          : [["archive", `${count(archive.files, "transcript")} (${bytes(archive.bytes)})`] as const]),
        ["hooks", data.installed ?? "unknown"],
        ["recording", recordingText(recording.because, recording.ignored.length)],
        ["worker", workerText(checks, data.counts)],
        ["page", messageOf(checks, "page") ?? "unknown"],
        ["memory by", data.model],
        ["semantic search", messageOf(checks, "meaning") ?? "unknown"],
      ]),
      `\n${heading("Hooks last fired")}`,
      fields([
        ...hooks.map((hook) => [hook.command, firedText(hook)] as const),
        ...agents.map(
          (agent) =>
            [
              labels.get(agent.id) ?? agent.id,
              `${firedText(agent)}${agent.installed ? "" : " (not installed)"}`,
            ] as const,
        ),
      ]),
      ...(problems.length > 0 ? [`\n${heading("Needs attention")}`] : []),
      ...problems.map(({ name, message, fix }) => `  ${name}: ${message}${fix ? `\n    ${fix}` : ""}`),
    ].join("\n");
  },
});

function hooksJson(runs: ReturnType<typeof hookRuns>) {
  const runOf = new Map(runs.map((row) => [row.hook, row]));
  return [...Map.groupBy(HOOKS, (hook) => hook.command)].map(([command, hooks]) => ({
    command,
    events: hooks.map((hook) => hook.event),
    last_fired: iso(runOf.get(command)?.last_at),
    count: runOf.get(command)?.count ?? 0,
  }));
}

function firedText({ last_fired: at, count: times }: { last_fired: string | null; count: number }): string {
  return at === null ? "never" : `${ago(Date.parse(at), Date.now())}, ${count(times, "time")}`;
}

function messageOf(checks: readonly Check[], name: string): string | undefined {
  return checks.find((check) => check.name === name)?.message;
}

function recordingText(reason: string | null, ignored: number): string {
  const elsewhere = ignored > 0 ? ` (${count(ignored, "path")} ignored: c-mem ignore --list)` : "";
  return (reason === null ? "on in this folder" : `off in this folder: ${reason}`) + elsewhere;
}

function workerText(checks: readonly Check[], { jobs_pending: pending, jobs_failed: failed }: Counts): string {
  const worker = messageOf(checks, "worker") ?? "unknown";
  return `${worker}; ${count(pending, "job")} pending${failed > 0 ? `, ${failed} failed` : ""}`;
}

/** Who writes the memory, what it used today, what waits for it, and what failed the checks. */
/** "Your Claude Code: The claude command was not found": a failure alone would not say what was chosen. */
function modelText(checks: readonly Check[], provider: string): string {
  const about = checks.filter(({ name }) => MODEL_PARTS.has(name));
  const text = about.map((check) => check.message).join("; ");
  return about.some(({ state }) => state === "fail") ? `${providerLabel(provider)}: ${text}` : text;
}

function countsText({ projects, sessions, subagents, prompts, tool_uses }: Counts): string {
  const inside = subagents > 0 ? ` (and ${count(subagents, "subagent")})` : "";
  return `${count(sessions, "session")}${inside} in ${count(projects, "project")}: ${count(prompts, "prompt")}, ${count(tool_uses, "tool use")}`;
}
