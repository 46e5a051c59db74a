// c-mem status: what is stored, which hooks run, and recent problems.
import { statSync } from "node:fs";
import { HOOKS } from "../../agents/claude-code/settings.ts";
import { archiveSize } from "../../capture/sync/archive-copies.ts";
import { findCaptureContext } from "../../capture/capture-context.ts";
import { spoolCounts } from "../../capture/live/drain.ts";
import { readHookFires } from "../../platform/state/hook-counters.ts";
import { loadSettings } from "../../config/load.ts";
import { readLostEvents } from "../../platform/state/lost-events.ts";
import { resolvePaths } from "../../config/paths.ts";
import { ago } from "../../core/text.ts";
import { VERSION } from "../../core/version.ts";
import { embedSource } from "../../embed/source.ts";
import { type Counts, counts, sqliteVersion } from "../../store/reads/counts.ts";
import { hookRuns } from "../../store/tables/drops.ts";
import { currentVersion } from "../../store/db/migrate.ts";
import { embedProgress } from "../../store/vectors/vectors.ts";
import { findWorker } from "../../platform/worker-lock.ts";
import { agentRuns } from "../../health/agents.ts";
import type { Check } from "../../health/check.ts";
import { checkHealth } from "../../health/health.ts";
import { lastHookErrors } from "../../health/log-entries.ts";
import { bytes, fields, heading } from "../../platform/terminal/style.ts";
import { count } from "../../core/text.ts";
import { EXIT, print, printJson } from "../output.ts";
import { iso } from "../../core/time.ts";
import { withStore } from "../store.ts";
import { defineCommand } from "../command.ts";

const ERRORS_SHOWN = 5;

export const command = defineCommand({
  about: "show what is stored, which hooks run and what failed",
  needsStore: true,
  fields: {},
  run,
});

function run(_input: object, { json }: { json: boolean }): number {
  const env = process.env;
  const paths = resolvePaths(env);
  const now = Date.now();
  const checks = checkHealth(paths, env, { now, deep: false, cwd: process.cwd() });
  const problems = checks.filter((check) => check.state !== "ok");
  const failed = checks.some((check) => check.state === "fail");
  const installed = checks.find((check) => check.name === "hooks installed");
  const settings = loadSettings({ user: paths.config }, env).values;
  const stored = withStore(
    paths,
    (db) => ({
      counts: counts(db),
      meaning: { source: embedSource(settings, env, paths).kind, ...embedProgress(db) },
      sqlite: sqliteVersion(db),
      schema: currentVersion(db),
      runs: hookRuns(db, readHookFires(paths.hookFires)),
    }),
    { onlyLook: true },
  );
  const { offReason: reason } = findCaptureContext(process.cwd(), paths.config, env);
  const worker = findWorker(paths.workerLock, now);
  const commands = [...new Set(HOOKS.map((hook) => hook.command))];
  const runOf = new Map(stored.runs.map((row) => [row.hook, row]));
  const hooks = commands.map((name) => ({
    command: name,
    events: HOOKS.filter((hook) => hook.command === name).map((hook) => hook.event),
    last_fired: iso(runOf.get(name)?.last_at),
    count: runOf.get(name)?.count ?? 0,
  }));
  const agents = agentRuns(paths, stored.runs);
  const errors = lastHookErrors(paths.hookLog).slice(-ERRORS_SHOWN);
  const size = statSync(paths.database).size;
  const archive = archiveSize(paths.archive);
  if (json) {
    printJson("status", {
      version: VERSION,
      node: process.versions.node,
      home: paths.home,
      database: { path: paths.database, bytes: size, sqlite_version: stored.sqlite, schema: stored.schema },
      counts: stored.counts,
      archive: { path: paths.archive, ...archive },
      spool: spoolCounts(paths.spool),
      lost_events: readLostEvents(paths.lostEvents)?.count ?? 0,
      worker: { running: worker !== undefined, pid: worker?.pid ?? null, version: worker?.version ?? null },
      installed: installed?.message ?? null,
      recording: { here: reason === undefined, because: reason ?? null, ignored: settings.excludePaths },
      model: modelText(checks),
      meaning: stored.meaning,
      hooks,
      agents: agents.map(({ id, installed: isInstalled, lastAt, count: fired }) => ({
        id,
        installed: isInstalled,
        last_fired: iso(lastAt),
        count: fired,
      })),
      errors,
      problems,
      healthy: !failed,
    });
    return failed ? EXIT.failure : EXIT.ok;
  }
  print(heading(`C-Mem ${VERSION}`));
  print(
    fields([
      ["data", `${paths.database} (${bytes(size)}, SQLite ${stored.sqlite})`],
      ["remembers", countsText(stored.counts)],
      ...(archive.files === 0
        ? []
        : [["archive", `${count(archive.files, "transcript")} (${bytes(archive.bytes)})`] as const]),
      ["hooks", installed?.message ?? "unknown"],
      ["records", recordingText(reason, settings.excludePaths.length)],
      ["worker", workerText(checks, stored.counts)],
      ["page", checks.find((check) => check.name === "page")?.message ?? "unknown"],
      ["model", modelText(checks)],
      ["meaning", checks.find((check) => check.name === "meaning")?.message ?? "unknown"],
    ]),
  );
  print(`\n${heading("Hooks last fired")}`);
  const fired = (lastAt: number | undefined, times: number) =>
    lastAt === undefined ? "never" : `${ago(lastAt, now)}, ${count(times, "time")}`;
  print(
    fields([
      ...hooks.map((hook) => [hook.command, fired(runOf.get(hook.command)?.last_at, hook.count)] as const),
      ...agents.map(
        (agent) =>
          [agent.label, `${fired(agent.lastAt, agent.count)}${agent.installed ? "" : " (not installed)"}`] as const,
      ),
    ]),
  );
  if (problems.length > 0) print(`\n${heading("Needs attention")}`);
  for (const { name, message, fix } of problems) print(`  ${name}: ${message}${fix ? `\n    ${fix}` : ""}`);
  return failed ? EXIT.failure : EXIT.ok;
}

function recordingText(reason: string | undefined, ignored: number): string {
  const elsewhere = ignored > 0 ? ` (${count(ignored, "place")} ignored: c-mem ignore --list)` : "";
  return (reason === undefined ? "what happens here" : `nothing here: ${reason}`) + elsewhere;
}

function workerText(checks: readonly Check[], { jobs_pending: pending, jobs_failed: failed }: Counts): string {
  const worker = checks.find((check) => check.name === "worker")?.message ?? "unknown";
  return `${worker}; ${count(pending, "job")} to do${failed > 0 ? `, ${failed} failed` : ""}`;
}

/** The model, and its usage today. */
function modelText(checks: readonly Check[]): string {
  const about = checks.filter((check) => check.name === "model" || check.name === "model budget");
  return about.map((check) => check.message).join("; ");
}

function countsText({ projects, sessions, subagents, prompts, tool_uses }: Counts): string {
  const inside = subagents > 0 ? ` (and ${count(subagents, "subagent")})` : "";
  return `${count(sessions, "session")}${inside} in ${count(projects, "project")}: ${count(prompts, "prompt")}, ${count(tool_uses, "tool use")}`;
}
