// The lane of meaning: what a query means as a vector, and the turns and observations whose vectors are nearest to it.
import { loadSettings } from "../../config/load.ts";
import type { Env, Paths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { prepareQuery } from "../../core/query.ts";
import type { Embedder } from "../../embed/embedder.ts";
import { embedSource, INSTALL_HINT, openById } from "../../embed/source.ts";
import { commonWords } from "../../store/fts/common-words.ts";
import type { Db } from "../../store/db/driver.ts";
import type { Hit } from "../../store/fts/fts-index.ts";
import {
  countVectors,
  embedProgress,
  type EmbeddingModel,
  embeddingModels,
  itemsAt,
} from "../../store/vectors/vectors.ts";
import { MIN_COSINE_ALONE } from "./gather.ts";
import { COLD_INDEX, type VectorIndex } from "./vector-index.ts";

/** A query that has been embedded, and where to look for what is near it. */
export interface Meaning {
  model: EmbeddingModel;
  vector: Float32Array;
  index: VectorIndex;
}

export interface MeaningState {
  meaning?: Meaning;
  /** Why it is by words only, or not by all that could be. */
  degraded?: string;
  hint?: string;
  /** There should be more: something is wrong, not just not there. */
  isBroken: boolean;
  /** Whose vectors serve. */
  model: string | null;
  vectors: number;
  /** Turns and observations that have no vector of the wanted model yet. */
  waiting: number;
}

export interface AskOptions {
  paths: Paths;
  env: Env;
  project?: number | undefined;
  /** In a process that stays. */
  index?: VectorIndex;
  embedder?: Embedder | undefined;
  /** Takes what had to be opened, and closes it some time; without it, it is closed at once. */
  keep?: (embedder: Embedder) => void;
}

/** Never fails: whatever is wrong, words are still there, and the reason is told. */
export async function askMeaning(db: Db, text: string, options: AskOptions): Promise<MeaningState> {
  const { paths, env, project, index = COLD_INDEX } = options;
  const { values: settings } = loadSettings({ user: paths.config }, env);
  const source = embedSource(settings, env, paths);
  const { waiting } = embedProgress(db);
  const stored = embeddingModels(db)
    .map((model) => ({ model, vectors: countVectors(db, model.id) }))
    .filter(({ vectors }) => vectors > 0)
    // The one that knows most; of two that know as much, the wanted one.
    .sort((a, b) => b.vectors - a.vectors || b.model.is_wanted - a.model.is_wanted);
  const wordsOnly = (why: string, hint: string | undefined, isBroken: boolean): MeaningState => ({
    degraded: `words only: ${why}`,
    ...(hint !== undefined && { hint }),
    isBroken,
    model: null,
    vectors: 0,
    waiting,
  });
  if (source.kind === "none")
    return wordsOnly(source.why, source.hint, stored.length > 0 && settings.embeddings !== "none");
  if (stored.length === 0)
    return wordsOnly("nothing is embedded yet", "The worker does it in the background: c-mem worker start", false);
  let problem = wordsOnly(
    "the vectors are of a model that is gone; they are made anew in the background",
    undefined,
    true,
  );
  for (const { model, vectors } of stored) {
    try {
      const kept = options.embedder?.id === model.name ? options.embedder : undefined;
      const embedder = kept ?? (await openById(model.name, settings, env, paths));
      if (embedder === undefined) continue;
      const [vector] = await embedder.embed([meaningText(db, text, project)]);
      if (kept === undefined && options.keep !== undefined) options.keep(embedder);
      else if (kept === undefined) await embedder.close();
      if (vector === undefined || vector.length !== model.dimensions) continue;
      const degraded = partly(model, waiting);
      return {
        meaning: { model, vector, index },
        ...(degraded !== undefined && { degraded }),
        isBroken: false,
        model: model.name,
        vectors,
        waiting,
      };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problem = wordsOnly(error.message, error.hint ?? INSTALL_HINT, true);
    }
  }
  return problem;
}

function partly(model: EmbeddingModel, waiting: number): string | undefined {
  if (model.is_wanted === 0) return `meaning by the vectors of ${model.name} until ${waiting} more are made anew`;
  return waiting > 0 ? `meaning covers all but ${waiting} turns and observations, which are being embedded` : undefined;
}

/** Without the words that every other turn holds: who speaks or what the project is called would be all it is about. */
function meaningText(db: Db, text: string, project: number | undefined): string {
  const common = commonWords(db, prepareQuery(text).words, project);
  if (common.length === 0) return text;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${common.join("|")})(?:['’]s)?(?![\\p{L}\\p{N}])`, "giu");
  const left = text.replace(pattern, " ").replace(/\s+/g, " ").trim();
  return left === "" ? text : left;
}

/** To see what is near by how far it stands out from what else is. */
const MAX_NEAR = 300;
/** What has been replaced is seldom what is looked for. */
const SUPERSEDED_WEIGHT = 0.3;

export interface MeaningHit extends Hit {
  cosine: number;
}

/** Scores are in standard deviations above the mean of what is near: how far a hit stands out, whatever the model. */
export function meaningHits(db: Db, meaning: Meaning, accept: (session: number) => boolean): MeaningHit[] {
  const { model, vector, index } = meaning;
  const near = index.nearest(db, model, vector, { limit: MAX_NEAR, accept });
  const items = new Map(
    itemsAt(
      db,
      model.id,
      near.map(({ row }) => row),
    ).map((item) => [item.place, item]),
  );
  const turns = new Map<string, MeaningHit>();
  for (const { row, score } of near) {
    const item = items.get(row);
    if (item === undefined || item.session === null) continue;
    const cosine = item.isSuperseded ? score * SUPERSEDED_WEIGHT : score;
    const key = `${item.session} ${item.promptNumber}`;
    if ((turns.get(key)?.cosine ?? -Infinity) < cosine)
      turns.set(key, { session: item.session, promptNumber: item.promptNumber, score: 0, cosine });
  }
  const hits = [...turns.values()];
  const mean = hits.reduce((sum, { cosine }) => sum + cosine, 0) / Math.max(1, hits.length);
  const variance = hits.reduce((sum, { cosine }) => sum + (cosine - mean) ** 2, 0) / Math.max(1, hits.length);
  // One alone stands out from nothing.
  const deviation = hits.length > 1 ? Math.sqrt(variance) || 1 : 1;
  for (const hit of hits) hit.score = hits.length > 1 ? Math.max(0, (hit.cosine - mean) / deviation) : 1;
  return hits.sort((a, b) => b.score - a.score);
}

/** The observations near enough to be found by meaning alone, the nearest first. */
export function nearObservations(db: Db, { model, vector, index }: Meaning): number[] {
  const near = index.nearest(db, model, vector, { limit: MAX_NEAR }).filter(({ score }) => score >= MIN_COSINE_ALONE);
  const places = near.map(({ row }) => row);
  const items = new Map(itemsAt(db, model.id, places).map((item) => [item.place, item]));
  return places.flatMap((place) => {
    const item = items.get(place);
    return item?.kind === "observation" && !item.isSuperseded ? [item.itemId] : [];
  });
}
