// Ranks sessions for a query: what was said counts twice what was done, and a named file adds to both.
import { editDistance } from "../core/edit-distance.ts";
import { type PreparedQuery, prepareQuery } from "../core/query.ts";
import type { Db } from "../store/driver.ts";
import { fileHits, type Hit, type LaneScope, rarestFirst, similarWords, talkHits, workHits } from "../store/lanes.ts";

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

export interface SearchAnswer {
  hits: SessionHit[];
  rung: Rung;
  /** The words that were looked for, as they were in the end. */
  words: string[];
}

export function searchSessions(db: Db, text: string, options: SearchOptions): SearchAnswer {
  const asked = prepareQuery(text);
  const query = { ...asked, words: rarestFirst(db, asked.words) };
  const { phrases } = asked;
  const rungs: { rung: Rung; isTried: boolean; query: () => PreparedQuery; scope: Partial<LaneScope> }[] = [
    { rung: "phrase", isTried: phrases.length > 0, query: () => query, scope: { phrases } },
    { rung: "words", isTried: true, query: () => query, scope: {} },
    { rung: "prefix", isTried: true, query: () => query, scope: { isPrefix: true } },
    {
      rung: "typo",
      isTried: true,
      query: () => ({ ...query, words: query.words.map((word) => nearestWord(db, word)) }),
      scope: {},
    },
  ];
  for (const { rung, isTried, query: make, scope } of rungs) {
    const tried = isTried ? make() : query;
    const hits = isTried ? rankSessions(db, tried, scope, options) : [];
    if (rung === "words" && options.isTyping === true && hits.length > 0 && hits.length < options.limit) {
      const known = new Set(hits.map((hit) => hit.session));
      const longer = rankSessions(db, query, { isPrefix: true }, options).filter((hit) => !known.has(hit.session));
      return { hits: [...hits, ...longer].slice(0, options.limit), rung, words: query.words };
    }
    if (hits.length > 0 || rung === "typo") return { hits, rung, words: tried.words };
  }
  return { hits: [], rung: "words", words: query.words };
}

/** A word nobody has said, as somebody may have meant it. */
function nearestWord(db: Db, word: string): string {
  if (word.length < 4) return word;
  const maxEdits = word.length > 7 ? 2 : 1;
  const near = similarWords(db, word)
    .map((other) => ({ other, edits: editDistance(word, other, maxEdits) }))
    .filter(({ edits }) => edits <= maxEdits);
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.other ?? word;
}

function rankSessions(db: Db, query: PreparedQuery, more: Partial<LaneScope>, options: SearchOptions): SessionHit[] {
  const scope: LaneScope = {
    isFiltered: options.accept !== undefined,
    ...(options.project !== undefined && { project: options.project }),
    ...more,
  };
  const sessions = new Map<number, Gathered>();
  const gather = (hits: Hit[], lane: "talk" | "work" | "files", weight: number): void => {
    for (const hit of hits) {
      if (options.accept?.(hit.session) === false) continue;
      const gathered: Gathered = sessions.get(hit.session) ?? { talk: [], work: [], files: [], turns: new Map() };
      sessions.set(hit.session, gathered);
      gathered[lane].push(hit.score * weight);
      addTurn(gathered.turns, { ...hit, score: hit.score * weight });
    }
  };
  const { kind } = options;
  if (kind === undefined) gather(talkHits(db, query, scope), "talk", TALK_WEIGHT);
  if (kind === "prompt") gather(talkHits(db, query, { ...scope, column: "prompt" }), "talk", TALK_WEIGHT);
  if (kind === "message") gather(talkHits(db, query, { ...scope, column: "answer" }), "talk", TALK_WEIGHT);
  if (kind === undefined || kind === "tool") gather(workHits(db, query, scope), "work", WORK_WEIGHT);
  const asksForFiles = kind === "file" || (kind === undefined && more.phrases === undefined);
  if (asksForFiles) gather(fileHits(db, query, { ...scope, isFileSearch: kind === "file" }), "files", 1);
  return [...sessions]
    .map(([session, gathered]) => ({ session, score: scoreOf(gathered), turns: bestTurns(gathered) }))
    .sort((a, b) => b.score - a.score || b.session - a.session)
    .slice(0, options.limit);
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
