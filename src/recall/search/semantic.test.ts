import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type EmbedServer, startEmbedServer } from "../../../test/embed/embed-server.ts";
import { tinyHome } from "../../../test/embed/tiny-model.ts";
import { wordEmbedder } from "../../../test/embed/word-embedder.ts";
import { ended, prompt, seedStore } from "../../../test/seed.ts";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import type { Settings } from "../../config/schema.ts";
import type { Embedder } from "../../embed/embedder.ts";
import { openEndpoint } from "../../embed/endpoint.ts";
import { openLocal } from "../../embed/local.ts";
import { minilmFile } from "../../embed/minilm.ts";
import { embedAll } from "../../memory/embed.ts";
import { remember } from "../../memory/user-edits.ts";
import type { Db } from "../../store/db/driver.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { findObservations } from "./find-observations.ts";
import { findSessions } from "./find-sessions.ts";
import { embedQuery, type SemanticState } from "./semantic.ts";
import { createVectorIndex, type VectorIndex } from "./vector-index.ts";

const servers: EmbedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(dimensions = 64): Promise<string> {
  const server = await startEmbedServer(wordEmbedder("served", dimensions));
  servers.push(server);
  return server.url;
}

const TURNS = [
  "the invoice is printed twice",
  "the signin page forgets credentials",
  "the palette of the header is too dark",
  "ship it on friday with the others",
];

function seed(paths: Paths, turns = TURNS): Db {
  mkdirSync(paths.home, { recursive: true });
  const { db, add } = seedStore(paths.database);
  for (const [index, text] of turns.entries()) {
    add(`s${index}`, prompt(text));
    add(`s${index}`, ended("Done."));
  }
  updateSearchIndex(db);
  return db;
}

const newHome = (): Paths => resolvePaths({ C_MEM_HOME: mkdtempSync(join(tmpdir(), "c-mem-meaning-")) });

function set(paths: Paths, settings: Partial<Settings>): void {
  writeFileSync(paths.config, JSON.stringify(settings));
}

async function embed(db: Db, embedder: Embedder, batches = Infinity): Promise<void> {
  for await (const _ of embedAll(db, embedder)) if (--batches <= 0) return;
}

/** The sessions found, best first, and the state of semantic search. */
async function search(
  db: Db,
  paths: Paths,
  text: string,
  index?: VectorIndex,
): Promise<{ found: string[]; rung: string; state: SemanticState }> {
  const state = await embedQuery(db, text, { paths, env: {}, ...(index !== undefined && { index }) });
  const { findings, rung } = findSessions(db, text, { scope: {}, limit: 5, meaning: state.meaning });
  return { found: findings.map(({ session }) => session.session_id), rung, state };
}

describe("semantic search", () => {
  it("finds different wordings", async () => {
    const paths = newHome();
    const db = seed(paths);
    const url = await serve();
    set(paths, { embeddings: "openai", embeddingsUrl: url, embeddingsModel: "words" });
    await embed(db, await openEndpoint({ url, model: "words" }));
    const { found, rung, state } = await search(db, paths, "wrong password");
    expect({ found, rung }).toEqual({ found: ["s1"], rung: "meaning" });
    expect(state).toMatchObject({ model: "openai:words:64", vectors: 4, waiting: 0, isBroken: false });
    expect(state.degraded).toBeUndefined();
    // Keyword matches still count, and semantic hits are added to them.
    expect((await search(db, paths, "dark bill")).found.toSorted()).toEqual(["s0", "s2"]);
    expect((await search(db, paths, "kangaroo")).found).toEqual([]);
  });

  it("finds observations, ranked after keyword matches", async () => {
    const paths = newHome();
    const db = seed(paths);
    const url = await serve();
    set(paths, { embeddings: "openai", embeddingsUrl: url, embeddingsModel: "words" });
    for (const title of ["Release only from main", "Deploy with the script", "Palette: dark"]) {
      const about = { narrative: title, facts: [], concepts: [], files: [], evidence: [] };
      remember(db, 1, { ...about, type: "decision", title, origin: "user" }, 1);
    }
    await embed(db, await openEndpoint({ url, model: "words" }));
    const titles = async (text: string, limit = 5) => {
      const { meaning } = await embedQuery(db, text, { paths, env: {} });
      const { rows, rung } = findObservations(db, text, { projectId: 1 }, limit, meaning);
      return { rung, titles: rows.map(({ title }) => title) };
    };
    expect(await titles("deploy")).toEqual({
      rung: "words",
      titles: ["Deploy with the script", "Release only from main"],
    });
    expect(await titles("deploy", 1)).toEqual({ rung: "words", titles: ["Deploy with the script"] });
    expect(await titles("colour")).toEqual({ rung: "meaning", titles: ["Palette: dark"] });
    expect((await titles("kangaroo")).titles).toEqual([]);
  });

  it("gives the same results from a reused index, after additions, and with codes", async () => {
    const paths = newHome();
    const db = seed(paths, [...TURNS, ...Array.from({ length: 60 }, (_, number) => `the login number ${number}`)]);
    const url = await serve();
    set(paths, { embeddings: "openai", embeddingsUrl: url, embeddingsModel: "words" });
    const embedder = await openEndpoint({ url, model: "words" });
    await embed(db, embedder, 2);
    const warm = createVectorIndex();
    const coded = createVectorIndex(0);
    const all = async (text: string) =>
      await Promise.all([undefined, warm, coded].map(async (index) => (await search(db, paths, text, index)).found));
    const [before, ...others] = await all("receipt");
    expect(others).toEqual([before, before]);
    await embed(db, embedder);
    const [cold, ...kept] = await all("receipt");
    expect(cold).toEqual(["s0"]);
    expect(kept).toEqual([cold, cold]);
  });

  it("works if codes are missing or stale", async () => {
    const paths = newHome();
    const db = seed(paths);
    const url = await serve();
    set(paths, { embeddings: "openai", embeddingsUrl: url, embeddingsModel: "words" });
    const embedder = await openEndpoint({ url, model: "words" });
    await embed(db, embedder);
    const stored = () => db.all("SELECT c.revision, codes FROM vector_chunks c JOIN vector_codes USING (revision)");
    const byCodes = async () => (await search(db, paths, "receipt", createVectorIndex(0))).found;
    expect(stored()).toHaveLength(1);
    for (const older of [
      "UPDATE vector_codes SET revision = revision - 1, codes = zeroblob(8)",
      "DELETE FROM vector_codes",
    ]) {
      db.run(older);
      expect(await byCodes()).toEqual(["s0"]);
    }
  });
});

describe("search reports", () => {
  it("that no model is installed", async () => {
    const paths = newHome();
    const { found, state } = await search(seed(paths), paths, "invoice");
    expect(found).toEqual(["s0"]);
    expect(state.degraded).toBe("keyword search only: the embedding model is not installed");
    expect(state.hint).toContain("c-mem model install");
    expect(state.isBroken).toBe(false);
  });

  it("that semantic search is disabled", async () => {
    const paths = tinyHome();
    const db = seed(paths);
    await embed(db, openLocal(paths));
    set(paths, { embeddings: "none" });
    const { found, state } = await search(db, paths, "invoice");
    expect(found).toEqual(["s0"]);
    expect(state.degraded).toBe("keyword search only: semantic search is off");
  });

  it("that nothing is embedded yet", async () => {
    const paths = tinyHome();
    const { found, state } = await search(seed(paths), paths, "invoice");
    expect(found).toEqual(["s0"]);
    expect(state.degraded).toBe("keyword search only: nothing is embedded yet");
  });

  it("that some items are not embedded yet", async () => {
    const paths = tinyHome();
    const db = seed(
      paths,
      Array.from({ length: 20 }, (_, number) => `the login test number ${number}`),
    );
    await embed(db, openLocal(paths), 1);
    const { found, state } = await search(db, paths, "login");
    expect(found).toHaveLength(5);
    expect(state.meaning).toBeDefined();
    expect(state.degraded).toBe("semantic search does not cover 4 turns and observations yet; they are being embedded");
  });

  it.each([
    ["missing", (paths: Paths) => rmSync(minilmFile(paths)), "the embedding model is not installed"],
    ["damaged", (paths: Paths) => truncateSync(minilmFile(paths), 5_000), "is damaged"],
  ])("that the model is %s", async (_, damage, said) => {
    const paths = tinyHome();
    const db = seed(paths);
    await embed(db, openLocal(paths));
    damage(paths);
    const { found, state } = await search(db, paths, "invoice");
    expect(found).toEqual(["s0"]);
    expect(state.degraded).toContain("keyword search only");
    expect(state.degraded).toContain(said);
    expect(state.isBroken).toBe(true);
    expect(state.hint).toContain("c-mem model install");
  });

  it("that the server does not answer", async () => {
    const paths = newHome();
    const db = seed(paths);
    const url = await serve();
    set(paths, { embeddings: "openai", embeddingsUrl: url, embeddingsModel: "words" });
    await embed(db, await openEndpoint({ url, model: "words" }));
    await servers.pop()?.close();
    const { found, state } = await search(db, paths, "invoice");
    expect(found).toEqual(["s0"]);
    expect(state.degraded).toMatch(/keyword search only: .* cannot be reached/);
  });

  it("that it uses the older model's vectors until the new ones are complete", async () => {
    const paths = newHome();
    const db = seed(paths, [...TURNS, ...Array.from({ length: 40 }, (_, number) => `the login number ${number}`)]);
    const url = await serve();
    set(paths, { embeddings: "openai", embeddingsUrl: url, embeddingsModel: "new" });
    await embed(db, await openEndpoint({ url, model: "old" }));
    await embed(db, await openEndpoint({ url, model: "new" }), 1);
    const { found, state } = await search(db, paths, "receipt");
    expect(found).toEqual(["s0"]);
    expect(state.model).toBe("openai:old:64");
    expect(state.degraded).toBe("semantic search uses openai:old:64 until 28 more items are embedded again");
    await embed(db, await openEndpoint({ url, model: "new" }));
    expect((await search(db, paths, "receipt")).state).toMatchObject({ model: "openai:new:64", vectors: 44 });
  });

  it("that the model of the stored vectors is missing, and uses no other model for them", async () => {
    const paths = tinyHome();
    const db = seed(paths);
    await embed(db, wordEmbedder("older-weights", 128));
    const { found, state } = await search(db, paths, "invoice");
    expect(found).toEqual(["s0"]);
    expect(state.degraded).toBe(
      "keyword search only: the model of the stored vectors is missing; the worker is embedding everything again",
    );
  });
});
