// Everything there is, as JSON lines: a head, a line per row, an end that says how many there were.
import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { EXPORT_VERSION } from "../capture/import/read-export.ts";
import { resolvePaths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { exportRows } from "../store/reads/export-rows.ts";
import { currentVersion } from "../store/db/migrate.ts";
import { EXIT, printJson, say, writeDocument } from "./output.ts";
import { count } from "../core/text.ts";
import { STDOUT } from "../platform/terminal/style.ts";
import { withStore } from "./store.ts";
import type { CommandOptions } from "./legacy-commands.ts";

/** Characters written at a time. */
const CHUNK_CHARS = 256 * 1024;

export function exportAll({ flags, json }: CommandOptions): number {
  const file = outputFile(flags);
  if (json && file === undefined)
    throw new AppError("usage", "--json needs --output <file>: the rows are JSON already.");
  if (file !== undefined && flags["force"] !== true && existsSync(file)) {
    throw new AppError("file_exists", `${file} exists already.`, { hint: "--force overwrites it." });
  }
  // Under another name until it is whole.
  const temporary = file === undefined ? undefined : `${file}.${process.pid}.tmp`;
  const fd = temporary === undefined ? STDOUT : open(temporary);
  try {
    const rows = writeAll(fd);
    if (temporary !== undefined && file !== undefined) renameSync(temporary, file);
    if (json) printJson("export", { file, rows });
    else if (file !== undefined) say(`${file}: ${count(rows, "row")}`);
    return EXIT.ok;
  } finally {
    if (fd !== STDOUT) closeSync(fd);
    if (temporary !== undefined) rmSync(temporary, { force: true });
  }
}

/** Undefined: stdout, which is also called "-". */
export function outputFile({ output }: Record<string, unknown>): string | undefined {
  return output === undefined || output === "-" ? undefined : String(output);
}

function open(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    throw new AppError("write_failed", `${path} could not be written: ${(error as Error).message}`, { cause: error });
  }
}

function writeAll(fd: number): number {
  let rows = 0;
  let chunk = "";
  const add = (value: object): void => {
    chunk += `${JSON.stringify(value)}\n`;
    if (chunk.length < CHUNK_CHARS) return;
    writeDocument(fd, chunk);
    chunk = "";
  };
  withStore(resolvePaths(process.env), (db) => {
    const schema = currentVersion(db);
    add({ c_mem_export: EXPORT_VERSION, version: VERSION, schema, exported_at: new Date().toISOString() });
    for (const row of exportRows(db)) {
      add(row);
      rows += 1;
    }
  });
  add({ end: true, rows });
  writeDocument(fd, chunk);
  return rows;
}
