// Parts of SQLite's file format (https://sqlite.org/fileformat2.html): repairs the header, and lists free pages.
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { statOf, withOpenFile } from "../../platform/read-file.ts";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

export interface ByteRange {
  offset: number;
  length: number;
}

/** Pages that no table uses. They may still contain bytes of deleted rows. */
export function freePages(path: string): ByteRange[] {
  return withOpenFile(path, readFreePages);
}

function readFreePages(fd: number): ByteRange[] {
  const header = read(fd, 0, HEADER_BYTES);
  if (!hasMagic(header)) return [];
  const size = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const count = header.readUInt32BE(36);
  const numbers = new Set<number>();
  for (let trunk = header.readUInt32BE(32); trunk !== 0 && numbers.size < count && !numbers.has(trunk);) {
    numbers.add(trunk);
    const page = read(fd, (trunk - 1) * size, size);
    if (page.length < 8) break;
    const leaves = Math.min(page.readUInt32BE(4), size / 4 - 2);
    for (let leaf = 0; leaf < leaves; leaf++) numbers.add(page.readUInt32BE(8 + 4 * leaf));
    trunk = page.readUInt32BE(0);
  }
  return [...numbers].sort((a, b) => a - b).map((number) => ({ offset: (number - 1) * size, length: size }));
}

/** Databases created by older versions have small pages. */
const MIN_PAGE_BYTES = 4096;
const MAX_PAGE_BYTES = 8192;
/** The first byte after the header is the type of the first page: an interior page or a leaf page of a table. */
const TABLE_PAGE_TYPES = new Set([0x05, 0x0d]);
const LEAF_PAGE_TYPE = 0x0d;
const WAL_FORMAT = 2;

/** Repairs a broken header with the header of `template`, a new database. Returns whether it repaired anything. */
export function repairHeader(path: string, template: string): boolean {
  const found = readStart(path, HEADER_BYTES + 1);
  if (found.length <= HEADER_BYTES || hasMagic(found)) return false;
  if (!TABLE_PAGE_TYPES.has(found[HEADER_BYTES] ?? 0)) return false;
  const header = readStart(template, HEADER_BYTES);
  const pageBytes = pageSize(readStart(path, MIN_PAGE_BYTES));
  header.writeUInt16BE(pageBytes, 16);
  header[18] = WAL_FORMAT;
  header[19] = WAL_FORMAT;
  header.writeUInt32BE(Math.floor((statOf(path)?.size ?? 0) / pageBytes), 28);
  // Clears the header's auto_vacuum fields, unless page 2 is a list of page types. Its first entry is 1 (root page).
  if (readStart(path, pageBytes + 1)[pageBytes] !== 1) header.fill(0, 52, 56).fill(0, 64, 68);
  // Empties the list of free pages. SQLite trusts the page count above only if both change counters are equal.
  header.fill(0, 32, 40);
  header.writeUInt32BE(header.readUInt32BE(24), 92);
  return withFile(path, "r+", (fd) => writeSync(fd, header, 0, HEADER_BYTES, 0) > 0);
}

/** A page lists the offsets of its rows: an offset of 4096 or more means that pages have 8192 bytes. */
function pageSize(page: Buffer): number {
  const list = HEADER_BYTES + (page[HEADER_BYTES] === LEAF_PAGE_TYPE ? 8 : 12);
  const rows = page.readUInt16BE(HEADER_BYTES + 3);
  for (let row = 0; row < rows && list + 2 * row + 2 <= page.length; row++) {
    if (page.readUInt16BE(list + 2 * row) >= MIN_PAGE_BYTES) return MAX_PAGE_BYTES;
  }
  return MIN_PAGE_BYTES;
}

function hasMagic(header: Buffer): boolean {
  return header.toString("latin1", 0, MAGIC.length) === MAGIC;
}

function readStart(path: string, length: number): Buffer {
  return withOpenFile(path, (fd) => read(fd, 0, length));
}

function read(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
}

export function withFile<T>(path: string, flags: "r" | "r+", work: (fd: number) => T): T {
  const fd = openSync(path, flags);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}
