// The rare words of a prompt, and whether a text has enough of them to be what the prompt is about.
import { sentencesOf } from "../../core/prose.ts";
import { hasWord } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import { countObservations, countTurns, turnIdsWithWord } from "../../store/fts/observation-words.ts";
import { parsePrompt, type PromptQuery } from "./parse-prompt.ts";
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

/** Longer prompts are plans or have pasted text: their sentences are no subjects of their own. */
const MAX_PARTED_CHARS = 1_200;
const MAX_PARTS = 8;

/** The rare words of the prompt, and then of each of its sentences, if it has several: each may be about another thing. */
export function wordsOfParts(db: Db, text: string, query: PromptQuery, projectId: number): PromptWords[] {
  const whole = rareWords(db, query, projectId);
  if (whole.rare.length === 0 || text.length > MAX_PARTED_CHARS) return [whole];
  const parts = text.split("\n").flatMap((line) => sentencesOf(line.trim()));
  if (parts.length < 2 || parts.length > MAX_PARTS) return [whole];
  return [whole, ...parts.flatMap((part) => partOf(whole, parsePrompt(part)) ?? [])];
}

function partOf(whole: PromptWords, query: PromptQuery | undefined): PromptWords | undefined {
  if (query === undefined) return undefined;
  const rare = whole.rare.filter(({ word }) => query.words.includes(word));
  return { query, rare, totalWeight: totalOf(rare) };
}

function totalOf(rare: readonly RareWord[]): number {
  return rare.reduce((sum, { turns, weight }) => sum + (turns.length === 0 ? UNKNOWN_WEIGHT : weight), 0);
}

function rareWords(db: Db, query: PromptQuery, projectId: number): PromptWords {
  const counted = countTurns(db, projectId, MAX_COUNTED) + countObservations(db, projectId, MAX_COUNTED);
  const total = Math.max(MIN_TOTAL, counted);
  const maxTurns = Math.min(MAX_TURNS, Math.max(MIN_KNOWN, Math.floor(total * KNOWN_SHARE)));
  const rare: RareWord[] = [];
  for (const word of query.words.slice(0, MAX_WORDS)) {
    const isName = query.names.has(word);
    const turns = turnIdsWithWord(db, word, projectId, maxTurns + 1);
    if (turns.length > maxTurns) continue;
    const weight = Math.log(1 + total / Math.max(1, turns.length)) * (isName ? NAME_WEIGHT : 1);
    rare.push({ word, weight, isName, turns });
  }
  return { query, rare, totalWeight: totalOf(rare) };
}

/** A word in at most an eighth of the turns tells subjects apart. */
const RARE_WEIGHT = Math.log(1 + 8);

interface Limit {
  /** Of the weight of the prompt's words. */
  share: number;
  /** How many rare words. */
  words: number;
  /** Of the rare words in the text. */
  weight: number;
  /** Rare words in one sentence: words of different sentences may meet by chance. */
  together: number;
}

/** The prompt asks about the past. */
const PAST: Limit = { share: 0.25, words: 2, weight: 5, together: 2 };
/** The text names a thing that the prompt names. */
const NAMED: Limit = { share: 0.35, words: 3, weight: 9, together: 2 };
/** The text is about the same, whatever the prompt asks. */
const SAME: Limit = { share: 0.5, words: 4, weight: 10, together: 3 };
const NEARLY_ALL: Limit = { share: 0.6, words: 4, weight: 10, together: 2 };
/** The prompt says more than the text, but the text has many of its rare words. */
const MUCH: Limit = { share: 0.2, words: 6, weight: 18, together: 4 };
/** A short question, and the text has all of it. */
const ALL: Limit = { share: 0.7, words: 2, weight: 5, together: 2 };

/** `sentences`: what would be injected. `found`: the prompt's words in them, and in what they answered. */
export function isStrongMatch(
  sentences: readonly string[],
  found: readonly RareWord[],
  { query, totalWeight }: PromptWords,
  { throttle, isNote = false }: { throttle: ThrottleLevel; isNote?: boolean },
): boolean {
  const share = shareOf(found, totalWeight);
  const rare = found.filter(({ weight }) => weight >= RARE_WEIGHT);
  const said = wordsIn(sentences.join("\n"), rare);
  // A name is seldom in a sentence by chance, so it counts twice.
  const count = (words: readonly RareWord[]): number => words.length + words.filter(({ isName }) => isName).length;
  const together = Math.max(0, ...sentences.map((text) => count(wordsIn(text, rare))));
  const reaches = (limit: Limit): boolean =>
    share >= limit.share &&
    rare.length >= limit.words + throttle &&
    weightOf(said) >= limit.weight &&
    together >= limit.together;
  if (reaches(SAME) || reaches(NEARLY_ALL) || (reaches(ALL) && query.isQuestion) || (!isNote && reaches(MUCH)))
    return true;
  return (reaches(PAST) && query.isAboutPast) || (said.some(({ isName }) => isName) && reaches(NAMED));
}

const MAX_SENTENCES = 3;
/** Sentences with less of the prompt than this, compared to the best one, are left out. */
const SENTENCE_SHARE = 0.45;

/** The sentences with the most weight of the prompt's words, in their order. */
export function chooseSentences(sentences: readonly string[], words: readonly RareWord[]): string[] {
  const rated = sentences.map((text, index) => ({ text, index, weight: weightOf(wordsIn(text, words)) }));
  const best = Math.max(0, ...rated.map(({ weight }) => weight));
  if (best === 0) return [];
  return rated
    .filter(({ weight }) => weight >= best * SENTENCE_SHARE)
    .sort((a, b) => b.weight - a.weight || a.index - b.index)
    .slice(0, MAX_SENTENCES)
    .sort((a, b) => a.index - b.index)
    .map(({ text }) => text);
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
