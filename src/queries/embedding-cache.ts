// What is kept between searches by meaning: the model's process, and the vectors, for as long as somebody searches.
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Embedder } from "../embed/embedder.ts";
import { embedSource, isOf, openEmbedder } from "../embed/source.ts";
import { createVectorIndex, type VectorIndex } from "../recall/search/vector-index.ts";

/** Afterwards the vectors (some 40 MB for 100,000) are let go; the model's process goes by itself. */
const IDLE_MS = 60_000;

/** The open model and index of a process that stays. */
export interface EmbeddingCache {
  index: VectorIndex;
  embedder(): Promise<Embedder | undefined>;
  /** Takes over an embedder that a search had to open. */
  keep?(embedder: Embedder): void;
}

export interface ClosableEmbeddingCache {
  cache: EmbeddingCache;
  close(): void;
}

/** `prefilterFrom` so many vectors on, only their codes are kept; left out, as many as a worker can afford are kept whole. */
export function createEmbeddingCache(paths: Paths, env: Env, prefilterFrom?: number): ClosableEmbeddingCache {
  let index: VectorIndex | undefined;
  let opened: Promise<Embedder | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const letGo = (): void => {
    index = undefined;
    void opened?.then((embedder) => embedder?.close());
    opened = undefined;
  };
  const stay = (): void => {
    clearTimeout(timer);
    timer = setTimeout(letGo, IDLE_MS).unref();
  };
  /** Where it cannot be had, the search says why; here it is only tried again. */
  const open = async (): Promise<Embedder | undefined> => {
    const source = embedSource(loadSettings({ user: paths.config }, env).values, env, paths);
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
          stay();
          index ??= createVectorIndex(prefilterFrom);
          return index.nearest(...args);
        },
      },
      embedder: () => {
        stay();
        return open();
      },
    },
    close() {
      clearTimeout(timer);
      letGo();
    },
  };
}
