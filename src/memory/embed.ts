// Embeds turns and observations, newest first. Each batch is saved in one transaction.
import { toRecord } from "../core/vector-record.ts";
import type { Embedder } from "../embed/embedder.ts";
import type { Db } from "../store/db/driver.ts";
import { transaction } from "../store/db/transaction.ts";
import { dropOtherModels, textToEmbed, nextToEmbed, saveVectors, setWantedModel } from "../store/vectors/vectors.ts";

/** About two seconds of CPU time: a killed process loses at most that. */
const BATCH_ITEMS = 16;

/** Yields the size of each batch. Another model's vectors are kept until all items are embedded again. */
export async function* embedAll(db: Db, embedder: Embedder): AsyncGenerator<number, void> {
  const model = transaction(db, () => setWantedModel(db, embedder.id, embedder.dimensions, Date.now()));
  for (;;) {
    const items = nextToEmbed(db, BATCH_ITEMS).map((item) => ({ ...item, ...textToEmbed(db, item) }));
    if (items.length === 0) break;
    const records = (await embedder.embed(items.flatMap(({ pieces }) => pieces))).map(toRecord);
    const embedded = items.map(({ pieces, ...item }) => ({ ...item, records: records.splice(0, pieces.length) }));
    transaction(db, () => saveVectors(db, model, embedded));
    yield items.length;
  }
  transaction(db, () => dropOtherModels(db, model));
}
