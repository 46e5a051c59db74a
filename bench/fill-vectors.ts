// Random vectors for a generated store: their values do not affect how long a scan takes.
import { randomFillSync } from "node:crypto";
import { codesOf, recordBytes } from "../src/core/vector-record.ts";
import type { Db } from "../src/store/db/driver.ts";
import { transaction } from "../src/store/db/transaction.ts";
import { STORED_ROWS } from "../src/store/vectors/vector-chunks.ts";
import { type EmbeddingModel, setWantedModel } from "../src/store/vectors/vectors.ts";

const DIMENSIONS = 384;

/** The vectors are assigned to the turns in rotation. */
export function fillVectors(db: Db, count: number, modelName: string): EmbeddingModel {
  const turns = db.all<{ id: number; session: number }>("SELECT id, session_db_id AS session FROM prompts");
  const model = transaction(db, () => setWantedModel(db, modelName, DIMENSIONS, Date.now()));
  const size = recordBytes(DIMENSIONS);
  const scale = new Uint8Array(Float32Array.of(0.05 / 127).buffer);
  for (let number = 0; number * STORED_ROWS < count; number++) {
    const rows = Math.min(STORED_ROWS, count - number * STORED_ROWS);
    const records = randomFillSync(new Uint8Array(rows * size));
    const owners = new Int32Array(rows);
    transaction(db, () => {
      for (let row = 0; row < rows; row++) {
        const place = number * STORED_ROWS + row;
        const turn = turns[place % turns.length];
        records.set(scale, row * size + size - 4);
        owners[row] = turn?.session ?? 0;
        db.run(
          "INSERT INTO vectors (model_id, place, kind, item_id) VALUES (?, ?, 'turn', ?)",
          model.id,
          place,
          turn?.id ?? 0,
        );
      }
      db.run(
        "INSERT INTO vector_chunks (model_id, number, revision, owners, records) VALUES (?, ?, 1, ?, ?)",
        model.id,
        number,
        new Uint8Array(owners.buffer),
        records,
      );
      db.run(
        "INSERT INTO vector_codes (model_id, number, revision, codes) VALUES (?, ?, 1, ?)",
        model.id,
        number,
        codesOf(records, DIMENSIONS),
      );
    });
  }
  db.run("DELETE FROM stale_vectors");
  return model;
}

export function randomVector(): Float32Array {
  const bytes = randomFillSync(new Int8Array(DIMENSIONS));
  return Float32Array.from(bytes, (value) => value / 1_000);
}
