// The agent's last message of a turn, and which of its sentences says best what was done.
import { type Block, readBlocks, sentencesOf } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { capitalise, matches, strip } from "./sentence-patterns.ts";

export interface FinalMessage {
  /** Item id of the message, or of the prompt where only hooks recorded it. */
  id: string;
  blocks: Block[];
  /** The sentence that says what was done, "" without one. */
  headline: string;
  /** The headline says outright what was done: "Added …", "X now does …". */
  statesWork: boolean;
  /** The headline is a better title than file names. */
  isInformative: boolean;
  /** "This stops the flood of requests." */
  benefit: string;
  /** List items that say what was done. */
  points: string[];
}

const MIN_CHARS = 20;
const MAX_CHARS = 220;
/** A sentence with a verb of work, or with "now" and a name, reaches the first; one that names something the second. */
const STATES_WORK_SCORE = 2.2;
const INFORMATIVE_SCORE = 1.3;

export function readFinalMessage({ messages, prompt }: TurnEvidence): FinalMessage {
  const last = messages.findLast(
    ({ role, text, isSubagent }) => role === "assistant" && !isSubagent && text.trim() !== "",
  );
  const blocks = readBlocks(last?.text ?? prompt.response);
  const { text, score } = findHeadline(blocks);
  return {
    id: last?.id ?? prompt.id,
    blocks,
    headline: text,
    statesWork: score >= STATES_WORK_SCORE,
    isInformative: score >= INFORMATIVE_SCORE,
    benefit:
      textSentences(blocks).find((one) => matches(one, "benefit") && one.length <= MAX_CHARS && !one.endsWith(":")) ??
      "",
    points: pointsOf(blocks),
  };
}

/** The sentences of paragraphs, without those of lists and headings. */
export function textSentences(blocks: readonly Block[]): string[] {
  return blocks.filter(({ kind }) => kind === "text").flatMap(({ text }) => sentencesOf(text));
}

/** Looks at the first 14 blocks, three sentences each; earlier ones score higher. */
function findHeadline(blocks: readonly Block[]): { text: string; score: number } {
  let best = { text: "", score: 0 };
  const candidates = blocks.filter(({ kind }) => kind !== "heading").slice(0, 14);
  for (const [index, block] of candidates.entries()) {
    for (const [position, sentence] of sentencesOf(block.text).slice(0, 3).entries()) {
      const rest = capitalise(strip(strip(strip(sentence, "acknowledgement"), "fixIs"), "firstPerson"));
      // "Fixed: `save` stored only titles" would otherwise read as what was done.
      const text = matches(sentence, "fixedColon") ? `Fixed: ${rest}` : rest;
      const isFix = matches(sentence, "fixIs") && !matches(text, "fixIs");
      const score = scoreOf(text, block) + (isFix ? 1.5 : 0) - index * 0.25 - position * 0.4;
      if (score > best.score) best = { text, score };
    }
  }
  return { ...best, text: best.text.replace(/[:;]$/, ".") };
}

function scoreOf(text: string, block: Block): number {
  if (text.length < MIN_CHARS || text.length > MAX_CHARS || /[?:]$/.test(text) || matches(text, "filler", "label"))
    return 0;
  const isDone = matches(text, "workDone");
  const hasNow = /\bnow\b/.test(text);
  let score = 1 + (isDone ? 3 : 0) + (hasNow ? 1.5 : 0) + (matches(text, "specific") ? 1 : 0);
  // A list item is a headline only where it says outright what was done.
  if (block.kind === "item") score -= isDone || hasNow ? 1 : 3;
  return matches(text, "verification") ? score - 2 : score;
}

const MAX_POINTS = 6;
const MIN_POINT_CHARS = 12;
/** Lists on how to try the work, what is left, or how it was checked. */
const ASIDE_SECTION =
  /\b(?:next|test(?:s|ing)?|verif\w+|check(?:s|ed)?|try|usage|how to|remaining|todo|follow|option|alternativ\w+|question|link|reference|pr\b|unrelated|limitation|note)/i;

function pointsOf(blocks: readonly Block[]): string[] {
  return blocks
    .filter(
      ({ kind, section, text }) => kind === "item" && !ASIDE_SECTION.test(section) && text.length >= MIN_POINT_CHARS,
    )
    .filter(({ text }) => !/[?:]$|^(?:run|test|verify|check|lint|typecheck|build)\b/i.test(text))
    .map(({ text, section }) => (isPath(section) ? `${section.replaceAll("`", "")}: ${text}` : text))
    .slice(0, MAX_POINTS);
}

function isPath(section: string): boolean {
  return /^`?[\w@./-]+\.\w{1,5}`?$/.test(section);
}
