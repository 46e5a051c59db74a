// What is known: the newest observations, or those that fit some words or are near in meaning; or one with all it rests on.
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { deriveNewest } from "../memory/derive.ts";
import { findObservations } from "../recall/search/find-observations.ts";
import type { SemanticState } from "../recall/search/semantic.ts";
import { type ObservationStory, readObservation } from "../recall/history/observation.ts";
import { parseObservationId } from "../store/reads/items.ts";
import { listObservations, type ObservationEntry, type ObservationFilter } from "../store/reads/observation-list.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer } from "./envelope.ts";
import { embedSearchWords } from "./embedding-cache.ts";
import { readConcepts, readType } from "./observation-flags.ts";
import { observationJson, standingJson, storyJson } from "./observation-json.ts";
import { readOffset } from "./legacy.ts";

const LIMIT = 20;
/** What happened last is looked at before the question is answered, as far as nobody has to wait for it. */
const MAX_DERIVE_MS = 1_000;

export interface ObservationsAnswer extends Answer {
  rows: ObservationEntry[];
  rung: string | undefined;
  words: string[];
  hasMore: boolean;
  limit: number;
  isOfAllProjects: boolean;
  /** Sessions that memory was not derived of yet. */
  left: number;
  /** How far meaning went into it; undefined where nothing was looked for. */
  state: SemanticState | undefined;
}

export async function answerObservations(asked: Asked, query: string): Promise<ObservationsAnswer> {
  const { db, flags } = asked;
  const wanted = {
    type: readType(flags["type"]),
    concept: readConcepts(flags["concept"])?.[0],
    file: flags["file"] === undefined ? undefined : String(flags["file"]).replace(/^\.\//, ""),
    session: flags["session"] === undefined ? undefined : String(flags["session"]),
    isPinned: flags["pinned"] === true,
    withSuperseded: flags["superseded"] === true,
  };
  const { scope, limit, where } = questionOf(asked, LIMIT);
  const left = deriveNewest(db, scope.projectId, MAX_DERIVE_MS);
  const filter: ObservationFilter = { ...scope, ...wanted };
  const state =
    query === ""
      ? undefined
      : await embedSearchWords({ ...asked, ...(asked.kept && { embeddings: asked.kept }) }, query, scope.projectId);
  const found = state && findObservations(db, query, filter, limit + 1, state.meaning);
  const all = found?.rows ?? listObservations(db, filter, limit + 1, readOffset(flags));
  const rows = all.slice(0, limit);
  if (rows.length === 0) {
    const fitting = query === "" ? "" : ` that fits "${oneLine(query, 80)}"`;
    throw new AppError("nothing_found", `There is no observation in ${where}${fitting}.`, {
      hint: `Widen what you ask for${scope.projectId === undefined ? "" : ", or --all for every project"}; \`c-mem search\` looks through the sessions themselves.`,
    });
  }
  const results = rows.map((row) => ({
    ...observationJson(row),
    standing: standingJson(row, { deep: false }),
    ...("score" in row && { score: row.score }),
  }));
  const how =
    found === undefined ? {} : { query, rung: found.rung, words: found.words, degraded: state?.degraded ?? null };
  const hasMore = all.length > limit;
  return {
    data: { results },
    meta: { where, has_more: hasMore, not_derived: left, ...how },
    rows,
    rung: found?.rung,
    words: found?.words ?? [],
    hasMore,
    limit,
    isOfAllProjects: scope.projectId === undefined,
    left,
    state,
  };
}

/** By its id ("o78"); undefined where that is the id of something else. */
export function answerObservation({ db }: Asked, name: string): (Answer & { story: ObservationStory }) | undefined {
  const id = parseObservationId(name);
  if (id === undefined) return undefined;
  const story = readObservation(db, id);
  if (story !== undefined) return { data: storyJson(story), story };
  throw new AppError("nothing_found", `There is no observation "${name}".`, {
    hint: "`c-mem observations` lists those there are; deriving memory anew may give others.",
  });
}
