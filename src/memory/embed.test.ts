import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { wordEmbedder } from "../../test/embed/word-embedder.ts";
import { ended, prompt, said, seedStore } from "../../test/seed.ts";
import type { Observation } from "../core/memory.ts";
import { fromRecord, toRecord } from "../core/vector-record.ts";
import type { Embedder } from "../embed/embedder.ts";
import { emptyDeletionSet } from "../upkeep/erase/deletion-set.ts";
import type { Db } from "../store/db/driver.ts";
import { deleteObservation } from "../store/tables/observations.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import { getChunks, getRecords, VECTORS_PER_CHUNK } from "../store/vectors/vector-chunks.ts";
import { embeddingModels, embedProgress, itemsAt } from "../store/vectors/vectors.ts";
import { embedAll } from "./embed.ts";
import { forget } from "../upkeep/erase/forget.ts";
import { remember } from "./user-edits.ts";

/** Adds `count` sessions of one turn each, oldest first. */
function seedTurns(count: number, path?: string) {
  const { db, add } = seedStore(path);
  for (let number = 1; number <= count; number++) {
    add(`s${number}`, prompt(`login number ${number}`));
    add(
      `s${number}`,
      ended("Repaired the invoice, which was slow to come and had the wrong colour on its second page."),
    );
  }
  updateSearchIndex(db);
  return { db, add };
}

const NOTE: Observation = {
  type: "decision",
  title: "The login needs a password",
  narrative: "The login needs a password of twelve letters.",
  facts: [],
  concepts: [],
  files: [],
  evidence: [],
  origin: "user",
};

async function embed(db: Db, embedder: Embedder, batches = Infinity): Promise<void> {
  for await (const _ of embedAll(db, embedder)) if (--batches <= 0) return;
}

const placesOf = (db: Db, kind: string, itemId: number): number[] =>
  db
    .all<{ place: number }>("SELECT place FROM vectors WHERE kind = ? AND item_id = ?", kind, itemId)
    .map(({ place }) => place);

describe("embedding", () => {
  it("starts with the newest turn, and resumes after an interruption", async () => {
    const { db } = seedTurns(40);
    const first = wordEmbedder();
    await embed(db, first, 1);
    expect(first.texts[0]).toBe("login number 40");
    expect(embedProgress(db)).toEqual({ vectors: 32, waiting: 24 });
    const second = wordEmbedder();
    await embed(db, second);
    expect(second.texts[0]).toBe("login number 24");
    expect(embedProgress(db)).toEqual({ vectors: 80, waiting: 0 });
    const third = wordEmbedder();
    await embed(db, third);
    expect(third.texts).toEqual([]);
  });

  it("skips a running turn", async () => {
    const { db, add } = seedStore();
    add("s", prompt("the slow login"), { at: Date.now() });
    updateSearchIndex(db);
    await embed(db, wordEmbedder());
    expect(embedProgress(db)).toEqual({ vectors: 0, waiting: 0 });
    add("s", ended("Done."));
    updateSearchIndex(db);
    await embed(db, wordEmbedder());
    expect(embedProgress(db)).toEqual({ vectors: 1, waiting: 0 });
  });

  it("reuses the place of a changed turn, and `itemsAt` finds items by place", async () => {
    const { db, add } = seedTurns(2);
    await embed(db, wordEmbedder());
    const [place = -1] = placesOf(db, "turn", 1);
    add(
      "s1",
      said("m1", "The theme has another palette now; the deploy was slow, and the login page looks sluggish as well."),
    );
    updateSearchIndex(db);
    await embed(db, wordEmbedder());
    expect(placesOf(db, "turn", 1)[0]).toBe(place);
    const [model] = embeddingModels(db);
    expect(itemsAt(db, model?.id ?? 0, [place])).toMatchObject([
      { kind: "turn", itemId: 1, session: 1, promptNumber: 1 },
    ]);
    const [chunk] = getChunks(db, model?.id ?? 0, { first: 0, last: 0 });
    expect([...(chunk?.owners ?? [])]).toEqual([2, 2, 1, 1]);
  });

  it("loses the vector of an observation that is deleted", async () => {
    const { db } = seedStore();
    const { id: first } = remember(db, undefined, NOTE, 1);
    await embed(db, wordEmbedder());
    expect(placesOf(db, "observation", first)).toEqual([0]);
    deleteObservation(db, first);
    expect(placesOf(db, "observation", first)).toEqual([]);
    expect(embedProgress(db)).toEqual({ vectors: 0, waiting: 0 });
  });

  it("can fill more than one chunk", async () => {
    const { db } = seedTurns(VECTORS_PER_CHUNK / 2 + 3);
    await embed(db, wordEmbedder());
    const [model] = embeddingModels(db);
    const chunks = getChunks(db, model?.id ?? 0, { first: 0, last: 9 });
    expect(chunks.map(({ owners }) => owners.length)).toEqual([VECTORS_PER_CHUNK, 6]);
    expect(embedProgress(db)).toEqual({ vectors: VECTORS_PER_CHUNK + 6, waiting: 0 });
  });
});

describe("changing the model", () => {
  it("embeds everything again, keeping the old vectors until all are replaced", async () => {
    const { db } = seedTurns(40);
    await embed(db, wordEmbedder("old"));
    await embed(db, wordEmbedder("new", 32), 1);
    expect(embeddingModels(db).map(({ name, is_wanted }) => [name, is_wanted])).toEqual([
      ["new", 1],
      ["old", 0],
    ]);
    expect(embedProgress(db)).toEqual({ vectors: 32, waiting: 24 });
    await embed(db, wordEmbedder("new", 32));
    expect(embeddingModels(db).map(({ name }) => name)).toEqual(["new"]);
    expect(db.all("SELECT DISTINCT model_id FROM vector_chunks")).toHaveLength(1);
  });

  it("embeds again when the first model returns", async () => {
    const { db } = seedTurns(2);
    await embed(db, wordEmbedder("old"));
    await embed(db, wordEmbedder("new"), 1);
    const again = wordEmbedder("old");
    await embed(db, again);
    expect(again.texts).toHaveLength(4);
    expect(embeddingModels(db).map(({ name }) => name)).toEqual(["old"]);
  });
});

describe("forgetting", () => {
  it("removes the vectors of the turn and of its session from the database file", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "c-mem-vectors-")), "c-mem.db");
    const { db, add } = seedTurns(2, path);
    add("s2", prompt("another question about the release"));
    add("s2", ended("Shipped."));
    updateSearchIndex(db);
    await embed(db, wordEmbedder());
    const [model] = embeddingModels(db);
    const record = (place: number): Uint8Array => getRecords(db, model as never, [place]);
    const gone = db.all<{ place: number }>("SELECT place FROM vectors WHERE kind = 'turn' AND item_id IN (2, 3)");
    expect(gone.length).toBe(3);
    const [own = -1] = placesOf(db, "turn", 3);
    const before = Buffer.from(record(own));
    forget(db, { ...emptyDeletionSet(), prompts: new Set([2]) }, Date.now());
    for (const { place } of gone) expect(fromRecord(record(place), 64).every((value) => value === 0)).toBe(true);
    expect(placesOf(db, "turn", 2)).toEqual([]);
    db.exec("PRAGMA secure_delete = ON; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    const bytes = readFileSync(path);
    const kept = Buffer.from(toRecord((await wordEmbedder().embed(["login"]))[0] as Float32Array));
    expect(bytes.includes(kept)).toBe(true);
    expect(bytes.includes(before)).toBe(false);
    // The rest of the session is embedded again.
    updateSearchIndex(db);
    expect(embedProgress(db).waiting).toBeGreaterThan(0);
    await embed(db, wordEmbedder());
    expect(placesOf(db, "turn", 3)).toHaveLength(1);
    db.close();
  });
});
