// Turns a question about the code, and the agent's answer, into a discovery.
import type { Observation } from "../../core/memory.ts";
import { clip, wholeSentences } from "../../core/prose.ts";
import type { FinalMessage } from "./final-message.ts";
import { isAnswer, isFullSentence, isNarration, standsAlone } from "./judge.ts";
import { newObservation } from "./observation.ts";
import { matches, strip } from "./sentence-patterns.ts";
import { proseIn } from "./sentences.ts";
import { statementTitle } from "./statements.ts";
import { TITLE_CHARS, type UserRequest } from "./user-request.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";

const MIN_CHARS = 120;
const ANSWER_CHARS = 420;
const POINT_CHARS = 200;
const MAX_POINTS = 4;
/** A longer sentence would lose too much when cut to TITLE_CHARS. */
const MAX_TITLE_CHARS = TITLE_CHARS * 1.6;
/** Only the first sentences can be the title: later ones go into detail. */
const TITLE_SENTENCES = 4;

export function answeredQuestion(
  { prompt }: TurnEvidence,
  request: UserRequest,
  final: FinalMessage,
): Observation | undefined {
  if (request.kind !== "question" || matches(prompt.text, "statusQuestion")) return undefined;
  const sentences = proseIn(final.sentences);
  // A short message that only announces work is not the answer.
  if (isNarration(sentences[0] ?? "") && sentences.length < 4) return undefined;
  const said = sentences.filter(isAnswer);
  const narrative = wholeSentences(said, ANSWER_CHARS);
  const title = titleOf(said, request);
  if (narrative.length < MIN_CHARS || !matches(narrative, "specific") || title === undefined) return undefined;
  return newObservation({
    type: "discovery",
    title,
    narrative,
    facts: [`Asked: ${request.title}`, ...final.points.slice(0, MAX_POINTS).map((point) => clip(point, POINT_CHARS))],
    concepts: ["how-it-works"],
    evidence: [prompt.id, final.id],
    origin: "assistant",
  });
}

/** The first sentence that can be understood without the question; else the question, if it is a full sentence. */
function titleOf(said: readonly string[], { title }: UserRequest): string | undefined {
  const sentences = said.slice(0, TITLE_SENTENCES).map((sentence) => strip(sentence, "agreement"));
  const best = sentences.find((text) => standsAlone(text, MAX_TITLE_CHARS));
  if (best !== undefined) return statementTitle(best);
  return isFullSentence(title) ? title.replaceAll("`", "") : undefined;
}
