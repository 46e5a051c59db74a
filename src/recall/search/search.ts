// The engine behind every search: asks the lanes, climbs the rungs, adds up what each lane found, by session or by turn.
import { editDistance } from "../../core/edit-distance.ts";
import { type PreparedQuery, prepareQuery } from "../../core/query.ts";
import type { Db } from "../../store/db/driver.ts";
import { rarestFirst } from "../../store/fts/query-budget.ts";
import type { LaneScope } from "../../store/fts/fts-search.ts";
import {
  type Gathered,
  gatherMeaning,
  gatherThinking,
  gatherWords,
  type LaneName,
  MIN_COSINE_ALONE,
  type Searched,
} from "./gather.ts";
import { type Meaning, type MeaningHit, meaningHits } from "./semantic.ts";
import { rankSessions, rankTurns, type SessionHit, type TurnPlace } from "./rank.ts";
import { sessionIdsOf } from "../../store/tables/sessions.ts";
import { longerWords, similarWords } from "../../store/fts/vocabulary.ts";

export const SEARCH_KINDS = ["prompt", "message", "thinking", "tool", "file"] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export interface SearchOptions {
  limit: number;
  /** Without one, every project is searched. */
  project?: number;
  /** Only what was asked, answered, done, or touched. */
  kind?: SearchKind;
  /** Leaves out sessions the caller does not want: the current one, those outside a time range. */
  accept?: (session: number) => boolean;
  /** Of those that it accepts, turns. */
  acceptTurn?: (session: number, promptNumber: number) => boolean;
  /** Nothing before, or of this time or later, will be accepted. */
  since?: number;
  before?: number;
  /** Somebody is still typing: where whole words leave room, longer ones that begin like them follow. */
  isTyping?: boolean;
  /** The query as a vector, where there are vectors to compare it with. */
  meaning?: Meaning | undefined;
  /** To see what a lane is good for. */
  without?: readonly LaneName[];
}

/** How the answer was found; each rung is tried when the one before it gave nothing. */
export type Rung = "phrase" | "words" | "prefix" | "typo" | "meaning";

interface Asked {
  rung: Rung;
  /** The words that were looked for, as they were in the end. */
  words: string[];
  searched: Searched[];
}

export interface SearchAnswer extends Asked {
  hits: SessionHit[];
}

export interface TurnAnswer extends Asked {
  turns: TurnPlace[];
}

export function searchSessions(db: Db, text: string, options: SearchOptions): SearchAnswer {
  const { found, more, ...asked } = climb(db, text, options);
  const hits = [found, ...more].flatMap(rankSessions);
  const first = new Map(hits.toReversed().map((hit) => [hit.session, hit]));
  return { ...asked, hits: hits.filter((hit) => first.get(hit.session) === hit).slice(0, options.limit) };
}

/** The turns themselves, whichever session they are in. By what was said and done: thinking may have been given up. */
export function searchTurns(db: Db, text: string, options: SearchOptions): TurnAnswer {
  const without = [...(options.without ?? []), "thinking" as const];
  const { found, more: _, ...asked } = climb(db, text, { ...options, without });
  return { ...asked, turns: rankTurns(found).slice(0, options.limit) };
}

interface Climbed extends Asked {
  found: Map<number, Gathered>;
  /** Listed after those, each group after the one before it. */
  more: Map<number, Gathered>[];
}

const MAX_PREFIXES = 8;
const MAX_TYPOS = 4;

function climb(db: Db, text: string, options: SearchOptions): Climbed {
  const asked = prepareQuery(text);
  const query = { ...asked, words: rarestFirst(db, asked.words) };
  const { phrases } = query;
  if (phrases.length === 0) return climbWords(db, query, options);
  const exact = gather(db, query, { phrases }, options, []);
  if (exact.found.size > 0) return { ...exact, rung: "phrase", words: query.words };
  const answer = climbWords(db, query, options);
  // The phrase may be in rows that were not searched.
  return { ...answer, searched: [...exact.searched.filter((lane) => lane.since !== undefined), ...answer.searched] };
}

function climbWords(db: Db, query: PreparedQuery, options: SearchOptions): Climbed {
  const near = nearOf(db, options);
  const whole = gather(db, query, {}, options, near);
  const isEnough = options.isTyping !== true || whole.found.size >= options.limit;
  if (whole.found.size > 0 && isEnough) return { ...whole, rung: "words", words: query.words };
  const longer = gather(db, prefixesOf(db, query), {}, options, near);
  if (whole.found.size > 0) {
    const more = [longer.found, ...whole.more, ...longer.more];
    return { found: whole.found, more, rung: "words", words: query.words, searched: longer.searched };
  }
  if (longer.found.size > 0) return { ...longer, rung: "prefix", words: query.words };
  const meant = {
    ...query,
    words: query.words.map((word, index) => (index < MAX_TYPOS ? nearestWord(db, word) : word)),
  };
  const guessed = gather(db, meant, {}, options, near);
  const alone = near.filter((hit) => hit.cosine >= MIN_COSINE_ALONE);
  if (guessed.found.size > 0 || alone.length === 0) return { ...guessed, rung: "typo", words: meant.words };
  const found = new Map<number, Gathered>();
  gatherMeaning(found, alone);
  return { found, more: [], searched: guessed.searched, rung: "meaning", words: query.words };
}

/** What is asked for by its place (a prompt, an answer, a tool use, a file) is asked for by its words. */
function nearOf(db: Db, { meaning, kind, without, project, accept, acceptTurn }: SearchOptions): MeaningHit[] {
  if (meaning === undefined || kind !== undefined || without?.includes("meaning")) return [];
  const inProject = project === undefined ? undefined : sessionIdsOf(db, project);
  const near = meaningHits(
    db,
    meaning,
    (session) => session > 0 && inProject?.has(session) !== false && accept?.(session) !== false,
  );
  return near.filter((hit) => acceptTurn?.(hit.session, hit.promptNumber) !== false);
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

/** Words decide whether anything was found at all; what is near only by meaning joins what they found. */
function gather(
  db: Db,
  query: PreparedQuery,
  scope: Partial<LaneScope>,
  options: SearchOptions,
  near: readonly MeaningHit[],
): Pick<Climbed, "found" | "more" | "searched"> {
  const { found, searched } = gatherWords(db, query, scope, options);
  if (found.size > 0) gatherMeaning(found, near);
  const { kind, limit, without = [] } = options;
  if (kind !== undefined || found.size >= limit || without.includes("thinking")) return { found, more: [], searched };
  const thought = gatherThinking(db, query, scope, options);
  const all = [...searched, ...thought.searched];
  return found.size === 0
    ? { found: thought.found, more: [], searched: all }
    : { found, more: [thought.found], searched: all };
}
