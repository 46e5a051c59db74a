// Classifies sentences as rule, decision, finding, open end or headline.
import type { Block } from "../../core/prose.ts";
import { matches, strip } from "./sentence-patterns.ts";
import { capitalise, type Sentence } from "./sentences.ts";

const MIN_WORDS = 5;
const MIN_INFORMATIVE = 3;
const MAX_SENTENCE_CHARS = 320;

/** At least 5 words, 3 of them informative; at most 320 characters; no colon or comma at the end. */
export function isFullSentence(sentence: string): boolean {
  const words = sentence.split(/\s+/);
  const isInformative = (word: string): boolean =>
    word.length > 3 &&
    !/^(?:this|that|these|those|them|they|then|there|just|like|have|with|should|don't|it's|what|when|also)$/i.test(
      word,
    );
  return (
    words.length >= MIN_WORDS &&
    words.filter(isInformative).length >= MIN_INFORMATIVE &&
    sentence.length <= MAX_SENTENCE_CHARS &&
    !/[:,]$/.test(sentence)
  );
}

/**
 * Scores a sentence of the user as a rule; 0 is no rule. `isLong`: the prompt is a specification. `isWish`: it is short
 * and says how things should be.
 */
export function ruleScore(text: string, { isLong, isWish }: { isLong: boolean; isWish: boolean }): number {
  if (!matches(text, "instruction") || matches(text, "suggestion", "report") || !isFullSentence(text)) return 0;
  if (isLong && !matches(text, "insistence")) return 0;
  const [isStanding, isSpecific] = [matches(text, "standingRule"), matches(text, "specific")];
  return isStanding || (isWish && isSpecific) ? 1 + count(isStanding, isSpecific) : 0;
}

/** Scores a sentence of the agent as a decision; 0 is no decision. */
export function decisionScore({ text, block }: Sentence): number {
  if (!isFullSentence(text) || matches(text, "undecided", "quotation", "narration")) return 0;
  const isSpecific = matches(text, "specific");
  const isSection = /^(?:decisions?|recommend\w+|trade-?offs?|conclusion)\b/i.test(block.section);
  if (!matches(text, "decision") && !(isSection && isSpecific)) return 0;
  return 1 + count(isSpecific, /\b(?:because|since|so that|rather than|instead of)\b/.test(text));
}

/** Quick check before a message is split into sentences. */
export function mayContainFinding(message: string): boolean {
  return matches(message, "finding", "description");
}

/** Scores a sentence of the agent as a finding. 0: none; 0.5: a description, only for the summary. */
export function findingScore({ text, block }: Sentence, isFinal: boolean): number {
  if (!isFullSentence(text) || matches(text, "narration", "doubt", "quotation") || !matches(text, "specific")) return 0;
  const [isFinding, isExplained] = [matches(text, "finding"), matches(text, "explanation")];
  if (!isFinding && !(isFinal && isExplained)) {
    // List items say what was done, not how something works.
    return block.kind === "text" && matches(text, "description") && /`[^`]+`/.test(text) ? 0.5 : 0;
  }
  return 2 * count(isFinding, /root cause/i.test(text)) + count(isExplained, isFinal);
}

function count(...conditions: boolean[]): number {
  return conditions.filter(Boolean).length;
}

const HEADLINE_CHARS = { min: 20, max: 220 };

/** Shortens the sentence to a headline and scores how well it says what was done; 0: not at all. */
export function asHeadline({ text: sentence, block }: Sentence): { text: string; score: number } {
  const rest = capitalise(strip(strip(strip(sentence, "acknowledgement"), "fixIs"), "firstPerson"));
  // "Fixed: `save` stored only titles" keeps its "Fixed": without it the bug reads like the work done.
  const text = matches(sentence, "fixedColon") ? `Fixed: ${rest}` : rest;
  const isFix = matches(sentence, "fixIs") && !matches(text, "fixIs");
  return { text, score: headlineScore(text, block) + (isFix ? 1.5 : 0) };
}

function headlineScore(text: string, block: Block): number {
  const { min, max } = HEADLINE_CHARS;
  if (text.length < min || text.length > max || /[?:]$/.test(text) || matches(text, "filler", "label")) return 0;
  const isDone = matches(text, "workDone");
  const hasNow = /\bnow\b/.test(text);
  let score = 1 + (isDone ? 3 : 0) + (hasNow ? 1.5 : 0) + (matches(text, "specific") ? 1 : 0);
  // A list item must say outright what was done to be a headline.
  if (block.kind === "item") score -= isDone || hasNow ? 1 : 3;
  return matches(text, "verification") ? score - 2 : score;
}

/** "This stops the flood of requests." says what the work is good for. */
export function isBenefit(text: string): boolean {
  return matches(text, "benefit") && text.length <= HEADLINE_CHARS.max && !text.endsWith(":");
}

const REASON_CHARS = 300;

/** "Previously every render made a new object" says why the work was done. */
export function isReason(text: string): boolean {
  const isPlan = /\?$|^(?:let me|i'll|i’ll)/i.test(text);
  return matches(text, "reason") && matches(text, "specific") && text.length <= REASON_CHARS && !isPlan;
}

const MIN_POINT_CHARS = 12;
/** Sections on how to try the work, how it was checked, or what remains to do. */
const ASIDE_SECTION =
  /\b(?:next|test(?:s|ing)?|verif\w+|check(?:s|ed)?|try|usage|how to|remaining|todo|follow|option|alternativ\w+|question|link|reference|pr\b|unrelated|limitation|note)/i;

/** A list item that says what was done. */
export function isPoint({ kind, section, text }: Block): boolean {
  const isAside = ASIDE_SECTION.test(section) || /[?:]$|^(?:run|test|verify|check|lint|typecheck|build)\b/i.test(text);
  return kind === "item" && text.length >= MIN_POINT_CHARS && !isAside;
}

const NEXT_SECTION = /^(?:next|remaining|todo|to do|follow|open|outstanding|what(?:'s|’s) (?:next|left))/i;

/** A list item in a section such as "Next steps". */
export function isOpenItem({ kind, section }: Block): boolean {
  return kind === "item" && NEXT_SECTION.test(section);
}

const OPEN_END_CHARS = 260;

/** Remaining work that the sentence names: "Want me to push it?" -> "Offered: push it" */
export function openEnd(text: string): string | undefined {
  if (text.length > OPEN_END_CHARS) return undefined;
  if (matches(text, "offer")) return `Offered: ${strip(text, "offer").replace(/\?$/, "").trim()}`;
  const isOwn = /\?$|^(?:let me|i\b|i'll|i’ll|i'm|i’m)/i.test(text);
  return matches(text, "openWork", "nextStep") && !isOwn ? text : undefined;
}

/** "Let me look at …" only announces work. */
export function isNarration(text: string): boolean {
  return matches(text, "narration");
}

export function isAnswer(text: string): boolean {
  return !/[?:]$/.test(text) && !isNarration(text) && text.split(/\s+/).length > 3;
}

/** Whether an answer can be understood without its question. */
export function standsAlone(text: string, maxChars: number): boolean {
  if (text.split(/\s+/).length < 5 || text.length > maxChars || /https?:/.test(text)) return false;
  return matches(text, "specific") && !matches(text, "pointing");
}
