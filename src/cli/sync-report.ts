// Reports what a sync read and skipped: prints it, and appends it to the --log file.
import { closeSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { cleanupDays } from "../agents/claude-code/site.ts";
import { MAX_LINE_BYTES } from "../capture/sync/read-transcript.ts";
import type { FileOutcome } from "../capture/sync/sync.ts";
import type { AddedRows } from "../store/reads/counts.ts";
import { count, withCommas } from "../core/text.ts";
import { EXIT, print, printJson, say } from "./output.ts";
import { AppError } from "../core/error.ts";
import { bytes, STDERR } from "../platform/terminal/style.ts";

export interface SyncReport {
  outcomes: FileOutcome[];
  unchanged: number;
  failed: { path: string; message: string }[];
  tooLarge: string[];
  /** Transcripts that were deleted after they were found and before they were read. */
  vanished: number;
  /** Transcripts imported from the archive. */
  restored: number;
  /** `written`: copies that this sync wrote; `files` and `bytes`: all copies. */
  archived: { written: number; files: number; bytes: number } | null;
  isInterrupted: boolean;
}

export function startReport(unchanged: number, tooLarge: string[]): SyncReport {
  const nothing = { outcomes: [], failed: [], vanished: 0, restored: 0, archived: null, isInterrupted: false };
  return { ...nothing, unchanged, tooLarge };
}

type ReportData = ReturnType<typeof toData>;

export function reportResult(
  report: SyncReport,
  added: AddedRows,
  options: { json: boolean; isVerbose: boolean; isQuiet: boolean; log: SyncLog | undefined },
): number {
  const data = toData(report, added);
  options.log?.add([...resultLines(data), ...problemLines(report, data)]);
  if (options.json) printJson("sync", data);
  else printReport(report, data, options);
  if (report.isInterrupted) return EXIT.interrupted;
  return report.failed.length > 0 ? EXIT.failure : EXIT.ok;
}

function toData(report: SyncReport, added: AddedRows) {
  const read = report.outcomes.filter(({ state }) => state !== "excluded");
  const unknown = Object.create(null) as Record<string, number>;
  for (const outcome of read) {
    for (const [type, times] of Object.entries(outcome.unknown)) unknown[type] = (unknown[type] ?? 0) + times;
  }
  return {
    read: read.length,
    unchanged: report.unchanged,
    excluded: report.outcomes.length - read.length,
    bytes: read.reduce((sum, { file }) => sum + file.bytes, 0),
    new_sessions: added.sessions,
    new_prompts: added.prompts,
    new_messages: added.messages,
    new_tool_uses: added.tool_uses,
    malformed: linesOf(read, "malformed"),
    too_long: linesOf(read, "tooLong"),
    unknown,
    too_large: report.tooLarge,
    failed: report.failed,
    vanished: report.vanished,
    restored: report.restored,
    archived: report.archived,
    interrupted: report.isInterrupted,
  };
}

function linesOf(outcomes: FileOutcome[], kind: "malformed" | "tooLong"): { path: string; line: number }[] {
  return outcomes.flatMap(({ file, [kind]: lines }) => lines.map((line) => ({ path: file.path, line })));
}

function printReport(report: SyncReport, data: ReportData, options: { isVerbose: boolean; isQuiet: boolean }): void {
  if (!options.isQuiet) for (const line of resultLines(data)) print(line);
  if (options.isVerbose) {
    for (const { file, state, events } of report.outcomes) say(`${state}: ${file.path} (${count(events, "event")})`);
  }
  if (data.new_sessions > 0 && report.unchanged === 0 && !options.isQuiet) {
    say(
      `Claude Code deletes its transcripts after ${cleanupDays(process.env)} days (cleanupPeriodDays). C-Mem keeps what it has read` +
        (data.archived === null ? "; `c-mem sync --archive` also keeps copies." : "."),
    );
  }
  for (const line of options.isQuiet ? failureLines(report) : problemLines(report, data)) say(line);
}

function resultLines(data: ReportData): string[] {
  const excluded = data.excluded === 0 ? "" : `, ${data.excluded} excluded`;
  const lines = [
    `Read ${count(data.read, "transcript")}, ${withCommas(data.unchanged)} unchanged${excluded}: ${count(data.new_sessions, "new session")}, ` +
      `${count(data.new_prompts, "prompt")}, ${count(data.new_messages, "message")}, ${count(data.new_tool_uses, "tool use")}`,
  ];
  if (data.restored > 0) lines.push(`Restored ${count(data.restored, "session file")} from the archive.`);
  if (data.archived !== null) {
    const { written, files, bytes: size } = data.archived;
    lines.push(`Archived ${count(written, "transcript")}; the archive has ${withCommas(files)} (${bytes(size)}).`);
  }
  return lines;
}

function problemLines(report: SyncReport, data: ReportData): string[] {
  const unknown = Object.entries(data.unknown).map(([type, times]) => `${type} (${times})`);
  return [
    ...data.malformed.map(({ path, line }) => `malformed: ${path}:${line}`),
    ...data.too_long.map(({ path, line }) => `too long, over ${bytes(MAX_LINE_BYTES)}: ${path}:${line}`),
    ...(unknown.length > 0 ? [`skipped, unknown type: ${unknown.join(", ")}`] : []),
    ...report.tooLarge.map((path) => `not read, over maxTranscriptMb: ${path}`),
    ...failureLines(report),
  ];
}

/** Printed with --quiet, too. */
function failureLines({ isInterrupted, failed }: SyncReport): string[] {
  return [
    ...(isInterrupted ? ["Interrupted: the next `c-mem sync` continues from here."] : []),
    ...failed.map(({ path, message }) => `failed: ${path}: ${message}`),
  ];
}

export interface SyncLog {
  add(lines: readonly string[]): void;
  close(): void;
}

/** Call before the sync: an unwritable log must stop it. "-" is stderr, because stdout is for the summary and JSON. */
export function openSyncLog(file: string): SyncLog {
  const fd = file === "-" ? STDERR : openLog(resolve(file));
  return {
    add(lines) {
      const time = new Date().toISOString();
      writeSync(fd, lines.map((line) => `${time} ${line.replace(/\s*\n\s*/g, " ")}\n`).join(""));
    },
    close() {
      if (fd !== STDERR) closeSync(fd);
    },
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
};

function openLog(path: string): number {
  try {
    // Private: it contains paths of projects.
    return openSync(path, "a", 0o600);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new AppError("log_unwritable", `Cannot write ${path}: ${REASONS[code] ?? message}`, {
      hint: "Give --log a file in a folder that exists and that you may write to.",
      cause: error,
    });
  }
}
