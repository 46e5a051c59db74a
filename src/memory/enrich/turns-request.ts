// Builds the model request for several turns of a session: what is known, the turns' records, the reply schema.
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import { localDay } from "../../core/time.ts";
import again from "../../llm/prompts/again.md";
import record from "../../llm/prompts/turns-record.md";
import system from "../../llm/prompts/turns.md";
import type { LlmRequest, ReplySchema } from "../../llm/provider.ts";
import { fillTemplate } from "../../llm/template.ts";
import { sha256 } from "../../platform/crypto.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import type { Known } from "./known-items.ts";
import { integer, listOf, oneOf, strict, text } from "./reply-schema.ts";
import type { TurnRecord } from "./turn-record.ts";

/** A turn takes about 500 tokens of output. Models that think first need more. */
const BASE_OUTPUT_TOKENS = 4_000;
const TURN_OUTPUT_TOKENS = 1_000;
const MAX_OUTPUT_TOKENS = 12_000;

const texts = listOf(text);

const OBSERVATION = strict({
  turn: integer,
  type: oneOf(OBSERVATION_TYPES),
  title: text,
  subtitle: text,
  narrative: text,
  facts: texts,
  concepts: listOf(oneOf(CONCEPTS)),
  files: texts,
  evidence: texts,
  quote: text,
  replaces: texts,
});
const TURN = strict({
  turn: integer,
  request: text,
  investigated: text,
  learned: text,
  completed: text,
  next_steps: text,
  notes: text,
  evidence: texts,
});
const SCHEMA: ReplySchema = {
  name: "record_turns",
  about: "Records what is worth knowing of the turns. Call it once, with everything.",
  json: strict({
    observations: listOf(OBSERVATION),
    confirmed: texts,
    closed: listOf(strict({ id: text, evidence: texts })),
    turns: listOf(TURN),
  }),
};

/** Identifies prompt and schema. */
export const TURNS_PROMPT_HASH = hashOf(system, record, JSON.stringify(SCHEMA));

export interface RecordedTurn {
  evidence: TurnEvidence;
  record: TurnRecord;
}

export function turnsRequest(turns: readonly RecordedTurn[], known: Known): LlmRequest {
  const { project, prompt } = (turns[0] as RecordedTurn).evidence;
  const records = turns.map(
    ({ evidence, record: { text: shown } }) => `=== turn ${evidence.prompt.number} ===\n${shown}`,
  );
  const values = {
    project,
    date: localDay(prompt.at),
    known: known.text || "(nothing)",
    record: records.join("\n\n"),
  };
  return {
    system: system.trim(),
    text: fillTemplate(record, values),
    schema: SCHEMA,
    maxOutputTokens: Math.min(MAX_OUTPUT_TOKENS, BASE_OUTPUT_TOKENS + TURN_OUTPUT_TOKENS * turns.length),
  };
}

/** The whole request again, with the problem of the first reply: models keep no state. */
export function repeatRequest(request: LlmRequest, problem: string): LlmRequest {
  return { ...request, text: fillTemplate(again, { question: request.text, problem }) };
}

/** Of the request to this model: "openai/gpt-5.4-nano". */
export function requestHash(model: string, { system: prompt, text: question, schema }: LlmRequest): string {
  return hashOf(model, prompt, question, JSON.stringify(schema));
}

export function hashOf(...parts: string[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 16);
}
