// Reads a file line by line from a byte offset, without ever holding more than one line of it.
import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 1024 * 1024;
/** Most runs read a line or two. */
const FIRST_CHUNK_BYTES = 32 * 1024;
const NEWLINE = 10;

export interface Line {
  /** The line without its newline, good until the next one is asked for; undefined when it was longer than the limit. */
  bytes: Buffer | undefined;
  /** Where the next line begins. */
  end: number;
  /** False for a last line without a newline: whoever writes the file may not be done with it. */
  isWhole: boolean;
}

export interface LineOptions {
  from: number;
  maxLineBytes: number;
}

/** Kept from file to file: to have the system find a new megabyte takes longer than to fill it. */
let spare: Buffer | undefined;

export function* readLines(path: string, { from, maxLineBytes }: LineOptions): Generator<Line> {
  const fd = openSync(path, "r");
  const first = Buffer.allocUnsafe(FIRST_CHUNK_BYTES);
  let large: Buffer | undefined;
  try {
    let rest: Buffer[] = [];
    let restBytes = 0;
    let position = from;
    for (;;) {
      if (position > from) large ??= takeChunk();
      const chunk = large ?? first;
      const bytes = readSync(fd, chunk, 0, chunk.length, position);
      if (bytes === 0) break;
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < bytes; end = chunk.indexOf(NEWLINE, start)) {
        yield {
          bytes: join(rest, restBytes, chunk.subarray(start, end), maxLineBytes),
          end: position + end + 1,
          isWhole: true,
        };
        rest = [];
        restBytes = 0;
        start = end + 1;
      }
      restBytes += bytes - start;
      // A copy: the chunk is filled anew. Past the limit nothing is kept: only its length still counts.
      if (restBytes <= maxLineBytes) rest.push(Buffer.from(chunk.subarray(start, bytes)));
      else rest = [];
      position += bytes;
    }
    if (restBytes > 0)
      yield { bytes: join(rest, restBytes, Buffer.alloc(0), maxLineBytes), end: position, isWhole: false };
  } finally {
    spare = large ?? spare;
    closeSync(fd);
  }
}

function takeChunk(): Buffer {
  const chunk = spare ?? Buffer.allocUnsafe(CHUNK_BYTES);
  // Whoever reads another file meanwhile needs one of their own.
  spare = undefined;
  return chunk;
}

function join(rest: Buffer[], restBytes: number, tail: Buffer, maxLineBytes: number): Buffer | undefined {
  if (restBytes + tail.length > maxLineBytes) return undefined;
  return rest.length === 0 ? tail : Buffer.concat([...rest, tail], restBytes + tail.length);
}
