// A question about the code that was answered is something found out.
import type { Observation } from "../../core/memory.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { type Answer, isSpecific } from "./answer.ts";
import { type Ask, isAboutStatus, TITLE_CHARS } from "./ask.ts";
import { clip, sentencesOf, wholeSentences } from "../../core/prose.ts";
import { isFull, isNarration, statementTitle } from "./statements.ts";

const MIN_CHARS = 120;
const ANSWER_CHARS = 420;
const POINT_CHARS = 200;
const MAX_POINTS = 4;
/** Further down an answer goes into detail. */
const LOOKED_AT = 4;

export function answerObservation(evidence: TurnEvidence, ask: Ask, answer: Answer): Observation | undefined {
  if (ask.kind !== "question" || isAboutStatus(evidence.prompt.text)) return undefined;
  const sentences = answer.blocks.filter(({ kind }) => kind === "text").flatMap(({ text }) => sentencesOf(text));
  // What begins with what it is about to do is no answer yet.
  if (sentences[0] !== undefined && isNarration(sentences[0]) && sentences.length < 4) return undefined;
  const said = sentences.filter((text) => !/[?:]$/.test(text) && !isNarration(text) && text.split(/\s+/).length > 3);
  const words = wholeSentences(said, ANSWER_CHARS);
  if (words.length < MIN_CHARS || !isSpecific(words)) return undefined;
  const title = titleOf(said, ask);
  if (title === undefined) return undefined;
  return {
    type: "discovery",
    title,
    narrative: words,
    facts: [`Asked: ${ask.title}`, ...answer.points.slice(0, MAX_POINTS).map((point) => clip(point, POINT_CHARS))],
    concepts: ["how-it-works"],
    files: [],
    evidence: [evidence.prompt.id, answer.id],
    origin: "assistant",
  };
}

/** The first sentence that can be understood by itself; else the question, if that can. */
function titleOf(said: readonly string[], ask: Ask): string | undefined {
  const telling = said
    .slice(0, LOOKED_AT)
    .map(withoutYes)
    .find((text) => text.split(/\s+/).length > 4 && standsAlone(text));
  if (telling !== undefined) return statementTitle(telling);
  return isFull(ask.title) ? ask.title.replaceAll("`", "") : undefined;
}

function withoutYes(sentence: string): string {
  return sentence.replace(
    /^(?:yes|no|yep|nope|correct|right|exactly|good (?:question|catch|point)|great question|short answer|agreed|mostly yes)\b\s*[,.:;!—–-]*\s*(?:(?:but|and|with)\b[^:.]{0,40}:\s*)?/i,
    "",
  );
}

/** Understood without the question: names its subject instead of pointing at it. */
function standsAlone(sentence: string): boolean {
  const isPointing =
    /^(?:you(?:'re|’re| are)?|it(?:'s|’s)?|that(?:'s|’s)?|this|these|those|they|there|here|not|no|yes|so|but|and|or|honestly|actually|basically|short|slightly|mostly|partly|yep|fair|good|great|both|either|neither|currently|we|my|our|short answer|are|is|was|were|the (?:short|same|answer|difference|main|other|key|only|idea|main))\b/i;
  return (
    isSpecific(sentence) &&
    !/https?:/.test(sentence) &&
    !isPointing.test(sentence) &&
    sentence.length <= TITLE_CHARS * 1.6
  );
}
