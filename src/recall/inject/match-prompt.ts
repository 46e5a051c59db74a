// Finds the observations that a prompt is about: they share several of its rare words.
import { pathSuffixes } from "../../core/query.ts";
import { wordsOf } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  countObservations,
  countTurns,
  observationsByIds,
  observationsWithWord,
  turnsWithWord,
} from "../../store/fts/observation-words.ts";
import { type ObservationRow, observationsAbout } from "../../store/tables/observations.ts";
import type { PromptQuery } from "./parse-prompt.ts";
import type { ThrottleLevel } from "./throttle.ts";

export interface MatchRequest {
  projectId: number;
  /** Observations of this session are skipped: what they are about is still in the agent's context. */
  ownSessionId: number | undefined;
  /** Ids of the items that were injected into this session before. */
  shown: ReadonlySet<string>;
  /** The higher, the more words have to match. */
  throttle: ThrottleLevel;
}

export interface PromptMatch {
  /** full: the prompt is about these observations; pointer: it only mentions one. */
  kind: "full" | "pointer" | "none";
  rows: ObservationRow[];
}

const NO_MATCH: PromptMatch = { kind: "none", rows: [] };

/** A word in more than 6% of the project's observations is ignored as too common. */
const INFORMATIVE_SHARE = 0.06;
const MIN_INFORMATIVE = 3;
/** A word in more than 8% of the project's turns is common, even if few observations have it. */
const RARE_TURNS_SHARE = 0.08;
const MIN_RARE_TURNS = 4;
const MAX_WORDS = 60;
const MAX_COUNTED = 5_000;
const MAX_PATHS = 8;
const FILE_ROWS = 12;
/** A file of more than 8% of the observations is ignored as too common. */
const FILE_SHARE = 0.08;
const CANDIDATES = 12;

interface Votes {
  words: string[];
  weight: number;
  rare: number;
}

type Vote = (id: number, word: string, weight: number, rare: number) => void;

export function matchPrompt(db: Db, query: PromptQuery, request: MatchRequest): PromptMatch {
  const { projectId } = request;
  const total = countObservations(db, projectId, MAX_COUNTED);
  if (total === 0) return NO_MATCH;
  const votes = new Map<number, Votes>();
  const vote: Vote = (id, word, weight, rare) => {
    const entry = votes.get(id) ?? { words: [], weight: 0, rare: 0 };
    votes.set(id, { words: [...entry.words, word], weight: entry.weight + weight, rare: entry.rare + rare });
  };
  const knownWords = voteByWords(db, query, projectId, total, vote);
  voteByFiles(db, query, projectId, total, vote);
  const best = [...votes].sort(([, a], [, b]) => b.weight - a.weight).slice(0, CANDIDATES);
  if (best.length === 0) return NO_MATCH;
  const rows = observationsByIds(
    db,
    best.map(([id]) => id),
  );
  const { ownSessionId = -1, shown, throttle } = request;
  const candidates = rows
    .filter((row) => row.session_db_id !== ownSessionId && !shown.has(`o${row.id}`))
    .map((row) => {
      const { words, weight, rare } = votes.get(row.id) as Votes;
      return { row, words, rare, score: weight * worthOf(row) };
    })
    .sort((a, b) => b.score - a.score);
  return selectMatch(candidates, query, knownWords, throttle);
}

/** Returns how many words of the prompt occur in at least one observation. */
function voteByWords(db: Db, query: PromptQuery, projectId: number, total: number, vote: Vote): number {
  const maxRows = Math.max(MIN_INFORMATIVE, Math.floor(total * INFORMATIVE_SHARE));
  const maxTurns = Math.max(MIN_RARE_TURNS, Math.floor(countTurns(db, projectId, MAX_COUNTED) * RARE_TURNS_SHARE));
  let known = 0;
  for (const word of query.words.slice(0, MAX_WORDS)) {
    const ids = observationsWithWord(db, word, projectId, maxRows + 1);
    if (ids.length > 0) known += 1;
    if (ids.length === 0 || ids.length > maxRows) continue;
    const isName = query.names.has(word);
    const isRare = turnsWithWord(db, word, projectId, maxTurns + 1) <= maxTurns;
    const weight = Math.log(1 + total / ids.length) * (isName ? 1.5 : 1) * (isRare ? 1 : 0.5);
    for (const id of ids) vote(id, word, weight, isRare ? (isName ? 2 : 1) : 0);
  }
  return known;
}

function voteByFiles(db: Db, query: PromptQuery, projectId: number, total: number, vote: Vote): void {
  const maxRows = Math.max(MIN_INFORMATIVE, Math.floor(total * FILE_SHARE));
  for (const path of query.paths.slice(0, MAX_PATHS)) {
    // "src/a/index.ts" may be stored as "a/index.ts", but "index.ts" alone could be any file.
    for (const tail of pathSuffixes(path).filter((each) => each === path || each.includes("/"))) {
      const rows = observationsAbout(db, { kind: "file", key: tail }, projectId, FILE_ROWS);
      if (rows.length === 0) continue;
      if (rows.length <= maxRows) for (const { id } of rows) vote(id, tail, 2 * Math.log(1 + total / rows.length), 1);
      break;
    }
  }
}

const TYPE_WORTH = { decision: 1.2, bugfix: 1.15, discovery: 1.1, feature: 1, refactor: 0.9, change: 0.9 };
const ORIGIN_WORTH = { user: 1.1, assistant: 1, tool: 0.75 };

function worthOf({ type, origin, pinned }: ObservationRow): number {
  return TYPE_WORTH[type] * ORIGIN_WORTH[origin] * (pinned === 1 ? 1.5 : 1);
}

const MAX_ROWS = 3;
const RARE_WORDS = 3;
const TITLE_WORDS = 2;
/** Long prompts share words by chance: for every 60 known words, one more rare word is required. */
const WORDS_PER_MATCH = 60;
/** Longer prompts get no pointer: they mention too many things. */
const POINTER_WORDS = 40;
/** Scores below 60% of the best are dropped. */
const NEAR_BEST = 0.6;

interface Candidate {
  row: ObservationRow;
  /** Words and paths of the prompt that occur in the observation. */
  words: string[];
  rare: number;
  score: number;
}

function selectMatch(
  candidates: Candidate[],
  query: PromptQuery,
  knownWords: number,
  throttle: ThrottleLevel,
): PromptMatch {
  const bestScore = candidates[0]?.score ?? 0;
  const needed = RARE_WORDS + Math.floor(knownWords / WORDS_PER_MATCH) + throttle;
  const strong = candidates.filter(
    ({ row, words, rare, score }) =>
      score >= bestScore * NEAR_BEST && (query.isAboutPast ? rare > 0 : rare >= needed && isAbout(row, words)),
  );
  if (strong.length > 0) return { kind: "full", rows: strong.slice(0, MAX_ROWS).map(({ row }) => row) };
  if (throttle > 0 || query.words.length > POINTER_WORDS) return NO_MATCH;
  const named = candidates.find(
    ({ row, words, rare }) => rare > 0 && words.some((word) => query.names.has(word) && isNamed(row, word)),
  );
  return named === undefined ? NO_MATCH : { kind: "pointer", rows: [named.row] };
}

/** Two matching words (one if only one matches) must occur in the title or the file names. */
function isAbout(row: ObservationRow, words: readonly string[]): boolean {
  const text = `${row.title}\n${row.files}`.toLowerCase();
  const needed = words.length > 1 ? TITLE_WORDS : 1;
  return words.filter((word) => text.includes(word.slice(0, Math.max(4, word.length - 2)))).length >= needed;
}

/** Matches whole words: "pubkey" does not match `truncatePubkey`. */
function isNamed(row: ObservationRow, name: string): boolean {
  return wordsOf(`${row.title}\n${row.files}`).some((word) => word.toLowerCase() === name);
}
