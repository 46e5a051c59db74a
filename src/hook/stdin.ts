// Reads all of stdin synchronously: a hook has nothing else to do, and async streams cost ten milliseconds.
import { readSync } from "node:fs";
import { keptPayload } from "../platform/stdin-payload.ts";

/** Payloads carry whole files; beyond this something is wrong, and the agent must not wait for it. */
const MAX_BYTES = 128 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

export function readStdin(): string {
  const kept = keptPayload();
  if (kept !== undefined) return kept;
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunks.length === 0 ? CHUNK_BYTES : CHUNK_BYTES * 16);
    const bytes = readSome(chunk);
    if (bytes === 0) return Buffer.concat(chunks, total).toString("utf8");
    chunks.push(chunk.subarray(0, bytes));
    total += bytes;
    if (total > MAX_BYTES) throw new Error(`stdin is over ${MAX_BYTES} bytes`);
  }
}

function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EOF") return 0; // Windows, at the end of a pipe
      if (code !== "EAGAIN") throw error;
      // A non-blocking pipe with nothing in it yet: wait a moment without burning the processor.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
