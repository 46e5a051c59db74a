// c-mem sync: brings in the sessions that are on this machine, of every agent it knows.
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { cleanupDays } from "../../agents/claude-code/site.ts";
import { AGENTS } from "../../agents/spec.ts";
import type { Transcript } from "../../capture/read-transcript.ts";
import {
  type FileOutcome,
  isUnchanged,
  startSync,
  type SyncContext,
  syncInParallel,
  syncTranscripts,
} from "../../capture/sync.ts";
import { loadSettings } from "../../config/load.ts";
import { type Env, resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { countSince, type Newest, newestRows } from "../../store/counts.ts";
import type { Db } from "../../store/driver.ts";
import { relaxDurability } from "../../store/open.ts";
import { interruptIdleSessions } from "../../store/sessions.ts";
import { indexSome, updateSearchIndex } from "../../store/search-index.ts";
import type { CommandOptions } from "../table.ts";
import { bytes, count, EXIT, print, printJson, say } from "../output.ts";
import { startProgress } from "../progress.ts";
import { withStoreAsync } from "../store.ts";

/** Below this, starting a thread costs more than it brings. */
const PARALLEL_BYTES = 16 * 1024 * 1024;
const READER_THREAD = new URL("./reader-thread.cjs", import.meta.url);

interface Report {
  outcomes: FileOutcome[];
  unchanged: number;
  failed: { path: string; message: string }[];
  tooLarge: string[];
  isInterrupted: boolean;
}

export async function run({ flags, json }: CommandOptions): Promise<number> {
  const env = process.env;
  const paths = resolvePaths(env);
  const files = findFiles(env, flags);
  const isQuiet = flags["quiet"] === true || json;
  return withStoreAsync(paths, async (db) => {
    const context = startSync(db, paths, env, {
      force: flags["force"] === true,
      project: flags["project"] as string | undefined,
    });
    const maxBytes = loadSettings({ user: paths.config }, env).values.maxTranscriptMb * 1024 * 1024;
    const pending = files.filter(({ file }) => file.bytes <= maxBytes && !isUnchanged(file, context));
    const tooLarge = files.filter(({ file }) => file.bytes > maxBytes).map(({ file }) => file.path);
    if (flags["dryRun"] === true) return reportPlan(files, pending, json);
    relaxDurability(db);
    const before = newestRows(db);
    const report = await syncAll(db, pending, context, isQuiet);
    report.unchanged = files.length - pending.length - tooLarge.length;
    report.tooLarge = tooLarge;
    interruptIdleSessions(db, Date.now());
    updateSearchIndex(db);
    return reportResult(report, countSince(db, before), { json, isVerbose: flags["verbose"] === true, isQuiet });
  });
}

function findFiles(env: Env, flags: Record<string, unknown>): Transcript[] {
  const agent = flags["agent"];
  if (agent !== undefined && !AGENTS.some(({ id }) => id === agent)) {
    throw new AppError("usage", `There is no agent "${String(agent)}".`, {
      hint: `One of: ${AGENTS.map(({ id }) => id).join(", ")}`,
    });
  }
  const session = flags["session"];
  return AGENTS.filter(({ id }) => agent === undefined || id === agent)
    .flatMap(({ sources }) => sources.flatMap(({ find, reader }) => find(env).map((file) => ({ file, reader }))))
    .filter(({ file }) => session === undefined || file.sessionId.startsWith(String(session)));
}

async function syncAll(db: Db, pending: Transcript[], context: SyncContext, isQuiet: boolean): Promise<Report> {
  const report: Report = { outcomes: [], unchanged: 0, failed: [], tooLarge: [], isInterrupted: false };
  const total = pending.reduce((sum, { file }) => sum + file.bytes, 0);
  const progress = startProgress(total, isQuiet);
  const steps =
    total < PARALLEL_BYTES || availableParallelism() === 1
      ? syncTranscripts(db, pending, context)
      : syncInParallel(db, pending, context, { thread: READER_THREAD, idle: () => indexSome(db) });
  const stop = () => (report.isInterrupted = true);
  process.once("SIGINT", stop);
  try {
    for await (const { bytes: done, outcome, failed } of steps) {
      if (outcome !== undefined) report.outcomes.push(outcome);
      // One broken file does not stop the others.
      if (failed !== undefined) report.failed.push(failed);
      progress.add(done);
      // Lets a Ctrl-C be heard.
      await setImmediate();
      if (report.isInterrupted) break;
    }
  } finally {
    process.off("SIGINT", stop);
    progress.end();
  }
  return report;
}

function reportPlan(files: Transcript[], pending: Transcript[], json: boolean): number {
  const data = {
    files: files.length,
    unchanged: files.length - pending.length,
    to_read: pending.map(({ file }) => ({
      path: file.path,
      agent: file.agent,
      session_id: file.sessionId,
      bytes: file.bytes,
    })),
  };
  if (json) printJson("sync", { ...data, dry_run: true });
  else {
    const total = pending.reduce((sum, { file }) => sum + file.bytes, 0);
    print(`Would read ${count(pending.length, "transcript")} (${bytes(total)}); ${data.unchanged} have not changed.`);
  }
  return EXIT.ok;
}

function reportResult(
  report: Report,
  added: Newest,
  options: { json: boolean; isVerbose: boolean; isQuiet: boolean },
): number {
  const malformed = report.outcomes.flatMap(({ file, malformed: lines }) =>
    lines.map((line) => ({ path: file.path, line })),
  );
  const unknown = Object.create(null) as Record<string, number>;
  for (const outcome of report.outcomes) {
    for (const [type, times] of Object.entries(outcome.unknown)) unknown[type] = (unknown[type] ?? 0) + times;
  }
  const data = {
    read: report.outcomes.length,
    unchanged: report.unchanged,
    excluded: report.outcomes.filter(({ state }) => state === "excluded").length,
    bytes: report.outcomes.reduce((sum, { file }) => sum + file.bytes, 0),
    new_sessions: added.sessions,
    new_prompts: added.prompts,
    new_messages: added.messages,
    new_tool_uses: added.tool_uses,
    malformed,
    unknown,
    too_large: report.tooLarge,
    failed: report.failed,
    interrupted: report.isInterrupted,
  };
  if (options.json) printJson("sync", data);
  else {
    print(
      `Read ${count(data.read, "transcript")}, ${data.unchanged} unchanged: ${count(data.new_sessions, "new session")}, ` +
        `${count(data.new_prompts, "prompt")}, ${count(data.new_messages, "message")}, ${count(data.new_tool_uses, "tool use")}`,
    );
    if (options.isVerbose)
      for (const { file, state, events } of report.outcomes) say(`${state}: ${file.path} (${count(events, "event")})`);
    if (data.new_sessions > 0 && report.unchanged === 0 && !options.isQuiet) {
      say(
        `Claude Code deletes its transcripts after ${cleanupDays(process.env)} days (cleanupPeriodDays); what has been read stays here.`,
      );
    }
    for (const { path, line } of malformed) say(`malformed: ${path}:${line}`);
    if (Object.keys(unknown).length > 0)
      say(
        `skipped, not known: ${Object.entries(unknown)
          .map(([type, times]) => `${type} (${times})`)
          .join(", ")}`,
      );
    for (const path of report.tooLarge) say(`not read, over maxTranscriptMb: ${path}`);
    for (const { path, message } of report.failed) say(`failed: ${path}: ${message}`);
  }
  if (report.isInterrupted) return EXIT.interrupted;
  return report.failed.length > 0 ? EXIT.failure : EXIT.ok;
}
