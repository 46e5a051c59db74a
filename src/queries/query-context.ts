// A question as the answers take it, however it was asked.
import type { Env, Paths } from "../config/paths.ts";
import type { Embedder } from "../embed/embedder.ts";
import type { VectorIndex } from "../recall/search/vector-index.ts";
import type { Db } from "../store/db/driver.ts";
import type { Json } from "./envelope.ts";
import { type Question, readScope } from "./scope.ts";

export interface Asked {
  db: Db;
  paths: Paths;
  env: Env;
  /** Where one stands. Who asks over HTTP stands nowhere: then every project is meant unless one is named. */
  cwd: string | undefined;
  /** By the names the command line gives its options. */
  flags: Json;
  /** In a process that stays: what it keeps for questions about meaning. */
  kept?: Kept;
}

export interface Kept {
  index: VectorIndex;
  embedder(): Promise<Embedder | undefined>;
  /** Takes what had to be opened for a question. */
  keep?(embedder: Embedder): void;
}

/** Read when it is needed: outside of every project an id can still be looked up. */
export function questionOf({ db, flags, paths, env, cwd }: Asked, limit: number): Question {
  return readScope(db, flags, { paths, env, cwd, limit });
}
