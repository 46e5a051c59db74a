// c-mem sync: imports the sessions of every known agent on this machine.
import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { TranscriptFile } from "../../agents/transcript.ts";
import { hasForgottenParts } from "../../store/tables/tombstones.ts";
import type { ArchiveContext } from "../../capture/sync/archive.ts";
import { archiveSize, type Copy, MAX_UNSAVED_COPIES, saveCopies } from "../../capture/sync/archive-copies.ts";
import { copiesToRestore, restoreCopy } from "../../capture/sync/restore.ts";
import type { Transcript } from "../../capture/sync/read-transcript.ts";
import { type SyncContext, syncInParallel, syncTranscripts } from "../../capture/sync/sync.ts";
import { AppError } from "../../core/error.ts";
import { countSince, newestIds } from "../../store/reads/counts.ts";
import type { Db } from "../../store/db/driver.ts";
import { enqueueSession } from "../../store/tables/jobs.ts";
import { projectsNamed } from "../../store/tables/projects.ts";
import { relaxDurability } from "../../store/db/open.ts";
import { updateIdleStatuses } from "../../store/tables/session-status.ts";
import { countUnindexed, updateSearchIndex } from "../../store/fts/search-index.ts";
import { startProgress } from "../progress.ts";
import { openSyncLog, reportResult, startReport, type SyncLog, type SyncReport } from "../sync-report.ts";
import { defineCommand, type Invocation, withQueryContext, runQuery } from "../command.ts";
import { planSync, SYNC_FIELDS, syncStatus } from "../../queries/sync-status.ts";
import { fields, type InputOf } from "../../queries/fields.ts";

/** Below this, starting a thread costs more time than it saves. */
const PARALLEL_BYTES = 16 * 1024 * 1024;
/** Up to this many rows are left for the next search or the worker to index. */
const FEW_ROWS = 20;
const READER_THREAD = new URL("./reader-thread.cjs", import.meta.url);

const FIELDS = fields({
  ...SYNC_FIELDS,
  archive: { kind: "flag", about: "also keep compressed, filtered copies of the transcripts" },
  dryRun: { kind: "flag", about: "show what would be read" },
  quiet: { kind: "flag", short: "q", about: "print nothing unless something fails" },
  verbose: { kind: "flag", about: "print a line for every file" },
  log: { kind: "text", value: "file", about: "append results and errors to this file (- for stderr)" },
});

export const command = defineCommand({
  about: "import the sessions of every coding agent on this machine",
  needsStore: true,
  fields: FIELDS,
  async run(input, invocation) {
    const log = input.log === undefined ? undefined : openSyncLog(input.log);
    try {
      return await sync(input, invocation, log);
    } catch (error) {
      log?.add([`error: ${(error as Error).message}`]);
      throw error;
    } finally {
      log?.close();
    }
  },
});

type Input = InputOf<typeof FIELDS>;

async function sync(input: Input, invocation: Invocation, log: SyncLog | undefined): Promise<number> {
  if (input.dryRun) return await runQuery(syncStatus, input, invocation);
  const { json } = invocation;
  const { project, session } = input;
  const isQuiet = input.quiet || json;
  return withQueryContext({}, async ({ db, paths, env }) => {
    const { settings, context, files, pending, tooLarge } = planSync(input, { db, paths, env });
    const maxBytes = settings.maxTranscriptMb * 1024 * 1024;
    relaxDurability(db);
    const before = newestIds(db);
    const report = startReport(files.length - pending.length - tooLarge.length, tooLarge);
    const stop = (): void => void (report.isInterrupted = true);
    process.once("SIGINT", stop);
    await syncAll(db, pending, context, report, isQuiet);
    await restoreAll(db, input, context, report);
    if (input.archive || settings.archive) {
      // A session gets no archive copy if a part of it was forgotten.
      const isForgotten = (sessionId: string): boolean => hasForgottenParts(db, sessionId);
      const kept = files.filter(({ file }) => !isForgotten(file.sessionId));
      await archiveAll(kept, maxBytes, { ...context, isForgotten }, report, isQuiet);
    }
    process.off("SIGINT", stop);
    for (const id of updateIdleStatuses(db, Date.now())) enqueueSession(db, id, Date.now());
    if (countUnindexed(db) > FEW_ROWS) updateSearchIndex(db);
    if (session !== undefined && files.length + report.restored === 0) {
      throw new AppError("nothing_found", `No transcript on this machine belongs to a session "${session}".`, {
        hint: "`c-mem list` shows the stored sessions.",
      });
    }
    if (project !== undefined && !report.isInterrupted && projectsNamed(db, project).length === 0) {
      throw new AppError("nothing_found", `No session on this machine belongs to a project "${project}".`, {
        hint: "`c-mem projects` lists the known projects; `c-mem sync` without --project imports all.",
      });
    }
    return reportResult(report, countSince(db, before), { json, isVerbose: input.verbose, isQuiet, log });
  });
}

async function syncAll(
  db: Db,
  pending: Transcript[],
  context: SyncContext,
  report: SyncReport,
  isQuiet: boolean,
): Promise<void> {
  const total = pending.reduce((sum, { file }) => sum + file.bytes, 0);
  const progress = startProgress(isQuiet);
  let done = 0;
  const steps =
    total < PARALLEL_BYTES || process.getBuiltinModule("node:os").availableParallelism() === 1
      ? syncTranscripts(db, pending, context)
      : syncInParallel(db, pending, context, READER_THREAD);
  for await (const { bytes, outcome, failed, isGone } of steps) {
    if (outcome !== undefined) report.outcomes.push(outcome);
    if (failed !== undefined) report.failed.push(failed);
    if (isGone) report.vanished += 1;
    progress.show({ done: (done += bytes), total });
    // Lets the event loop handle Ctrl-C.
    await setImmediate();
    if (report.isInterrupted) break;
  }
  progress.end();
}

/** Imports archived copies of transcripts that were deleted before they were read; with --force, all deleted ones. */
async function restoreAll(db: Db, { agent, session }: Input, context: SyncContext, report: SyncReport): Promise<void> {
  const copies = copiesToRestore(context).filter(
    ({ file }) =>
      (agent === undefined || file.agent === agent) && (session === undefined || file.sessionId.startsWith(session)),
  );
  await forEachFile(copies, report, (copy) => {
    if (restoreCopy(db, copy, context) > 0) report.restored += 1;
  });
}

async function archiveAll(
  files: Transcript[],
  maxBytes: number,
  context: ArchiveContext,
  report: SyncReport,
  isQuiet: boolean,
): Promise<void> {
  let written = 0;
  const wanted = files.filter(({ file }) => file.bytes <= maxBytes);
  const total = wanted.reduce((sum, { file }) => sum + file.bytes, 0);
  const progress = startProgress(isQuiet);
  let done = 0;
  const { archiveTranscript } = await import("../../capture/sync/archive.ts");
  let unsaved: Copy[] = [];
  const save = async (): Promise<void> => {
    report.failed.push(...(await saveCopies(context.archive, unsaved)));
    unsaved = [];
  };
  await forEachFile(wanted, report, async (transcript) => {
    const archived = await archiveTranscript(transcript, context);
    if (archived !== undefined) unsaved.push(archived.copy);
    if (archived?.isChanged) written += 1;
    progress.show({ done: (done += transcript.file.bytes), total });
    if (unsaved.length >= MAX_UNSAVED_COPIES) await save();
  });
  await save();
  progress.end();
  report.archived = { written, ...archiveSize(context.archive) };
}

/** A broken file does not stop the others; a file that was deleted meanwhile is not an error. */
async function forEachFile<T extends { file: TranscriptFile }>(
  items: readonly T[],
  report: SyncReport,
  work: (item: T) => void | Promise<void>,
): Promise<void> {
  for (const item of items) {
    if (report.isInterrupted) break;
    try {
      await work(item);
    } catch (error) {
      const { path } = item.file;
      if ((error as NodeJS.ErrnoException).code === "ENOENT" && !existsSync(path)) report.vanished += 1;
      else report.failed.push({ path, message: (error as Error).message });
    }
    // Lets the event loop handle Ctrl-C.
    await setImmediate();
  }
}
