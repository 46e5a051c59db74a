// Search with and without each of its lanes, and the query as a vector for it: what every bench of recall needs.
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

/** C_MEM_MINILM says where the package with the weights lies, unpacked. */
const SOURCE = process.env["C_MEM_MINILM"] ?? "none";

export interface Lanes {
  name: string;
  without: IndexName[];
}

export function laneSettings(hasMeaning: boolean): Lanes[] {
  const words: Lanes[] = [
    { name: "words only", without: ["meaning"] },
    { name: "  no work", without: ["meaning", "work"] },
    { name: "  no talk", without: ["meaning", "talk"] },
    { name: "  no files", without: ["meaning", "files"] },
  ];
  const meaning: Lanes[] = [
    { name: "all lanes", without: [] },
    { name: "meaning only", without: ["talk", "work", "files"] },
  ];
  return hasMeaning ? [...meaning, ...words] : words;
}

/** Embeds the store with the real model and gives what embeds queries; undefined where there are no weights. */
export async function embedStore(
  db: Db,
  home: string,
): Promise<((text: string, project?: number) => Promise<SemanticQuery | undefined>) | undefined> {
  const env: Env = { C_MEM_HOME: home };
  const paths = resolvePaths(env);
  if (!installModel(paths)) return undefined;
  const start = process.cpuUsage();
  let items = 0;
  for await (const done of embedAll(db, openLocal(paths))) items += done;
  const seconds = process.cpuUsage(start).user / 1e6;
  if (items > 0) console.log(`  ${items} turns and observations embedded in ${seconds.toFixed(0)} s of processor time`);
  const index = createVectorIndex();
  const embedder = openLocal(paths);
  return async (text, project) => (await embedQuery(db, text, { paths, env, project, index, embedder })).meaning;
}

/** False where there are no weights. */
export function installModel(paths: Paths): boolean {
  if (!existsSync(join(SOURCE, "model"))) return false;
  if (!existsSync(minilmFile(paths))) buildMiniLm(SOURCE, paths);
  return true;
}
