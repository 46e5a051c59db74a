// Reads a file line by line from a byte offset, a chunk of at most 1 MB at a time.
import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 1024 * 1024;
/** The first chunk is smaller, because most runs read only one or two lines. */
const FIRST_CHUNK_BYTES = 32 * 1024;
const NEWLINE = 10;

export interface Line {
  /** The line without its newline, valid until the next one is read; undefined if the line is over the limit. */
  bytes: Buffer | undefined;
  /** The offset at which the next line begins. */
  end: number;
  /** False for a last line without a newline: the agent may still be writing it. */
  isWhole: boolean;
}

/** Reused from file to file: allocating a new megabyte takes longer than filling it. */
let spare: Buffer | undefined;

export function* readLines(
  path: string,
  { from, maxLineBytes }: { from: number; maxLineBytes: number },
): Generator<Line> {
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
        const line = join(rest, restBytes, chunk.subarray(start, end), maxLineBytes);
        yield { bytes: line, end: position + end + 1, isWhole: true };
        [rest, restBytes] = [[], 0];
        start = end + 1;
      }
      restBytes += bytes - start;
      // Copied, because the chunk is overwritten. A line over the limit is not kept: only its length is counted.
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
  // A second reader that runs at the same time allocates its own.
  spare = undefined;
  return chunk;
}

function join(rest: Buffer[], restBytes: number, tail: Buffer, maxLineBytes: number): Buffer | undefined {
  if (restBytes + tail.length > maxLineBytes) return undefined;
  return rest.length === 0 ? tail : Buffer.concat([...rest, tail], restBytes + tail.length);
}
