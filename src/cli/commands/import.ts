// c-mem import: imports an export of C-Mem, or the database of another memory system.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { checkSource, importDatabase } from "../../capture/import/import-database.ts";
import { type ImportCounts, importRows } from "../../capture/import/import-rows.ts";
import { checkExport, type ExportEnd, readExport } from "../../capture/import/read-export.ts";
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { deleteForgotten } from "../../upkeep/erase/scrub-backups.ts";
import { createBackup } from "../../store/db/backup.ts";
import { countSessions } from "../../store/reads/counts.ts";
import { plural } from "../forget-run.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { count } from "../../core/text.ts";
import { bytes as bytesText } from "../../platform/terminal/style.ts";
import { withStore } from "../store.ts";
import { defineCommand } from "../command.ts";

/** Set in the child process that imports. */
const CHILD = "C_MEM_IMPORT_CHILD";
const MAX_BYTES = 64 * 1024 ** 3;
/** The default time limit: a minimum, plus a second per MB. */
const MIN_SECONDS = 120;
const BYTES_PER_SECOND = 1024 * 1024;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export const command = defineCommand({
  about: "import an export, or a claude-mem or memory-nexus database",
  needsStore: true,
  fields: {
    file: { kind: "text", position: "<file>", required: true, about: "a file of `c-mem export --all`, or a database" },
    timeout: { kind: "text", value: "seconds", about: "stop after this time (default: 120, plus 1 per MB)" },
  },
  /**
   * Imports in a child process and kills it at the time limit: an SQL statement over a crafted database may never end,
   * and cannot be interrupted otherwise.
   */
  async run({ file, timeout }, { json }) {
    const path = resolve(file);
    const bytes = checkFile(path);
    if (process.env[CHILD] === "1") return importFile(path, json);
    const seconds = readSeconds(timeout) ?? MIN_SECONDS + Math.ceil(bytes / BYTES_PER_SECOND);
    const { status, timedOut } = await runChild(seconds * 1000);
    // A killed child may not have deleted forgotten rows.
    if (status === EXIT.interrupted) withStore(resolvePaths(process.env), (db) => deleteForgotten(db, Date.now()));
    if (!timedOut) return status;
    throw new AppError("import_timeout", `The import of ${path} was stopped after ${count(seconds, "second")}.`, {
      hint: "Rows imported so far are kept. To allow more time: c-mem import <file> --timeout <seconds>",
    });
  },
});

async function runChild(timeoutMs: number): Promise<{ status: number; timedOut: boolean }> {
  let child: ChildProcess | undefined;
  // Registered before the child starts: otherwise an early signal would end only this process.
  for (const signal of SIGNALS) process.once(signal, () => child?.kill("SIGKILL"));
  child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, [CHILD]: "1" },
    windowsHide: true,
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  const status = await new Promise<number>((done, fail) => {
    child.once("error", fail);
    child.once("close", (code, signal) => done(code ?? (signal === null ? EXIT.failure : EXIT.interrupted)));
  });
  clearTimeout(timer);
  return { status, timedOut };
}

/** Requires a regular file, because a pipe or device may never end. Returns its size. */
function checkFile(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new AppError("nothing_found", `No such file: ${path}`);
  if (!stat.isFile()) {
    const kind = stat.isDirectory() ? "a folder" : "not a regular file";
    throw new AppError("read_failed", `${path} could not be read: it is ${kind}.`, {
      hint: "Name the file that `c-mem export --all -o <file>` wrote, or a database.",
    });
  }
  if (stat.size > MAX_BYTES) throw new AppError("import_too_large", `${path} is larger than ${bytesText(MAX_BYTES)}.`);
  return stat.size;
}

function readSeconds(flag: string | undefined): number | undefined {
  if (flag === undefined) return undefined;
  const seconds = Number(flag);
  if (seconds > 0 && seconds <= 1_000_000) return seconds;
  throw new AppError("usage", `"${flag}" is not a number of seconds.`, {
    hint: "Example: c-mem import all.jsonl --timeout 600",
  });
}

function importFile(path: string, json: boolean): number {
  const paths = resolvePaths(process.env);
  const isDatabase = isSqlite(path);
  if (isDatabase) checkSource(path);
  else checkExport(path);
  const end: ExportEnd = { isWhole: false };
  const { counts, source, forgotten, backup } = withStore(paths, (db) => {
    // With this backup the import can be undone.
    const made = countSessions(db).sessions > 0 ? createBackup(paths.database, "manual", Date.now()).path : null;
    const read = isDatabase ? importDatabase(db, path) : { source: "c-mem", ...importRows(db, readExport(path, end)) };
    return {
      counts: read as ImportCounts,
      source: read.source,
      forgotten: deleteForgotten(db, Date.now()),
      backup: made,
    };
  });
  const isCut = !isDatabase && !end.isWhole;
  if (json) {
    const { added, known, refused } = counts;
    printJson("import", { source, added, known, refused, forgotten, cut_off: isCut, backup });
    return EXIT.ok;
  }
  print(`Imported from ${source}: ${addedText(counts.added)}; ${count(counts.known, "row")} already known.`);
  if (counts.refused > 0) say(`Skipped ${count(counts.refused, "invalid row")}.`);
  if (isCut) say("The file is incomplete: everything after its last line is missing.");
  if (forgotten > 0) say(`Deleted ${count(forgotten, "row")} again: forgotten here or before the export.`);
  if (backup !== null) say(`Backup from before: ${backup} (c-mem backup restore undoes the import).`);
  return EXIT.ok;
}

function addedText(added: Record<string, number>): string {
  const parts = Object.entries(added).map(([table, number]) => plural(number, table.replace("_", " ")));
  return parts.length === 0 ? "nothing new" : parts.join(", ");
}

function isSqlite(path: string): boolean {
  const head = Buffer.alloc(MAGIC.length);
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    return readSync(fd, head, 0, head.length, 0) === head.length && head.toString("latin1") === MAGIC;
  } catch (error) {
    throw new AppError("read_failed", `${path} could not be read: ${(error as Error).message}`, { cause: error });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const MAGIC = "SQLite format 3\0";
