// Queries the indexes, collects the hits of each session and ranks the sessions.
import type { PreparedQuery } from "../../core/query.ts";
import type { Db } from "../../store/db/driver.ts";
import { fileHits } from "../../store/fts/file-search.ts";
import { type FileHit, type Hit, THINKING, TOOL_USES, TURNS } from "../../store/fts/fts-index.ts";
import { type FtsScope, searchIndex } from "../../store/fts/fts-search.ts";
import type { SearchOptions } from "./search.ts";
import type { SemanticHit } from "./semantic.ts";

/**
 * talk: prompts and answers; work: tool uses; files: touched files; meaning: embeddings; thinking: an agent's thinking.
 * `weight` multiplies the index's scores, which are added without normalising: a high bm25 score is a good match.
 * `decay` has the factors for a session's best hit, its second best, and so on.
 */
const INDEXES = {
  talk: { weight: 2, decay: [1, 0.2] },
  work: { weight: 0.65, decay: [1, 0.5, 0.25] },
  files: { weight: 1, decay: [1, 1, 1, 1] },
  meaning: { weight: 3, decay: [1, 0.5, 0.25] },
  thinking: { weight: 1, decay: [1] },
} as const;
export type IndexName = keyof typeof INDEXES;
const INDEX_NAMES = Object.keys(INDEXES) as IndexName[];

/** In eight queries on real sessions, unrelated texts had cosines of up to 0.33. */
export const MIN_COSINE_ALONE = 0.35;

export interface TurnHit {
  promptNumber: number;
  score: number;
  toolUse?: number;
  /** The message whose thinking matched. */
  message?: number;
}

export interface SessionHits {
  scores: Record<IndexName, number[]>;
  turns: Map<number, TurnHit>;
  /** Filled only by a search for files. */
  files: (FileHit & { score: number })[];
}

export type HitsBySession = Map<number, SessionHits>;

/** How an index was searched, as `search --json` reports it. */
export interface Searched {
  lane: "talk" | "work" | "thinking" | "names";
  /** The words searched for, without words too common to rank by. */
  words: string[];
  /** Only rows from this time on were searched. */
  since?: number;
}

const TEXT_INDEXES = { talk: TURNS, work: TOOL_USES, thinking: THINKING };

export function queryIndexes(
  db: Db,
  names: readonly Exclude<IndexName, "meaning">[],
  query: PreparedQuery,
  scope: FtsScope,
  { kind, project, since, before, accept, acceptTurn }: SearchOptions,
): { found: HitsBySession; searched: Searched[] } {
  const found: HitsBySession = new Map();
  const searched: Searched[] = [];
  for (const name of names) {
    const { hits, ...how } =
      name === "files"
        ? { hits: fileHits(db, query, { project, since, before, isFileSearch: kind === "file" }) }
        : searchIndex(db, TEXT_INDEXES[name], query, scope);
    const accepted = hits.filter(
      (hit) => accept?.(hit.session) !== false && acceptTurn?.(hit.session, hit.promptNumber) !== false,
    );
    addHits(found, name, accepted);
    if (name !== "files" && "words" in how) searched.push({ lane: name, ...how });
  }
  return { found, searched };
}

/** Sessions without a keyword hit need a cosine of at least MIN_COSINE_ALONE. */
export function addSemanticHits(found: HitsBySession, near: readonly SemanticHit[]): void {
  const accepted = near.filter((hit) => found.has(hit.session) || hit.cosine >= MIN_COSINE_ALONE);
  addHits(found, "meaning", accepted);
}

function addHits(found: HitsBySession, name: IndexName, hits: readonly Hit[]): void {
  for (const hit of hits) {
    const session: SessionHits = found.get(hit.session) ?? {
      scores: { talk: [], work: [], files: [], meaning: [], thinking: [] },
      turns: new Map(),
      files: [],
    };
    found.set(hit.session, session);
    const score = hit.score * INDEXES[name].weight;
    session.scores[name].push(score);
    addTurn(session.turns, { ...hit, score });
    if (hit.file !== undefined) session.files.push({ ...hit.file, score });
  }
}

/** A turn's score adds up over indexes, but only its best tool use and its best thinking count. */
function addTurn(turns: Map<number, TurnHit>, { promptNumber, score, toolUse, message }: Hit): void {
  const turn = turns.get(promptNumber) ?? { promptNumber, score: 0 };
  turns.set(promptNumber, turn);
  const isLesser =
    (toolUse !== undefined && turn.toolUse !== undefined) || (message !== undefined && turn.message !== undefined);
  if (isLesser) return;
  turn.score += score;
  if (toolUse !== undefined) turn.toolUse = toolUse;
  if (message !== undefined) turn.message = message;
}

export interface RankedSession {
  session: number;
  score: number;
  /** The 3 best turns. */
  turns: TurnHit[];
  /** Filled only by a search for files; best first. */
  files: FileHit[];
}

const MAX_TURNS = 3;

/** Sessions with equal scores stay in the order in which the indexes returned them. */
export function rankSessions(found: ReadonlyMap<number, SessionHits>): RankedSession[] {
  const ranked = [...found].map(([session, { scores, turns, files }]) => ({
    session,
    score: INDEX_NAMES.reduce((sum, name) => sum + decayed(scores[name], INDEXES[name].decay), 0),
    turns: [...turns.values()].sort(byScore).slice(0, MAX_TURNS),
    files: bestFiles(files),
  }));
  return ranked.sort(byScore);
}

function byScore(a: { score: number }, b: { score: number }): number {
  return b.score - a.score;
}

function decayed(scores: readonly number[], decay: readonly number[]): number {
  const best = scores.toSorted((a, b) => b - a);
  return decay.reduce((sum, factor, index) => sum + factor * (best[index] ?? 0), 0);
}

/** Each path once: two query words may match the same path. */
function bestFiles(files: SessionHits["files"]): FileHit[] {
  const best = files.toSorted((a, b) => b.score - a.score || b.at - a.at);
  return best.filter((file, index) => best.findIndex(({ path }) => path === file.path) === index);
}
