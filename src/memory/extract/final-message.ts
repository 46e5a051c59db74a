// Reads the agent's last message of a turn and finds its headline: the sentence that says best what was done.
import { type Block, readBlocks } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { asHeadline, isBenefit, isPoint } from "./judge.ts";
import { proseIn, type Sentence, sentencesIn } from "./sentences.ts";

export type FinalMessage = ReturnType<typeof readFinalMessage>;

/** Reached by a verb of work ("Added …") or by "now", if the sentence is near the beginning. */
const STATES_WORK_SCORE = 2.2;
/** Reached by a name alone. */
const INFORMATIVE_SCORE = 1.3;
const MAX_POINTS = 6;

export function readFinalMessage({ messages, prompt }: TurnEvidence) {
  const last = messages.findLast(
    ({ role, text, isSubagent }) => role === "assistant" && !isSubagent && text.trim() !== "",
  );
  const id = last?.id ?? prompt.id;
  const blocks = readBlocks(last?.text ?? prompt.response);
  const sentences = sentencesIn(blocks, id);
  const { text, score } = findHeadline(sentences);
  return {
    /** Item id of the message, or of the prompt if no message was recorded. */
    id,
    blocks,
    sentences,
    /** The sentence that says what was done, or "". */
    headline: text,
    /** The headline says outright what was done: "Added …", "X now does …". */
    statesWork: score >= STATES_WORK_SCORE,
    /** The headline is good enough to be a title. */
    isInformative: score >= INFORMATIVE_SCORE,
    /** A sentence like "This stops the flood of requests.", or "". */
    benefit: proseIn(sentences).find(isBenefit) ?? "",
    /** List items about the work done. */
    points: blocks.filter(isPoint).map(pointText).slice(0, MAX_POINTS),
  };
}

const MAX_BLOCKS = 14;
const SENTENCES_PER_BLOCK = 3;

/** Earlier blocks and earlier sentences score higher. */
function findHeadline(sentences: readonly Sentence[]): { text: string; score: number } {
  let best = { text: "", score: 0 };
  const blocks = [...Map.groupBy(sentences, ({ block }) => block).values()].slice(0, MAX_BLOCKS);
  for (const [index, inBlock] of blocks.entries()) {
    for (const [position, sentence] of inBlock.slice(0, SENTENCES_PER_BLOCK).entries()) {
      const { text, score: ownScore } = asHeadline(sentence);
      const score = ownScore - index * 0.25 - position * 0.4;
      if (score > best.score) best = { text, score };
    }
  }
  return { ...best, text: best.text.replace(/[:;]$/, ".") };
}

/** An item in a section titled "src/a.ts" -> "src/a.ts: Retry twice" */
function pointText({ text, section }: Block): string {
  const isPath = /^`?[\w@./-]+\.\w{1,5}`?$/.test(section);
  return isPath ? `${section.replaceAll("`", "")}: ${text}` : text;
}
