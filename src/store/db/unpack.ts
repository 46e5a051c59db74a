// Reads what packed.ts has compressed. Apart, because every connection has it as an SQL function.

/** Larger than any output that is kept; what claims to be longer is damaged. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Node allocates 128 KB per call unless told otherwise: 24 MB of garbage for every 200 outputs. */
export const CHUNK_BYTES = 16 * 1024;

/** Null for what is not compressed, or cannot be read any more. */
export function unpack(bytes: unknown): string | null {
  if (!(bytes instanceof Uint8Array)) return null;
  try {
    const { zstdDecompressSync } = process.getBuiltinModule("node:zlib");
    return zstdDecompressSync(bytes, { maxOutputLength: MAX_BYTES, chunkSize: CHUNK_BYTES }).toString("utf8");
  } catch {
    return null;
  }
}
