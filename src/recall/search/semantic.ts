// Semantic search: embeds the query and finds the turns and observations with the nearest vectors.
import { loadSettings } from "../../config/load.ts";
import type { Env, Paths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { prepareQuery } from "../../core/query.ts";
import type { Embedder } from "../../embed/embedder.ts";
import { embedSource, INSTALL_HINT, openEmbedderById } from "../../embed/source.ts";
import type { Db } from "../../store/db/driver.ts";
import { commonWords } from "../../store/fts/query-budget.ts";
import type { Hit } from "../../store/fts/fts-index.ts";
import {
  countVectors,
  embedProgress,
  type EmbeddingModel,
  embeddingModels,
  itemsAt,
  type VectorItem,
} from "../../store/vectors/vectors.ts";
import { MIN_COSINE_ALONE } from "./session-hits.ts";
import { createVectorIndex, ONE_SHOT_PREFILTER_FROM, type VectorIndex } from "./vector-index.ts";

export interface SemanticQuery {
  model: EmbeddingModel;
  vector: Float32Array;
  index: VectorIndex;
}

export interface SemanticState {
  /** Missing if semantic search is off. */
  meaning?: SemanticQuery;
  /** Why semantic search is off or incomplete. */
  degraded?: string;
  hint?: string;
  /** True if semantic search is off because of an error, not because of the settings. */
  isBroken: boolean;
  /** Name of the model whose vectors are searched; null if semantic search is off. */
  model: string | null;
  vectors: number;
  /** Number of turns and observations without a vector of the configured model. */
  waiting: number;
}

export interface EmbedQueryOptions {
  paths: Paths;
  env: Env;
  project?: number | undefined;
  /** Reused by long-running processes, so that vectors are read only once. */
  index?: VectorIndex;
  embedder?: Embedder | undefined;
}

/** Does not fail if embedding does: returns a state without `meaning`, and `degraded` says why. */
export async function embedQuery(db: Db, text: string, options: EmbedQueryOptions): Promise<SemanticState> {
  const { paths, env, project, index = createVectorIndex(ONE_SHOT_PREFILTER_FROM) } = options;
  const { values: settings } = loadSettings({ user: paths.config }, env);
  const source = embedSource(settings, env, paths);
  const { waiting } = embedProgress(db);
  const models = embeddingModels(db)
    .map((model) => ({ model, vectors: countVectors(db, model.id) }))
    .filter(({ vectors }) => vectors > 0)
    // Until the new model has more vectors than the old one, search the old one's.
    .sort((a, b) => b.vectors - a.vectors || b.model.is_wanted - a.model.is_wanted);
  const keywordsOnly = (why: string, hint: string | undefined, isBroken: boolean): SemanticState => {
    const state = { degraded: `keyword search only: ${why}`, isBroken, model: null, vectors: 0, waiting };
    return { ...state, ...(hint !== undefined && { hint }) };
  };
  if (source.kind === "none")
    return keywordsOnly(source.why, source.hint, models.length > 0 && settings.embeddings !== "none");
  if (models.length === 0)
    return keywordsOnly("nothing is embedded yet", "The worker does it in the background: c-mem worker start", false);
  let problem = keywordsOnly(
    "the model of the stored vectors is missing; the worker is embedding everything again",
    undefined,
    true,
  );
  for (const { model, vectors } of models) {
    try {
      const open = options.embedder?.id === model.name ? options.embedder : undefined;
      const embedder = open ?? (await openEmbedderById(model.name, settings, env, paths));
      if (embedder === undefined) continue;
      const [vector] = await embedder.embed([withoutCommonWords(db, text, project)]);
      if (open === undefined) await embedder.close();
      if (vector?.length !== model.dimensions) continue;
      const state = { meaning: { model, vector, index }, isBroken: false, model: model.name, vectors, waiting };
      const degraded = incompleteNote(model, waiting);
      return degraded === undefined ? state : { ...state, degraded };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problem = keywordsOnly(error.message, error.hint ?? INSTALL_HINT, true);
    }
  }
  return problem;
}

function incompleteNote(model: EmbeddingModel, waiting: number): string | undefined {
  if (model.is_wanted === 0) return `semantic search uses ${model.name} until ${waiting} more items are embedded again`;
  return waiting > 0
    ? `semantic search does not cover ${waiting} turns and observations yet; they are being embedded`
    : undefined;
}

/** Very common words, such as the project's name, would dominate the vector. */
function withoutCommonWords(db: Db, text: string, project: number | undefined): string {
  const common = commonWords(db, prepareQuery(text).words, project);
  if (common.length === 0) return text;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${common.join("|")})(?:['’]s)?(?![\\p{L}\\p{N}])`, "giu");
  return text.replace(pattern, " ").replace(/\s+/g, " ").trim() || text;
}

/** Enough vectors to estimate mean and deviation of the scores. */
const MAX_NEAR = 300;
const SUPERSEDED_WEIGHT = 0.3;

export interface SemanticHit extends Hit {
  cosine: number;
}

/** A score is the z-score among the nearest turns, at least 0, so that scores of different models are comparable. */
export function nearestTurns(db: Db, query: SemanticQuery, accept: (session: number) => boolean): SemanticHit[] {
  const turns = new Map<string, SemanticHit>();
  for (const { item, cosine: raw } of nearestItems(db, query, accept)) {
    const { session, promptNumber, isSuperseded } = item;
    if (session === null) continue;
    const cosine = isSuperseded ? raw * SUPERSEDED_WEIGHT : raw;
    const key = `${session} ${promptNumber}`;
    if ((turns.get(key)?.cosine ?? -Infinity) < cosine) turns.set(key, { session, promptNumber, score: 0, cosine });
  }
  const hits = [...turns.values()];
  const mean = hits.reduce((sum, { cosine }) => sum + cosine, 0) / hits.length;
  const variance = hits.reduce((sum, { cosine }) => sum + (cosine - mean) ** 2, 0) / hits.length;
  const deviation = Math.sqrt(variance) || 1;
  for (const hit of hits) hit.score = hits.length > 1 ? Math.max(0, (hit.cosine - mean) / deviation) : 1;
  return hits.sort((a, b) => b.score - a.score);
}

/** Ids of the observations that are similar enough to be found without a keyword, nearest first. */
export function nearestObservations(db: Db, query: SemanticQuery): number[] {
  return nearestItems(db, query, undefined)
    .filter(({ item, cosine }) => cosine >= MIN_COSINE_ALONE && item.kind === "observation" && !item.isSuperseded)
    .map(({ item }) => item.itemId);
}

function nearestItems(
  db: Db,
  { model, vector, index }: SemanticQuery,
  accept: ((session: number) => boolean) | undefined,
): { item: VectorItem; cosine: number }[] {
  const near = index.nearest(db, model, vector, { limit: MAX_NEAR, accept });
  const rows = near.map(({ row }) => row);
  const items = new Map(itemsAt(db, model.id, rows).map((item) => [item.place, item]));
  return near.flatMap(({ row, score }) => {
    const item = items.get(row);
    return item === undefined ? [] : [{ item, cosine: score }];
  });
}
