// Measures searches in stores of several sizes (one vector per tool use). Each kind of query runs in this process and is
// compared with a plain FTS5 query of the same words. The whole `c-mem search` command is compared with starting Node.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolvePaths } from "../src/config/paths.ts";
import { quoted } from "../src/core/query.ts";
import { wordsOf } from "../src/core/words.ts";
import { findFixes } from "../src/recall/history/fix.ts";
import { findUses } from "../src/recall/history/how.ts";
import { searchSessions } from "../src/recall/search/search.ts";
import type { Db } from "../src/store/db/driver.ts";
import { createVectorIndex } from "../src/recall/search/vector-index.ts";
import type { Scope } from "../src/store/reads/scope.ts";
import type { EmbeddingModel } from "../src/store/vectors/vectors.ts";
import {
  BIG_PROJECT,
  createStore,
  fillVectors,
  randomVector,
  rareWord,
  SMALL_PROJECT,
  someCommonWord,
  someWord,
  text,
} from "./fill-store.ts";
import { installModel } from "./indexes.ts";
import { BIN, cpuMs, median, quantile, wallMs } from "./measure.ts";

/** The id of the model of `c-mem model install`, so that the command uses the vectors. */
const MODEL = "minilm-l6-v2-int8";
const SIZES = [100_000, 1_000_000];
const QUERIES = 40;
const MAX_MS = 100;
const TARGET_P95_MS = 60;

export async function benchSearch(): Promise<void> {
  console.log(
    `Searching (Node ${process.versions.node}); p50 / p95 / slowest in ms of CPU time (targets: p95 under ${TARGET_P95_MS} at a million, none over ${MAX_MS}), and p50 against a plain FTS5 OR of the same words`,
  );
  for (const size of SIZES) {
    const home = mkdtempSync(join(tmpdir(), "c-mem-search-bench-"));
    const db = createStore(home, size);
    const model = fillVectors(db, size, MODEL);
    measure(db, size, model);
    measureQuestions(db, size);
    db.close();
    measureCommand(home, size);
    rmSync(home, { recursive: true, force: true });
  }
}

interface Kind {
  query: () => string;
  project?: number;
  isTyping?: boolean;
}

const commonWords = (): string => Array.from({ length: 4 }, someCommonWord).join(" ");

const KINDS: Record<string, Kind> = {
  rare: { query: () => Array.from({ length: 3 }, rareWord).join(" ") },
  common: { query: commonWords },
  "common, small project": { query: commonWords, project: SMALL_PROJECT },
  mixed: { query: () => `${someCommonWord()} ${text(8)} ${rareWord()}` },
  long: { query: () => text(300) },
  "error line": { query: () => `Error: ${rareWord()} cannot read ${text(4)} (reading '${rareWord()}')` },
  "error line, common": { query: () => `error: ${commonWords()} failed` },
  phrase: { query: () => `"${someCommonWord()} ${someCommonWord()}"` },
  typing: { query: () => someWord().slice(0, -2), isTyping: true },
  typo: { query: () => `${rareWord().slice(0, 3)}q${rareWord().slice(3)}` },
};

/** Questions about errors and commands. */
const QUESTIONS: Record<string, (db: Db, scope: Scope) => unknown> = {
  "fix, rare": (db, scope) => findFixes(db, `Error: ${rareWord()} ${rareWord()} ${text(4)}`, scope, 5),
  "fix, common": (db, scope) => findFixes(db, `Error: ${commonWords()}`, scope, 5),
  "how, rare": (db, scope) => findUses(db, rareWord(), scope, 10),
  "how, some": (db, scope) => findUses(db, someWord(), scope, 10),
  "how, common": (db, scope) => findUses(db, someCommonWord(), scope, 10),
  "how, nothing": (db, scope) => findUses(db, "qqxv", scope, 10),
};

function measureQuestions(db: Db, size: number): void {
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const times = Array.from({ length: QUERIES }, () => cpuMs(() => ask(db, { projectId: BIG_PROJECT })));
    console.log(`  ${size.toLocaleString("en").padStart(9)} tool uses, ${name.padEnd(21)} ${quantilesOf(times)}`);
  }
}

function quantilesOf(times: readonly number[]): string {
  return [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(1).padStart(7)).join("");
}

function measure(db: Db, size: number, model: EmbeddingModel): void {
  const index = createVectorIndex();
  const load = cpuMs(() => index.nearest(db, model, randomVector(), { limit: 1 }));
  console.log(`  ${size.toLocaleString("en").padStart(9)} vectors, read once into memory: ${load.toFixed(0)} ms`);
  for (const [name, { query: make, project = BIG_PROJECT, isTyping = false }] of Object.entries(KINDS)) {
    const queries = Array.from({ length: QUERIES }, make);
    const ours = queries.map((query) => {
      const meaning = isTyping ? undefined : { model, vector: randomVector(), index };
      return cpuMs(() => searchSessions(db, query, { limit: 10, project, isTyping, meaning }));
    });
    const words = queries.map((query) => cpuMs(() => searchSessions(db, query, { limit: 10, project, isTyping })));
    const plain = queries.slice(0, name === "rare" ? QUERIES : 5).map((query) => cpuMs(() => plainSearch(db, query)));
    const ratio = median(ours) / median(plain);
    console.log(
      `  ${size.toLocaleString("en").padStart(9)} tool uses, ${name.padEnd(21)} ${quantilesOf(ours)}   ${ratio.toFixed(3)} of plain FTS5; keywords only ${quantilesOf(words)}`,
    );
  }
}

/** Times the whole command, if the model is installed. */
function measureCommand(home: string, size: number): void {
  const paths = resolvePaths({ HOME: home });
  if (!installModel(paths)) return;
  const env = { PATH: process.env["PATH"], C_MEM_WORKER: "0", HOME: home };
  const start = (args: string[]): number => wallMs(() => spawnSync(process.execPath, args, { env }));
  const search = (query: string, isSemantic: boolean): number => {
    const args = [BIN, "search", "--all", "--json", query];
    let stdout = "";
    const ms = wallMs(() => ({ stdout } = spawnSync(process.execPath, args, { env, encoding: "utf8" })));
    const { meta } = JSON.parse(stdout) as { meta: { lanes: string[]; degraded: string | null } };
    // A command that fails or skips an index would look fast.
    if (meta.lanes.includes("meaning") !== isSemantic) throw new Error(`searched ${meta.lanes}: ${meta.degraded}`);
    return ms;
  };
  const queries = Array.from({ length: 7 }, () => `${rareWord()} ${text(4)}`);
  const bare = median(queries.map(() => start(["-e", "0"])));
  const withMeaning = median(queries.map((query) => search(query, true)));
  writeFileSync(paths.config, JSON.stringify({ embeddings: "none" }));
  const words = median(queries.map((query) => search(query, false)));
  console.log(
    `  ${size.toLocaleString("en").padStart(9)} tool uses and vectors, the whole command: ${withMeaning.toFixed(0)} ms, ${(withMeaning / bare).toFixed(1)} bare starts of Node; keywords only ${(words / bare).toFixed(1)}`,
  );
}

function plainSearch(db: Db, query: string): void {
  const any = [...new Set(wordsOf(query))].map((each) => quoted(each)).join(" OR ");
  for (const table of ["turns_fts", "tool_uses_fts"]) {
    db.all(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY bm25(${table}) LIMIT 10`, any);
  }
}
