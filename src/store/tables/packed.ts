// Old tool outputs are kept compressed. Whoever reads an output reads it through `outputOf`.
import type { Db } from "../db/driver.ts";
import { transaction } from "../db/transaction.ts";
import { CHUNK_BYTES } from "../db/unpack.ts";

/** SQL for a tool use's output, compressed or not. `unpack` is a function every connection has (driver.ts). */
export function outputOf(alias = ""): string {
  const prefix = alias === "" ? "" : `${alias}.`;
  return `coalesce(${prefix}output, unpack(${prefix}packed))`;
}

/** Rows per transaction. They are compressed before it begins. */
const BATCH = 200;

/** Compresses outputs from before a time, as the partial index lists them. Returns how many; less than a batch: that was all. */
export function packOutputs(db: Db, before: number): number {
  const rows = db.all<{ id: number; output: string }>(
    `SELECT id, output FROM tool_uses WHERE packed IS NULL AND length(output) > 1024 AND created_at < ? LIMIT ${BATCH}`,
    before,
  );
  if (rows.length === 0) return 0;
  const { zstdCompressSync } = process.getBuiltinModule("node:zlib");
  const packed = rows.map(({ id, output }) => {
    const bytes = Buffer.from(output);
    // The size lets zstd set up a window of that size instead of 2 MB.
    const options = { chunkSize: CHUNK_BYTES, pledgedSrcSize: bytes.length };
    return { id, output, bytes: zstdCompressSync(bytes, options) };
  });
  transaction(db, () => {
    for (const { id, output, bytes } of packed)
      db.run("UPDATE tool_uses SET output = NULL, packed = ? WHERE id = ? AND output = ?", bytes, id, output);
  });
  return rows.length;
}
