// The first hundred bytes of a database file. Where only they are lost, the rest can be read once they are written again.
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { statOf } from "../config/read.ts";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const PAGE_BYTES = 4096;
/** How the first page goes on after it: as a page of a table. */
const TABLE_PAGES = new Set([0x05, 0x0d]);
const WAL_FORMAT = 2;

/** `like` is a database as this program makes them. True if the header was broken and could be mended. */
export function mendHeader(path: string, like: string): boolean {
  const found = readBytes(path, HEADER_BYTES + 1);
  if (found.length <= HEADER_BYTES || found.toString("latin1", 0, MAGIC.length) === MAGIC) return false;
  if (!TABLE_PAGES.has(found[HEADER_BYTES] ?? 0)) return false;
  const header = readBytes(like, HEADER_BYTES);
  header[18] = WAL_FORMAT;
  header[19] = WAL_FORMAT;
  header.writeUInt32BE(Math.floor((statOf(path)?.size ?? 0) / PAGE_BYTES), 28);
  // Of a file that can give room back the second page lists what every page is, beginning with a table's first.
  if (readBytes(path, PAGE_BYTES + 1)[PAGE_BYTES] !== 1) header.fill(0, 52, 56).fill(0, 64, 68);
  // No list of free pages, and a page count that counts because both counters are the same.
  header.fill(0, 32, 40);
  header.writeUInt32BE(header.readUInt32BE(24), 92);
  const fd = openSync(path, "r+");
  try {
    writeSync(fd, header, 0, HEADER_BYTES, 0);
    return true;
  } finally {
    closeSync(fd);
  }
}

function readBytes(path: string, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const fd = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, length, 0));
  } finally {
    closeSync(fd);
  }
}
