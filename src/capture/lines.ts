// Reads a file line by line without ever holding more than one line of it.
import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 10;

export interface Line {
  number: number;
  /** The line without its newline; undefined when it was longer than the limit and was skipped. */
  bytes: Buffer | undefined;
  /** False for a last line without a newline: whoever writes the file may not be done with it. */
  isWhole: boolean;
}

export function* readLines(path: string, maxLineBytes: number): Generator<Line> {
  const fd = openSync(path, "r");
  try {
    let rest: Buffer[] = [];
    let restBytes = 0;
    let number = 1;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const bytes = readSync(fd, chunk);
      if (bytes === 0) break;
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < bytes; end = chunk.indexOf(NEWLINE, start)) {
        const length = restBytes + end - start;
        const whole = length > maxLineBytes ? undefined : Buffer.concat([...rest, chunk.subarray(start, end)], length);
        yield { number: number++, bytes: whole, isWhole: true };
        rest = [];
        restBytes = 0;
        start = end + 1;
      }
      restBytes += bytes - start;
      // Past the limit nothing is kept: only its length still counts.
      if (restBytes <= maxLineBytes) rest.push(chunk.subarray(start, bytes));
      else rest = [];
    }
    if (restBytes > 0) {
      yield { number, bytes: restBytes > maxLineBytes ? undefined : Buffer.concat(rest, restBytes), isWhole: false };
    }
  } finally {
    closeSync(fd);
  }
}
