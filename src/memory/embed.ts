// Turns and observations become vectors: the newest first, in batches, each there as a whole or still to be done.
import { toRecord } from "../core/vector-record.ts";
import type { Embedder } from "../embed/embedder.ts";
import type { Db } from "../store/db/driver.ts";
import { embedText } from "../store/vectors/vectors.ts";
import { transaction } from "../store/db/transaction.ts";
import { addMissingCodes } from "../store/vectors/vector-chunks.ts";
import { dropOtherModels, nextToEmbed, saveVectors, wantModel } from "../store/vectors/vectors.ts";

/** Turns and observations to a batch: some two seconds of processor time, which a kill costs at most. */
const BATCH_ITEMS = 16;

/** Chunks that an older program has left without codes, in one transaction. */
const CHUNKS_AT_ONCE = 64;

/**
 * Embeds all that waits; yields after every batch how many items it had. Vectors of another model go once all of this
 * one's are there: until then they serve.
 */
export async function* embedAll(db: Db, embedder: Embedder): AsyncGenerator<number, void> {
  const model = transaction(db, () => wantModel(db, embedder.id, embedder.dimensions, Date.now()));
  while (transaction(db, () => addMissingCodes(db, model, CHUNKS_AT_ONCE)) > 0);
  for (;;) {
    const items = nextToEmbed(db, BATCH_ITEMS).map((item) => ({ ...item, ...embedText(db, item) }));
    if (items.length === 0) break;
    const vectors = await embedder.embed(items.flatMap(({ pieces }) => pieces));
    let next = 0;
    const embedded = items.map(({ pieces, ...item }) => {
      const records = vectors.slice(next, next + pieces.length).map(toRecord);
      next += pieces.length;
      return { ...item, records };
    });
    transaction(db, () => saveVectors(db, model, embedded));
    yield items.length;
  }
  transaction(db, () => dropOtherModels(db, model));
}
