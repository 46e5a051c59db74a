// c-mem import: brings in what was exported elsewhere, or another memory system's database.
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { checkSource, importDatabase } from "../../capture/import/import-database.ts";
import { type ImportCounts, importRows } from "../../capture/import/import-rows.ts";
import { checkExport, type ExportEnd, readExport } from "../../capture/import/read-export.ts";
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { forgetBuried } from "../../memory/forget-again.ts";
import { createBackup } from "../../store/backup.ts";
import { countSessions } from "../../store/sessions.ts";
import { plural } from "../forget-text.ts";
import { count, EXIT, print, printJson, say } from "../output.ts";
import { withStore } from "../store.ts";
import type { CommandOptions } from "../table.ts";

export function run({ args, json }: CommandOptions): number {
  const paths = resolvePaths(process.env);
  const path = resolve(args[0] ?? "");
  if (!existsSync(path)) throw new AppError("nothing_found", `There is no ${path}.`);
  const isDatabase = isSqlite(path);
  if (isDatabase) checkSource(path);
  else checkExport(path);
  const end: ExportEnd = { isWhole: false };
  const { counts, source, forgotten, backup } = withStore(paths, (db) => {
    // What came in by mistake can be undone.
    const made = countSessions(db).sessions > 0 ? createBackup(paths.database, "manual", Date.now()).path : null;
    const read = isDatabase ? importDatabase(db, path) : { source: "c-mem", ...importRows(db, readExport(path, end)) };
    return { counts: read as ImportCounts, source: read.source, forgotten: forgetBuried(db, Date.now()), backup: made };
  });
  const isCut = !isDatabase && !end.isWhole;
  if (json) {
    const { added, known, refused } = counts;
    printJson("import", { source, added, known, refused, forgotten, cut_off: isCut, backup });
    return EXIT.ok;
  }
  print(`Imported from ${source}: ${addedText(counts.added)}; ${count(counts.known, "row")} known already.`);
  if (counts.refused > 0)
    say(`${count(counts.refused, "row")} made no sense and ${counts.refused === 1 ? "was" : "were"} left out.`);
  if (isCut) say("The file was cut off: what follows its last line is missing.");
  if (forgotten > 0) say(`Of these ${count(forgotten, "row")} had been forgotten, here or there, and went again.`);
  if (backup !== null) say(`Before: ${backup} (c-mem backup restore undoes it).`);
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
