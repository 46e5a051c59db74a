// c-mem sync: brings in the sessions that are on this machine, of every agent it knows.
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { AGENTS } from "../../agents/spec.ts";
import type { Transcript } from "../../capture/read-transcript.ts";
import { isUnchanged, startSync, type SyncContext, syncInParallel, syncTranscripts } from "../../capture/sync.ts";
import { loadSettings } from "../../config/load.ts";
import { type Env, resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { countSince, newestRows } from "../../store/counts.ts";
import type { Db } from "../../store/driver.ts";
import { findProjectByName } from "../../store/projects.ts";
import { relaxDurability } from "../../store/open.ts";
import { interruptIdleSessions } from "../../store/sessions.ts";
import { indexSome, updateSearchIndex } from "../../store/search-index.ts";
import type { CommandOptions } from "../table.ts";
import { startProgress } from "../progress.ts";
import { checkAgent } from "../scope.ts";
import { withStoreAsync } from "../store.ts";
import { reportPlan, reportResult, type SyncReport } from "../sync-report.ts";

/** Below this, starting a thread costs more than it brings. */
const PARALLEL_BYTES = 16 * 1024 * 1024;
const READER_THREAD = new URL("./reader-thread.cjs", import.meta.url);

export async function run({ flags, json }: CommandOptions): Promise<number> {
  const env = process.env;
  const paths = resolvePaths(env);
  const files = findFiles(env, flags);
  const isQuiet = flags["quiet"] === true || json;
  return withStoreAsync(paths, async (db) => {
    const project = flags["project"] as string | undefined;
    const context = startSync(db, paths, env, { force: flags["force"] === true, project });
    const maxBytes = loadSettings({ user: paths.config }, env).values.maxTranscriptMb * 1024 * 1024;
    const pending = files.filter(({ file }) => file.bytes <= maxBytes && !isUnchanged(file, context));
    const tooLarge = files.filter(({ file }) => file.bytes > maxBytes).map(({ file }) => file.path);
    if (flags["dryRun"] === true) return reportPlan(files, pending, tooLarge, json);
    relaxDurability(db);
    const before = newestRows(db);
    const report = await syncAll(db, pending, context, isQuiet);
    report.unchanged = files.length - pending.length - tooLarge.length;
    report.tooLarge = tooLarge;
    interruptIdleSessions(db, Date.now());
    updateSearchIndex(db);
    if (project !== undefined && !report.isInterrupted && findProjectByName(db, project) === undefined) {
      throw new AppError("nothing_found", `No session on this machine belongs to a project "${project}".`, {
        hint: "`c-mem projects` lists those that are remembered; `c-mem sync` without --project brings in all.",
      });
    }
    return reportResult(report, countSince(db, before), { json, isVerbose: flags["verbose"] === true, isQuiet });
  });
}

function findFiles(env: Env, flags: Record<string, unknown>): Transcript[] {
  const agent = checkAgent(flags["agent"]);
  const session = flags["session"];
  return AGENTS.filter(({ id }) => agent === undefined || id === agent)
    .flatMap(({ sources }) => sources.flatMap(({ find, reader }) => find(env).map((file) => ({ file, reader }))))
    .filter(({ file }) => session === undefined || file.sessionId.startsWith(String(session)));
}

async function syncAll(db: Db, pending: Transcript[], context: SyncContext, isQuiet: boolean): Promise<SyncReport> {
  const report: SyncReport = { outcomes: [], unchanged: 0, failed: [], tooLarge: [], isInterrupted: false };
  const total = pending.reduce((sum, { file }) => sum + file.bytes, 0);
  const progress = startProgress(total, isQuiet);
  const steps =
    total < PARALLEL_BYTES || availableParallelism() === 1
      ? syncTranscripts(db, pending, context)
      : syncInParallel(db, pending, context, { thread: READER_THREAD, idle: () => indexSome(db) });
  const stop = () => (report.isInterrupted = true);
  process.once("SIGINT", stop);
  try {
    for await (const { bytes, outcome, failed } of steps) {
      if (outcome !== undefined) report.outcomes.push(outcome);
      // One broken file does not stop the others.
      if (failed !== undefined) report.failed.push(failed);
      progress.add(bytes);
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
