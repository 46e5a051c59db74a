// What was asked: a plan to carry out, a question, an order, or a word that only makes sense after what came before.
import { type Block, clip, readBlocks, sentencesOf, wholeSentences } from "../../core/prose.ts";

export interface Ask {
  kind: "plan" | "question" | "order" | "word";
  /** A few words for it, without politeness. */
  title: string;
  /** It, condensed. */
  request: string;
  /** Why it is asked for, where a plan says so. */
  why: string;
  blocks: Block[];
}

export const TITLE_CHARS = 90;
const REQUEST_CHARS = 320;
const WHY_CHARS = 320;

export function readAsk(prompt: string): Ask {
  const text = bare(prompt);
  const blocks = readBlocks(text);
  const plan = planTitle(text, blocks);
  if (plan !== undefined) {
    const why = sectionStart(blocks, /^(?:context|background|problem|motivation|why|overview|goal|summary)\b/i);
    return { kind: "plan", title: clip(plan, TITLE_CHARS), request: request(plan, why), why, blocks };
  }
  const words = blocks.filter(({ kind }) => kind !== "heading").flatMap(({ text: one }) => sentencesOf(one));
  const said = words.length > 0 ? words : [text.replace(/\s+/g, " ").trim()];
  const condensed = wholeSentences(said, REQUEST_CHARS);
  const title = orderTitle(said);
  return { kind: kindOf(text, said), title, request: condensed, why: "", blocks };
}

/** Without the command it was given to, and without marks a program put before it. */
function bare(prompt: string): string {
  const text = prompt.trim().replace(/^\[\[ ## \w+ ## \]\]\s*/, "");
  const [, rest = ""] = /^[/$][\w:-]+\s+([\s\S]+)$/.exec(text) ?? [];
  return rest.trim().split(/\s+/).length >= 3 ? rest.trim() : text;
}

const PREAMBLE = /^(?:please )?(?:implement|execute|carry out|follow) the (?:following|below|attached) plan/i;
const PLAN_WORD = /^(?:implementation )?(?:plan|task|feature|todo|spec|design|prd)\s*[:—–-]\s*/i;

/** Asks how things stand: true for a moment. */
export function isAboutStatus(text: string): boolean {
  return /\b(?:status|ready to (?:merge|go|push)|finished|are we done|progress|outstanding|how did (?:it|the|that)|did (?:it|that|you) (?:work|push|commit|finish)|what(?:'s| is) (?:next|left)|up to date|still (?:running|failing|open))\b/i.test(
    text,
  );
}

function planTitle(text: string, blocks: readonly Block[]): string | undefined {
  const heading = blocks.find(({ kind }) => kind === "heading");
  const isPlan = PREAMBLE.test(text) || (/^#\s/.test(text) && blocks.length > 3);
  if (!isPlan || heading === undefined) return undefined;
  return heading.text.replace(PLAN_WORD, "").replace(/\s+plan$/i, "");
}

function sectionStart(blocks: readonly Block[], name: RegExp): string {
  const first = blocks.find(({ kind, section }) => kind === "text" && name.test(section));
  return first === undefined ? "" : asSentence(wholeSentences(beginning(first.text), WHY_CHARS));
}

/** Two sentences, but not one that only leads up to a list. */
function beginning(text: string): string[] {
  return sentencesOf(text)
    .slice(0, 2)
    .filter((sentence, index) => index === 0 || !sentence.endsWith(":"));
}

function asSentence(text: string): string {
  return text.replace(/[:;,]$/, ".");
}

function request(plan: string, why: string): string {
  return why === "" ? plan : wholeSentences([`${plan}.`, ...sentencesOf(why)], REQUEST_CHARS);
}

const QUESTION =
  /^(?:(?:ok|so|and|also|but|hmm+|wait|then|now|well),?\s+)*(?:what|how|why|where|when|which|who|is|are|was|were|does|do|did|has|have|should|isn'?t|aren'?t|doesn'?t|don'?t (?:we|you|they)|will|any (?:idea|reason))\b/i;
const ORDER_IN_QUESTION = /\b(?:can|could|would|will) (?:you|we)\b/i;
/** Words that only go on with what was there before: "yes, commit and push". */
const BARE_WORDS = new Set(
  (
    "ok okay yes yeah yep y no nope sure please now then and just also go let lets let's it this that them all the change changes everything ahead " +
    "commit committed comit commi push pull merge continue proceed resume retry again done thanks thank you great perfect nice good cool do try run check status " +
    "next stop undo revert approve approved lgtm pr main back to up latest get with a an on in for open create make your my i we b c d e"
  ).split(" "),
);

function isBare(text: string): boolean {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}']+/u)
    .filter(Boolean);
  return words.length < 3 || words.every((word) => BARE_WORDS.has(word) || /^\d+$/.test(word));
}

function kindOf(text: string, sentences: readonly string[]): Ask["kind"] {
  const whole = text.trim();
  if (whole.length < 200 && isBare(whole)) return "word";
  const last = sentences.at(-1) ?? "";
  const first = sentences[0] ?? "";
  const asks = last.endsWith("?") || QUESTION.test(first) || (first.endsWith("?") && sentences.length < 4);
  if (!asks) return "order";
  return ORDER_IN_QUESTION.test(whole) && !QUESTION.test(first) ? "order" : "question";
}

const OPENING =
  /^(?:(?:ok(?:ay)?|so|now|and|also|please|then|hey|hi|hello|great|perfect|cool|nice|alright|hmm+|yes|yeah|yep|no|well|right|sure|thanks|actually|first|next|sorry|oh|wait|ahh?|uu*m|uh)\b[,.!:;]*\s+)+/i;
const POLITE =
  /^(?:(?:do you think )?(?:can|could|would|will) (?:you|we)(?: (?:please|also|maybe|now|then|just|quickly))*|please|i (?:want|need|would like|'d like) (?:you )?to|i'd like (?:you )?to|let'?s|we (?:need|have|want) to|you should|i think we (?:should|must)|we should|go ahead and|help me(?: to)?)\s+/i;

function orderTitle(sentences: readonly string[]): string {
  const bareSentences = sentences.map((sentence) => withoutPoliteness(sentence));
  const telling = bareSentences.find((sentence) => sentence.split(/\s+/).length >= 4) ?? bareSentences[0] ?? "";
  return clip(telling.replace(/[.:]$/, ""), TITLE_CHARS);
}

/** Without the words that only begin a sentence: "ok so now …". */
export function withoutOpening(sentence: string): string {
  return sentence.replace(OPENING, "");
}

function withoutPoliteness(sentence: string): string {
  let text = sentence;
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replace(OPENING, "").replace(POLITE, "");
  }
  return capitalise(text.replace(/,? please\b/gi, "").trim());
}

export function capitalise(text: string): string {
  return /^[a-z][a-z'’]*(?:[\s,:!?]|\.?\s|\.?$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
