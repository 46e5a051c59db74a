// All text that a tool keeps: the columns of its SQLite databases, and its other files as they are.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { listTree, statOf } from "../../src/platform/read-file.ts";

const SQLITE = "SQLite format 3\0";
/** Written by the bench, the the installer or Node, not by the tool's memory. */
const SKIPPED = /\/(?:node_modules|\.npm|\.bun)\/|\/cache\/.*\.(?:bin|cache)$|-(?:wal|shm)$/;

/** The folder's files by path, each with its text. */
export function storedTexts(folder: string): Map<string, string> {
  const paths = listTree(folder).filter(
    (path) => !SKIPPED.test(path.slice(folder.length)) && statOf(path)?.isFile() === true,
  );
  return new Map(
    paths.map((path) => [path, startsWith(path, SQLITE) ? databaseText(path) : readFileSync(path, "utf8")]),
  );
}

function startsWith(path: string, text: string): boolean {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(text.length);
    return readSync(file, buffer, 0, text.length, 0) === text.length && buffer.toString("latin1") === text;
  } finally {
    closeSync(file);
  }
}

function databaseText(path: string): string {
  const db = new DatabaseSync(path);
  try {
    db.exec("PRAGMA busy_timeout = 5000");
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    return tables.flatMap(({ name }) => rowsOf(db, name)).join("\n");
  } finally {
    db.close();
  }
}

function rowsOf(db: DatabaseSync, table: string): string[] {
  try {
    return db
      .prepare(`SELECT * FROM "${table}"`)
      .all()
      .flatMap((row) => Object.values(row).map(valueText));
  } catch {
    // A table of an extension that is not loaded; its content is in other tables.
    return [];
  }
}

function valueText(value: unknown): string {
  return value instanceof Uint8Array ? unpack(Buffer.from(value)) : String(value);
}

/** Compressed values are unpacked. */
function unpack(value: Buffer): string {
  for (const unzip of [gunzipSync, inflateSync, zstdDecompressSync, brotliDecompressSync]) {
    try {
      return unzip(value).toString("utf8");
    } catch {
      // Another format.
    }
  }
  return value.toString("utf8");
}

/** How many of the texts are kept, whole. */
export function countStored(folder: string, wanted: readonly string[]): number {
  const texts = [...storedTexts(folder).values()];
  return wanted.filter((one) => texts.some((text) => text.includes(one))).length;
}
