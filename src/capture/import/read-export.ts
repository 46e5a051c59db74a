// Reads what `c-mem export --all` wrote, line by line. Any line may be cut off, too long or somebody's joke.
import { AppError } from "../../core/error.ts";
import { parseLimitedJson } from "../../core/limited-json.ts";
import { MERGE_TABLES, type MergedRow, type MergeTable } from "../../store/db/merge.ts";
import { readLines } from "../sync/lines.ts";
import { MAX_LINE_BYTES } from "../sync/read-transcript.ts";
import type { ImportRow } from "./import-rows.ts";

/** The first line of an export says which form the others have. */
export const EXPORT_VERSION = 1;

export interface ExportEnd {
  /** The last line is there: nothing was cut off. */
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

/** Throws where the file is none, before anything is done. */
export function checkExport(path: string): void {
  const rows = readExport(path, { isWhole: false });
  rows.next();
  rows.return();
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseLimitedJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function checkHead(path: string, value: Record<string, unknown> | undefined): void {
  const version = value?.["c_mem_export"];
  if (version === EXPORT_VERSION) return;
  if (typeof version === "number") {
    throw new AppError("export_newer", `${path} was written by a newer c-mem (export version ${version}).`, {
      hint: "Update this c-mem: npm install -g c-mem@latest",
    });
  }
  throw new AppError("import_unknown", `${path} is nothing that can be imported.`, {
    hint: "What `c-mem export --all` wrote, or the database of C-Mem, claude-mem or memory-nexus.",
  });
}

function rowOf(value: Record<string, unknown> | undefined): ImportRow {
  const table = MERGE_TABLES.find((name) => name === value?.["table"]);
  const row = value?.["row"];
  if (table === undefined || typeof row !== "object" || row === null) return "refused";
  return { table: table satisfies MergeTable, row: row as MergedRow };
}
