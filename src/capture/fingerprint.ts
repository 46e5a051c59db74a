// Tells a file that has only grown from one that was rewritten: its first bytes and those before where reading stopped.
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

const HEAD_BYTES = 1024;
const TAIL_BYTES = 512;

export function fingerprint(path: string, offset: number): string {
  const fd = openSync(path, "r");
  try {
    const hash = createHash("sha1");
    hash.update(readAt(fd, 0, Math.min(HEAD_BYTES, offset)));
    hash.update(readAt(fd, Math.max(0, offset - TAIL_BYTES), Math.min(TAIL_BYTES, offset)));
    return hash.digest("hex");
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, position));
}
