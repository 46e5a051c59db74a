// Reads the output of `c-mem export --all` line by line. Any line may be cut off, too long or hostile.
import { AppError } from "../../core/error.ts";
import { asObject, type JsonObject } from "../../core/json.ts";
import { parseLimitedJson } from "../../core/limited-json.ts";
import { MERGE_TABLES, type MergedRow } from "../../store/db/merge.ts";
import { readLines } from "../sync/lines.ts";
import { MAX_LINE_BYTES } from "../sync/read-transcript.ts";
import type { ImportRow } from "./import-rows.ts";

/** The version in the first line of an export. */
export const EXPORT_VERSION = 1;

export interface ExportEnd {
  /** True once the end line was read. Stays false for an export that is cut off. */
  isWhole: boolean;
}

export function* readExport(path: string, end: ExportEnd): Generator<ImportRow, void> {
  let isFirst = true;
  for (const { bytes } of readLines(path, { from: 0, maxLineBytes: MAX_LINE_BYTES })) {
    const value = bytes === undefined ? undefined : parse(bytes.toString("utf8"));
    if (isFirst) checkHead(path, value);
    else if (value?.["end"] === true) end.isWhole = true;
    else if (bytes === undefined || bytes.length > 0) yield rowOf(value);
    isFirst = false;
  }
  if (isFirst) checkHead(path, undefined);
}

/** Throws if the file is not an export. */
export function checkExport(path: string): void {
  const rows = readExport(path, { isWhole: false });
  rows.next();
  rows.return();
}

function parse(text: string): JsonObject | undefined {
  try {
    return asObject(parseLimitedJson(text));
  } catch {
    return undefined;
  }
}

function checkHead(path: string, value: JsonObject | undefined): void {
  const version = value?.["c_mem_export"];
  if (version === EXPORT_VERSION) return;
  if (typeof version === "number") {
    throw new AppError("export_newer", `${path} was written by a newer c-mem (export version ${version}).`, {
      hint: "Update this c-mem: npm install -g c-mem@latest",
    });
  }
  throw new AppError("import_unknown", `${path} is not a file that C-Mem can import.`, {
    hint: "Give the output of `c-mem export --all`, or the database of C-Mem, claude-mem or memory-nexus.",
  });
}

function rowOf(value: JsonObject | undefined): ImportRow {
  const table = MERGE_TABLES.find((name) => name === value?.["table"]);
  const row = value?.["row"];
  return table === undefined || typeof row !== "object" || row === null ? "refused" : { table, row: row as MergedRow };
}
