// Searches sessions for CLI, page, MCP and API: keyword search with fallback steps, plus semantic search.
import { typoEdits } from "../../core/edit-distance.ts";
import { type PreparedQuery, prepareQuery } from "../../core/query.ts";
import type { Db } from "../../store/db/driver.ts";
import type { FtsScope } from "../../store/fts/fts-search.ts";
import { sortByRarity } from "../../store/fts/query-budget.ts";
import { longerWords, similarWords } from "../../store/fts/vocabulary.ts";
import { sessionIdsOf } from "../../store/tables/sessions.ts";
import { outputPhrases } from "./output-line.ts";
import { nearestTurns, type SemanticHit, type SemanticQuery } from "./semantic.ts";
import {
  addSemanticHits,
  type HitsBySession,
  type IndexName,
  queryIndexes,
  type RankedSession,
  rankSessions,
  type Searched,
} from "./session-hits.ts";

export const SEARCH_KINDS = ["prompt", "message", "thinking", "tool", "file"] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export interface SearchOptions extends Pick<FtsScope, "project" | "accept" | "since" | "before"> {
  limit: number;
  kind?: SearchKind | undefined;
  /** Filters the turns of accepted sessions. */
  acceptTurn?: ((session: number, promptNumber: number) => boolean) | undefined;
  /** The last word may be unfinished: also search words that begin with it if there are few results. */
  isTyping?: boolean | undefined;
  meaning?: SemanticQuery | undefined;
  /** Indexes to skip, for benchmarks. */
  without?: readonly IndexName[];
}

/** The step that found the results. Each step runs only if the previous one found nothing. */
export type SearchStep = "phrase" | "words" | "prefix" | "typo" | "meaning";

export interface SearchAnswer {
  hits: RankedSession[];
  rung: SearchStep;
  /** The words that this step searched for. */
  words: string[];
  searched: Searched[];
}

interface StepResult {
  /** Sessions of an earlier group rank above those of a later one, regardless of score. */
  groups: [HitsBySession, ...HitsBySession[]];
  searched: Searched[];
}

type Found = StepResult & Pick<SearchAnswer, "rung" | "words">;

export function searchSessions(db: Db, text: string, options: SearchOptions): SearchAnswer {
  const { groups, ...how } = findHits(db, text, options);
  const hits = new Map<number, RankedSession>();
  for (const hit of groups.flatMap(rankSessions)) if (!hits.has(hit.session)) hits.set(hit.session, hit);
  return { ...how, hits: [...hits.values()].slice(0, options.limit) };
}

export function findHits(db: Db, text: string, options: SearchOptions): Found {
  const prepared = prepareQuery(text);
  const query = { ...prepared, words: sortByRarity(db, prepared.words) };
  const { phrases, words } = query;
  if (phrases.length === 0) {
    const found = findByWords(db, query, options);
    const groups = [...sameOutput(db, text, query, options), ...found.groups] as const;
    return { ...found, groups: [groups[0] ?? new Map(), ...groups.slice(1)] };
  }
  const exact = runStep(db, query, options, [], phrases);
  if (hasFound(exact)) return { ...exact, rung: "phrase", words };
  const found = findByWords(db, query, options);
  // Report a phrase search limited to recent rows: older rows may contain the phrase.
  return { ...found, searched: [...exact.searched.filter(({ since }) => since !== undefined), ...found.searched] };
}

/** If the query is a line of output: the tool uses that printed the same line, then those that printed a similar one. */
function sameOutput(db: Db, text: string, query: PreparedQuery, options: SearchOptions): HitsBySession[] {
  const { kind, isTyping, without, project, accept, since, before } = options;
  if ((kind !== undefined && kind !== "tool") || isTyping === true || without?.includes("work")) return [];
  return outputPhrases(text).map((phrases) => {
    const scope = { project, accept, since, before, phrases };
    return queryIndexes(db, ["work"], query, scope, options).found;
  });
}

const MAX_PREFIXES = 8;
const MAX_TYPOS = 4;

function findByWords(db: Db, query: PreparedQuery, options: SearchOptions): Found {
  const near = semanticHits(db, options);
  const { words } = query;
  const whole = runStep(db, query, options, near);
  const [found, ...more] = whole.groups;
  const isEnough = options.isTyping !== true || found.size >= options.limit;
  if (hasFound(whole) && isEnough) return { ...whole, rung: "words", words };
  const longer = words.slice(0, MAX_PREFIXES).flatMap((word) => longerWords(db, word));
  const prefix = runStep(db, { ...query, words: sortByRarity(db, [...new Set(longer)]) }, options, near);
  if (hasFound(whole)) {
    const [longerFound, ...longerMore] = prefix.groups;
    return { ...prefix, groups: [found, longerFound, ...more, ...longerMore], rung: "words", words };
  }
  if (hasFound(prefix)) return { ...prefix, rung: "prefix", words };
  const corrected = words.map((word, index) => (index < MAX_TYPOS ? correctTypo(db, word) : word));
  const typo = runStep(db, { ...query, words: corrected }, options, near);
  const nearAlone: HitsBySession = new Map();
  addSemanticHits(nearAlone, near);
  if (hasFound(typo) || nearAlone.size === 0) return { ...typo, rung: "typo", words: corrected };
  return { ...typo, groups: [nearAlone], rung: "meaning", words };
}

function hasFound({ groups }: StepResult): boolean {
  return groups[0].size > 0;
}

/** Adds semantic hits to the keyword hits, if there are any. */
function runStep(
  db: Db,
  query: PreparedQuery,
  options: SearchOptions,
  near: readonly SemanticHit[],
  phrases?: string[][],
): StepResult {
  const { kind, limit, without = [] } = options;
  const names = {
    all: phrases === undefined ? (["talk", "work", "files"] as const) : (["talk", "work"] as const),
    prompt: ["talk"] as const,
    message: ["talk"] as const,
    tool: ["work"] as const,
    thinking: ["thinking"] as const,
    file: ["files"] as const,
  }[kind ?? "all"].filter((name) => !without.includes(name));
  const column = kind === "prompt" ? "prompt" : kind === "message" ? "answer" : undefined;
  const { project, accept, since, before } = options;
  const scope = { project, accept, since, before, phrases, column } as const;
  const { found, searched } = queryIndexes(db, names, query, scope, options);
  if (found.size > 0) addSemanticHits(found, near);
  if (kind !== undefined || found.size >= limit || without.includes("thinking")) return { groups: [found], searched };
  // A separate group: ranked with the others, thinking pushes the right session out of the top 5 in 0.4% of queries.
  const thinking = queryIndexes(db, ["thinking"], query, scope, options);
  return {
    groups: found.size === 0 ? [thinking.found] : [found, thinking.found],
    searched: [...searched, ...thinking.searched],
  };
}

/** Empty if the search is limited to one kind: then only keywords are searched. */
function semanticHits(db: Db, options: SearchOptions): SemanticHit[] {
  const { meaning, kind, without, project, accept, acceptTurn } = options;
  if (meaning === undefined || kind !== undefined || without?.includes("meaning")) return [];
  const inProject = project === undefined ? undefined : sessionIdsOf(db, project);
  return nearestTurns(
    db,
    meaning,
    (session) => session > 0 && inProject?.has(session) !== false && accept?.(session) !== false,
  ).filter((hit) => acceptTurn?.(hit.session, hit.promptNumber) !== false);
}

/** "custmoers" -> "customers", if an earlier prompt contains that word. */
export function correctTypo(db: Db, word: string): string {
  const near = similarWords(db, word)
    .map((other) => ({ other, edits: typoEdits(word, other) }))
    .filter(({ edits }) => edits < Infinity);
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.other ?? word;
}
