// Ranks sessions for a query: what was said counts twice what was done, and a named file adds to both.
import { editDistance } from "../core/edit-distance.ts";
import { type PreparedQuery, prepareQuery } from "../core/query.ts";
import type { Db } from "../store/driver.ts";
import { fileHits } from "../store/file-lane.ts";
import type { Hit } from "../store/lane.ts";
import { rarestFirst } from "../store/lane-budget.ts";
import { type LaneAnswer, type LaneScope, talkHits, workHits } from "../store/lanes.ts";
import { longerWords, similarWords } from "../store/vocabulary.ts";

const TALK_WEIGHT = 2;
const WORK_WEIGHT = 1;
/** A session's best row, and less and less of its next ones. */
const TALK_DECAY = [1];
const WORK_DECAY = [1, 0.5, 0.25];
const FILE_DECAY = [1, 1, 1, 1];
const MAX_TURNS = 3;

export const SEARCH_KINDS = ["prompt", "message", "tool", "file"] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export interface SearchOptions {
  limit: number;
  /** Without one, every project is searched. */
  project?: number;
  /** Only what was asked, answered, done, or touched. */
  kind?: SearchKind;
  /** Leaves out sessions the caller does not want: the current one, those outside a time range. */
  accept?: (session: number) => boolean;
  /** Nothing before, or of this time or later, will be accepted. */
  since?: number;
  before?: number;
  /** Somebody is still typing: where whole words leave room, longer ones that begin like them follow. */
  isTyping?: boolean;
}

export interface SessionHit {
  session: number;
  score: number;
  turns: TurnHit[];
}

export interface TurnHit {
  promptNumber: number;
  score: number;
  toolUse?: number;
}

interface Gathered {
  talk: number[];
  work: number[];
  files: number[];
  turns: Map<number, TurnHit>;
}

/** How the answer was found; each rung is tried when the one before it gave nothing. */
export type Rung = "phrase" | "words" | "prefix" | "typo";

/** What a lane was asked for. */
export interface Searched {
  lane: "talk" | "work" | "names";
  /** The words it was asked for; those too common to be ranked are missing. */
  words: string[];
  /** Only rows from this time on were looked at. */
  since?: number;
}

export interface SearchAnswer {
  hits: SessionHit[];
  rung: Rung;
  /** The words that were looked for, as they were in the end. */
  words: string[];
  searched: Searched[];
}

const MAX_PREFIXES = 8;
const MAX_TYPOS = 4;

export function searchSessions(db: Db, text: string, options: SearchOptions): SearchAnswer {
  const asked = prepareQuery(text);
  const query = { ...asked, words: rarestFirst(db, asked.words) };
  const { phrases } = query;
  if (phrases.length === 0) return searchWords(db, query, options);
  const exact = rankSessions(db, query, { phrases }, options);
  if (exact.hits.length > 0) return { ...exact, rung: "phrase", words: query.words };
  const answer = searchWords(db, query, options);
  // The phrase may stand where nobody looked.
  return { ...answer, searched: [...exact.searched.filter((lane) => lane.since !== undefined), ...answer.searched] };
}

function searchWords(db: Db, query: PreparedQuery, options: SearchOptions): SearchAnswer {
  const whole = rankSessions(db, query, {}, options);
  const isEnough = options.isTyping !== true || whole.hits.length >= options.limit;
  if (whole.hits.length > 0 && isEnough) return { ...whole, rung: "words", words: query.words };
  const longer = rankSessions(db, prefixesOf(db, query), {}, options);
  if (whole.hits.length > 0) {
    const known = new Set(whole.hits.map((hit) => hit.session));
    const hits = [...whole.hits, ...longer.hits.filter((hit) => !known.has(hit.session))].slice(0, options.limit);
    return { hits, rung: "words", words: query.words, searched: longer.searched };
  }
  if (longer.hits.length > 0) return { ...longer, rung: "prefix", words: query.words };
  const meant = {
    ...query,
    words: query.words.map((word, index) => (index < MAX_TYPOS ? nearestWord(db, word) : word)),
  };
  return { ...rankSessions(db, meant, {}, options), rung: "typo", words: meant.words };
}

/** The same query for the words that begin like its own. */
function prefixesOf(db: Db, query: PreparedQuery): PreparedQuery {
  const longer = query.words.slice(0, MAX_PREFIXES).flatMap((word) => longerWords(db, word));
  return { ...query, words: rarestFirst(db, [...new Set(longer)]) };
}

/** A word nobody has said, as somebody may have meant it. */
export function nearestWord(db: Db, word: string): string {
  if (word.length < 4) return word;
  const maxEdits = word.length > 7 ? 2 : 1;
  const near = similarWords(db, word)
    .map((other) => ({ other, edits: editDistance(word, other, maxEdits) }))
    .filter(({ edits }) => edits <= maxEdits);
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.other ?? word;
}

function rankSessions(
  db: Db,
  query: PreparedQuery,
  more: Partial<LaneScope>,
  options: SearchOptions,
): { hits: SessionHit[]; searched: Searched[] } {
  const { project, accept, since, before, kind } = options;
  const scope: LaneScope = {
    ...(project !== undefined && { project }),
    ...(accept !== undefined && { accept }),
    ...(since !== undefined && { since }),
    ...(before !== undefined && { before }),
    ...more,
  };
  const sessions = new Map<number, Gathered>();
  const searched: Searched[] = [];
  const gather = (hits: Hit[], lane: "talk" | "work" | "files", weight: number): void => {
    for (const hit of hits) {
      const gathered: Gathered = sessions.get(hit.session) ?? { talk: [], work: [], files: [], turns: new Map() };
      sessions.set(hit.session, gathered);
      gathered[lane].push(hit.score * weight);
      addTurn(gathered.turns, { ...hit, score: hit.score * weight });
    }
  };
  const ask = ({ hits, ...asked }: LaneAnswer, lane: "talk" | "work", weight: number): void => {
    gather(hits, lane, weight);
    searched.push({ lane, ...asked });
  };
  if (kind === undefined) ask(talkHits(db, query, scope), "talk", TALK_WEIGHT);
  if (kind === "prompt") ask(talkHits(db, query, { ...scope, column: "prompt" }), "talk", TALK_WEIGHT);
  if (kind === "message") ask(talkHits(db, query, { ...scope, column: "answer" }), "talk", TALK_WEIGHT);
  if (kind === undefined || kind === "tool") ask(workHits(db, query, scope), "work", WORK_WEIGHT);
  if (kind === "file" || (kind === undefined && more.phrases === undefined)) {
    const touched = fileHits(db, query, { project, isFileSearch: kind === "file" });
    gather(
      touched.filter((hit) => accept?.(hit.session) !== false),
      "files",
      1,
    );
  }
  // Where scores are equal the order of the lanes stays: newest first, if they could not rank.
  const hits = [...sessions]
    .map(([session, gathered]) => ({ session, score: scoreOf(gathered), turns: bestTurns(gathered) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, options.limit);
  return { hits, searched };
}

function scoreOf({ talk, work, files }: Gathered): number {
  return decayed(talk, TALK_DECAY) + decayed(work, WORK_DECAY) + decayed(files, FILE_DECAY);
}

function decayed(scores: number[], decay: number[]): number {
  const best = scores.sort((a, b) => b - a);
  return decay.reduce((sum, factor, index) => sum + factor * (best[index] ?? 0), 0);
}

/** A turn shows its best tool use; what is said and what is done in it add up. */
function addTurn(turns: Map<number, TurnHit>, hit: Hit): void {
  const turn = turns.get(hit.promptNumber);
  if (turn === undefined) {
    const { promptNumber, score, toolUse } = hit;
    turns.set(promptNumber, { promptNumber, score, ...(toolUse !== undefined && { toolUse }) });
  } else if (turn.toolUse === undefined) {
    turn.score += hit.score;
    if (hit.toolUse !== undefined) turn.toolUse = hit.toolUse;
  }
}

function bestTurns({ turns }: Gathered): TurnHit[] {
  return [...turns.values()].sort((a, b) => b.score - a.score).slice(0, MAX_TURNS);
}
