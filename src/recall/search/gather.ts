// Asks every lane and keeps what each found, by session: the talk, the work, the touched files, what is near in meaning.
import type { PreparedQuery } from "../../core/query.ts";
import type { Db } from "../../store/db/driver.ts";
import { fileHits } from "../../store/fts/file-search.ts";
import type { FileHit, Hit } from "../../store/fts/fts-index.ts";
import { type LaneAnswer, type LaneScope, talkHits, thinkingHits, workHits } from "../../store/fts/fts-search.ts";
import type { MeaningHit } from "./semantic.ts";
import type { SearchOptions } from "./search.ts";

/** Raw bm25 is added up, because its size carries confidence; meaning counts by how far it stands out. */
const WEIGHTS = { talk: 2, work: 1, files: 1, meaning: 3, thinking: 1 } as const;
export type LaneName = keyof typeof WEIGHTS;

/** What has nothing to do with a query is nearer than this only by chance: nonsense comes up to 0.33, another subject up to 0.30 (eight queries on real sessions). */
export const MIN_COSINE_ALONE = 0.35;

export interface TurnHit {
  promptNumber: number;
  score: number;
  toolUse?: number;
  /** Whose thinking matched. */
  message?: number;
}

/** What was found of a session: the scores by lane, and by turn. */
export interface Gathered {
  lanes: Record<LaneName, number[]>;
  turns: Map<number, TurnHit>;
  /** In a search for files: those it touched, the best first. */
  files: (FileHit & { score: number })[];
}

/** What a lane was asked for. */
export interface Searched {
  lane: "talk" | "work" | "thinking" | "names";
  /** The words it was asked for; those too common to be ranked are missing. */
  words: string[];
  /** Only rows from this time on were looked at. */
  since?: number;
}

export function gatherWords(
  db: Db,
  query: PreparedQuery,
  more: Partial<LaneScope>,
  options: SearchOptions,
): { found: Map<number, Gathered>; searched: Searched[] } {
  const { project, accept, acceptTurn, since, before, kind, without = [] } = options;
  const scope = { ...scopeOf(options), ...more };
  const found = new Map<number, Gathered>();
  const searched: Searched[] = [];
  const isWanted = (hit: Hit): boolean => acceptTurn?.(hit.session, hit.promptNumber) !== false;
  const ask = ({ hits, ...asked }: LaneAnswer, lane: "talk" | "work" | "thinking"): void => {
    addHits(found, lane, hits.filter(isWanted));
    searched.push({ lane, ...asked });
  };
  const isAsked = (lane: LaneName, ...kinds: (typeof kind)[]): boolean =>
    kinds.includes(kind) && !without.includes(lane);
  if (isAsked("talk", undefined)) ask(talkHits(db, query, scope), "talk");
  if (kind === "prompt") ask(talkHits(db, query, { ...scope, column: "prompt" }), "talk");
  if (kind === "message") ask(talkHits(db, query, { ...scope, column: "answer" }), "talk");
  if (isAsked("work", undefined, "tool")) ask(workHits(db, query, scope), "work");
  if (isAsked("thinking", "thinking")) ask(thinkingHits(db, query, scope), "thinking");
  if (isAsked("files", "file") || (isAsked("files", undefined) && more.phrases === undefined)) {
    const touched = fileHits(db, query, { project, since, before, isFileSearch: kind === "file" });
    addHits(
      found,
      "files",
      touched.filter((hit) => accept?.(hit.session) !== false && isWanted(hit)),
    );
  }
  return { found, searched };
}

/** Sessions that others do not have, by what the agent thought. In the same list as the others they cost 0.4 of any@5. */
export function gatherThinking(
  db: Db,
  query: PreparedQuery,
  more: Partial<LaneScope>,
  options: SearchOptions,
): { found: Map<number, Gathered>; searched: Searched[] } {
  const { hits, ...asked } = thinkingHits(db, query, { ...scopeOf(options), ...more });
  const found = new Map<number, Gathered>();
  addHits(
    found,
    "thinking",
    hits.filter((hit) => options.acceptTurn?.(hit.session, hit.promptNumber) !== false),
  );
  return { found, searched: [{ lane: "thinking", ...asked }] };
}

function scopeOf({ project, accept, since, before }: SearchOptions): LaneScope {
  return {
    ...(project !== undefined && { project }),
    ...(accept !== undefined && { accept }),
    ...(since !== undefined && { since }),
    ...(before !== undefined && { before }),
  };
}

/** Adds to what words have found; what they have not must be near enough by itself. */
export function gatherMeaning(found: Map<number, Gathered>, near: readonly MeaningHit[]): void {
  const known = new Set(found.keys());
  addHits(
    found,
    "meaning",
    near.filter((hit) => known.has(hit.session) || hit.cosine >= MIN_COSINE_ALONE),
  );
}

function addHits(found: Map<number, Gathered>, lane: LaneName, hits: readonly Hit[]): void {
  for (const hit of hits) {
    const gathered: Gathered = found.get(hit.session) ?? {
      lanes: { talk: [], work: [], files: [], meaning: [], thinking: [] },
      turns: new Map(),
      files: [],
    };
    found.set(hit.session, gathered);
    const score = hit.score * WEIGHTS[lane];
    gathered.lanes[lane].push(score);
    addTurn(gathered.turns, { ...hit, score });
    if (hit.file !== undefined) gathered.files.push({ ...hit.file, score });
  }
}

/** A turn shows its best tool use and its best thinking; what is said, done and thought in it adds up. */
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
