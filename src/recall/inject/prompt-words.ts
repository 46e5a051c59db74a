// The rare words of a prompt, and whether a text has enough of them to be what the prompt is about.
import { hasWord } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import { countObservations, countTurns, turnIdsWithWord } from "../../store/fts/observation-words.ts";
import type { PromptQuery } from "./parse-prompt.ts";
import type { ThrottleLevel } from "./throttle.ts";

export interface RareWord {
  word: string;
  weight: number;
  isName: boolean;
  /** The ids of the prompts of turns with the word. Empty if no turn has it. */
  turns: readonly number[];
}

export interface PromptWords {
  query: PromptQuery;
  rare: RareWord[];
  /** Of the rare words; a word that no turn has counts less: it may be misspelt. */
  totalWeight: number;
}

const MAX_COUNTED = 5_000;
const MAX_WORDS = 40;
/** A word in more than 30% of the project's turns is ignored. Rarer ones weigh more. */
const KNOWN_SHARE = 0.3;
const MIN_KNOWN = 4;
/** Limits the time that a hook needs in a large store. */
const MAX_TURNS = 400;
/** A word that no turn has may be misspelt, or not about the subject. */
const UNKNOWN_WEIGHT = 1;
const NAME_WEIGHT = 1.5;
const MIN_TOTAL = 20;

export function rareWords(db: Db, query: PromptQuery, projectId: number): PromptWords {
  const counted = countTurns(db, projectId, MAX_COUNTED) + countObservations(db, projectId, MAX_COUNTED);
  const total = Math.max(MIN_TOTAL, counted);
  const maxTurns = Math.min(MAX_TURNS, Math.max(MIN_KNOWN, Math.floor(total * KNOWN_SHARE)));
  const rare: RareWord[] = [];
  let totalWeight = 0;
  for (const word of query.words.slice(0, MAX_WORDS)) {
    const isName = query.names.has(word);
    const turns = turnIdsWithWord(db, word, projectId, maxTurns + 1);
    if (turns.length > maxTurns) continue;
    const weight = Math.log(1 + total / Math.max(1, turns.length)) * (isName ? NAME_WEIGHT : 1);
    totalWeight += turns.length === 0 ? UNKNOWN_WEIGHT : weight;
    rare.push({ word, weight, isName, turns });
  }
  return { query, rare, totalWeight };
}

/** A word in at most a tenth of the turns tells subjects apart. */
const RARE_WEIGHT = Math.log(1 + 10);

interface Limit {
  /** Of the weight of the prompt's words. */
  share: number;
  /** How many rare words. */
  words: number;
  /** Of the rare words in the text. */
  weight: number;
}

/** The prompt asks about the past. */
const PAST: Limit = { share: 0.3, words: 2, weight: 5 };
/** The text names a thing that the prompt names. */
const NAMED: Limit = { share: 0.35, words: 3, weight: 9 };
/** The text is about the same, whatever the prompt asks. */
const SAME: Limit = { share: 0.5, words: 4, weight: 10 };
/** The prompt says more than the text, but the text has many of its rare words. */
const MUCH: Limit = { share: 0.2, words: 5, weight: 15 };
/** A short question, and the text has all of it. */
const ALL: Limit = { share: 0.65, words: 2, weight: 5 };

/**
 * `said`: the prompt's words in the text that would be injected. `found`: these, and those in what the text answered.
 * `isNote`: the text is a mere note of work.
 */
export function isStrongMatch(
  said: readonly RareWord[],
  found: readonly RareWord[],
  { query, totalWeight }: PromptWords,
  { throttle, isNote = false }: { throttle: ThrottleLevel; isNote?: boolean },
): boolean {
  const share = shareOf(found, totalWeight);
  const rare = (words: readonly RareWord[]): RareWord[] => words.filter(({ weight }) => weight >= RARE_WEIGHT);
  const [count, weight] = [rare(found).length - throttle, weightOf(rare(said))];
  const reaches = (limit: Limit): boolean => share >= limit.share && count >= limit.words && weight >= limit.weight;
  if (
    reaches(SAME) ||
    (query.isQuestion && reaches(ALL)) ||
    (!isNote && reaches(MUCH)) ||
    (query.isAboutPast && reaches(PAST))
  )
    return true;
  return said.some(({ isName }) => isName) && reaches(NAMED);
}

export function wordsIn(text: string, words: readonly RareWord[]): RareWord[] {
  const lower = text.toLowerCase();
  return words.filter(({ word }) => hasWord(lower, word));
}

export function shareOf(words: Iterable<RareWord>, totalWeight: number): number {
  return totalWeight === 0 ? 0 : Math.min(1, weightOf(words) / totalWeight);
}

export function weightOf(words: Iterable<RareWord>): number {
  let weight = 0;
  for (const word of words) weight += word.weight;
  return weight;
}
