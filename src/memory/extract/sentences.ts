// Splits the texts of a turn into sentences and classifies them.
import { type Block, readBlocks, sentencesOf } from "../../core/prose.ts";
import type { ObservationType } from "../../core/memory.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { classifySentences, classifyTurn, type Verdict } from "../sentences/classify.ts";
import type { SourceSentence } from "../sentences/features.ts";
import { sentenceModel, TURN_TYPES } from "../sentences/model.ts";
import { subagentReports } from "../sources/subagent-reports.ts";
import { isEnglish } from "./language.ts";

export interface Sentence {
  text: string;
  /** Item id of its prompt or message. */
  id: string;
  from: SourceSentence["from"];
  /** Its paragraph or list item. */
  block: Block;
  verdict: Verdict;
}

/** The latest messages of a long turn have its results. */
const MAX_MESSAGES = 60;
const MAX_PER_MESSAGE = 150;
const MIN_CHARS = 12;
const MAX_CHARS = 600;

export interface ReadTurn {
  /** Blocks of the agent's last message. */
  blocks: Block[];
  /** Item id of the last message, or of the prompt if no message was recorded. */
  finalId: string;
  /** Without the sentences of texts that are not English, and empty without the model's weights. */
  sentences: Sentence[];
  /** The most probable type, except none. */
  type: ObservationType | undefined;
}

export function readSentences(evidence: TurnEvidence, changedFiles: readonly string[]): ReadTurn {
  const { prompt } = evidence;
  const said = evidence.messages.filter(
    ({ role, isSubagent, text }) => role === "assistant" && !isSubagent && text.trim() !== "",
  );
  const last = said.at(-1) ?? { id: prompt.id, text: prompt.response };
  const blocks = readBlocks(last.text);
  const model = sentenceModel();
  if (model === undefined) return { blocks, finalId: last.id, sentences: [], type: undefined };
  const split = [
    ...splitText(prompt.text, readBlocks(prompt.text), prompt.id, "user"),
    ...said.slice(-MAX_MESSAGES, -1).flatMap(({ id, text }) => splitText(text, readBlocks(text), id, "agent-mid")),
    ...subagentReports(evidence).flatMap(({ id, text, blocks: own }) => splitText(text, own, id, "agent-mid")),
    ...splitText(last.text, blocks, last.id, "agent-last"),
  ];
  const turn = {
    prompt: prompt.text,
    nextPrompt: prompt.next,
    changedFiles,
    sentences: split.map(({ text, from, block: { kind, section } }): SourceSentence => {
      return { text, from, section, kind: kind === "item" ? "item" : "text" };
    }),
  };
  const verdicts = classifySentences(model, turn);
  const types = classifyTurn(model, turn);
  const best = TURN_TYPES.filter((type) => type !== "none").reduce((a, b) => (types[b] > types[a] ? b : a));
  return {
    blocks,
    finalId: last.id,
    sentences: split.map((sentence, index) => ({ ...sentence, verdict: verdicts[index] as Verdict })),
    type: best,
  };
}

function splitText(
  text: string,
  blocks: readonly Block[],
  id: string,
  from: Sentence["from"],
): Omit<Sentence, "verdict">[] {
  if (!isEnglish(text)) return [];
  return blocks
    .filter(({ kind }) => kind !== "heading")
    .flatMap((block) => sentencesOf(block.text).map((sentence) => ({ text: sentence, id, from, block })))
    .filter(({ text: { length } }) => length >= MIN_CHARS && length <= MAX_CHARS)
    .slice(0, MAX_PER_MESSAGE);
}

/** "the cache expires" -> "The cache expires"; a code name stays: "useApi returns …" */
export function capitalise(text: string): string {
  return /^[a-z][a-z'’]*(?:[\s,:!?]|\.?\s|\.?$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** What the agent found while it worked may have been fixed since: only its last message tells the outcome. */
export function isOutcome({ from, verdict: { chances } }: Sentence): boolean {
  return from === "agent-last" || chances.W > chances.F;
}
