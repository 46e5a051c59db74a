// Reads a hook's payload from stdin, synchronously: an async stream takes 10 ms longer.
import { readSync } from "node:fs";
import { AppError } from "../core/error.ts";
import { storedPayload } from "../platform/stdin-payload.ts";

/** Payloads may contain whole files. A larger payload is refused, because the agent waits while the hook reads it. */
const MAX_BYTES = 128 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

export function readPayload(): unknown {
  const text = storedPayload() ?? readStdin();
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message is not used: it quotes the payload.
    throw new AppError("bad_payload", `stdin is not JSON (${text.length} characters)`);
  }
}

function readStdin(): string {
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
      if (code === "EOF") return 0; // on Windows at the end of a pipe
      if (code !== "EAGAIN") throw error;
      // A non-blocking pipe without data: sleep for 2 ms.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
