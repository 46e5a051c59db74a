// Embeds search words. Long-running processes keep the model and the vectors open between searches.
import { userSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Embedder } from "../embed/embedder.ts";
import { embedSource, isOf, openEmbedder } from "../embed/source.ts";
import { embedQuery, type SemanticState } from "../recall/search/semantic.ts";
import { createVectorIndex, type VectorIndex } from "../recall/search/vector-index.ts";
import type { QueryContext } from "./query.ts";

/** Frees the vectors (40 MB for 100,000) when idle this long; the model's process exits by itself. */
const IDLE_MS = 60_000;

/** The open model and vectors of a long-running process. */
export interface EmbeddingCache {
  index: VectorIndex;
  embedder(): Promise<Embedder | undefined>;
  /** Gets an embedder that a search opened, to close it later. */
  keep?(embedder: Embedder): void;
}

export interface ClosableEmbeddingCache {
  cache: EmbeddingCache;
  close(): void;
}

/** From `prefilterFrom` vectors on, only their short codes stay in memory. */
export function createEmbeddingCache(paths: Paths, env: Env, prefilterFrom?: number): ClosableEmbeddingCache {
  let index: VectorIndex | undefined;
  let opened: Promise<Embedder | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    index = undefined;
    void opened?.then((embedder) => embedder?.close());
    opened = undefined;
  };
  const postpone = (): void => {
    clearTimeout(timer);
    timer = setTimeout(release, IDLE_MS).unref();
  };
  /** A failure is reported by the search itself; here it is retried with the next one. */
  const open = async (): Promise<Embedder | undefined> => {
    const source = embedSource(userSettings(paths, env), env, paths);
    const known = await opened;
    if (known !== undefined && source.kind !== "none" && isOf(source, known.id)) return known;
    await known?.close();
    opened = source.kind === "none" ? undefined : openEmbedder(source, paths).catch(() => undefined);
    return await opened;
  };
  return {
    cache: {
      index: {
        nearest(...args) {
          postpone();
          index ??= createVectorIndex(prefilterFrom);
          return index.nearest(...args);
        },
      },
      embedder: () => {
        postpone();
        return open();
      },
    },
    close() {
      clearTimeout(timer);
      release();
    },
  };
}

/** Never fails: without a usable model the state has the reason, and only keywords are searched. */
export async function embedSearchWords(
  { db, paths, env, embeddings, semantic }: Omit<QueryContext, "cwd">,
  words: string,
  project: number | undefined,
): Promise<SemanticState> {
  if (semantic !== undefined) return await semantic;
  const embedder = await embeddings?.embedder();
  return await embedQuery(db, words, {
    paths,
    env,
    project,
    ...(embeddings && { index: embeddings.index }),
    ...(embeddings?.keep && { keep: embeddings.keep }),
    ...(embedder && { embedder }),
  });
}
