// Embeds search words. Long-running processes keep the model and the vectors loaded between searches.
import { userSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Embedder } from "../embed/embedder.ts";
import { embedSource, isFromSource, openEmbedder } from "../embed/source.ts";
import { embedQuery, type SemanticState } from "../recall/search/semantic.ts";
import { createVectorIndex, type VectorIndex } from "../recall/search/vector-index.ts";
import type { QueryContext } from "./query.ts";

/** After this idle time the vectors are freed (40 MB for 100,000) and the embedder is closed. */
const IDLE_MS = 60_000;

/** The loaded model and vectors of a long-running process. */
export interface EmbeddingCache {
  index: VectorIndex;
  embedder(): Promise<Embedder | undefined>;
}

export interface ClosableEmbeddingCache {
  cache: EmbeddingCache;
  close(): void;
}

/** Above `prefilterFrom` vectors, only their short codes are kept in memory. */
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
  /** Returns undefined after a failure: the search reports it, and the next search tries again. */
  const open = async (): Promise<Embedder | undefined> => {
    const source = embedSource(userSettings(paths, env), env, paths);
    const known = await opened;
    if (known !== undefined && source.kind !== "none" && isFromSource(source, known.id)) return known;
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

/** Never fails: without a usable model, the state says why only keywords are searched. */
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
    ...(embedder && { embedder }),
  });
}
