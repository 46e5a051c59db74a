// Which pages of a database file hold no rows, but may still hold what lay there before.
import { readSync } from "node:fs";

export interface Extent {
  offset: number;
  length: number;
}

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

/** As the file's own list says (https://sqlite.org/fileformat2.html#the_freelist). */
export function freePages(fd: number): Extent[] {
  const header = read(fd, 0, HEADER_BYTES);
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) return [];
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

function read(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
}
