// The first hundred bytes of a database file. Where only they are lost, the rest can be read once they are written again.
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { statOf } from "../../platform/read-file.ts";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
/** This program makes larger ones than it did. */
const MIN_PAGE_BYTES = 4096;
const MAX_PAGE_BYTES = 8192;
/** How the first page goes on after it: as a page of a table. */
const TABLE_PAGES = new Set([0x05, 0x0d]);
const LEAF_PAGE = 0x0d;
const WAL_FORMAT = 2;

/** `like` is a database as this program makes them. True if the header was broken and could be mended. */
export function repairHeader(path: string, like: string): boolean {
  const found = readBytes(path, HEADER_BYTES + 1);
  if (found.length <= HEADER_BYTES || found.toString("latin1", 0, MAGIC.length) === MAGIC) return false;
  if (!TABLE_PAGES.has(found[HEADER_BYTES] ?? 0)) return false;
  const header = readBytes(like, HEADER_BYTES);
  const pageBytes = pageSize(readBytes(path, MIN_PAGE_BYTES));
  header.writeUInt16BE(pageBytes, 16);
  header[18] = WAL_FORMAT;
  header[19] = WAL_FORMAT;
  header.writeUInt32BE(Math.floor((statOf(path)?.size ?? 0) / pageBytes), 28);
  // Of a file that can give room back the second page lists what every page is, beginning with a table's first.
  if (readBytes(path, pageBytes + 1)[pageBytes] !== 1) header.fill(0, 52, 56).fill(0, 64, 68);
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

/** Rows lie at the end of a page, and its beginning says where: one that lies beyond a small page lies in a large one. */
function pageSize(page: Buffer): number {
  const list = HEADER_BYTES + (page[HEADER_BYTES] === LEAF_PAGE ? 8 : 12);
  const rows = page.readUInt16BE(HEADER_BYTES + 3);
  for (let row = 0; row < rows && list + 2 * row + 2 <= page.length; row++) {
    if (page.readUInt16BE(list + 2 * row) >= MIN_PAGE_BYTES) return MAX_PAGE_BYTES;
  }
  return MIN_PAGE_BYTES;
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
