// Builds the model request for a turn: system prompt, turn record and reply schema.
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import { localDay } from "../../core/time.ts";
import again from "../../llm/prompts/again.md";
import record from "../../llm/prompts/turn-record.md";
import system from "../../llm/prompts/turn.md";
import type { LlmRequest, ReplySchema } from "../../llm/provider.ts";
import { fillTemplate } from "../../llm/template.ts";
import { sha256 } from "../../platform/crypto.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import type { TurnRecord } from "./turn-record.ts";

/** Five observations and a summary take about 1,500 tokens. Models that think first need more. */
const MAX_OUTPUT_TOKENS = 6_000;

export const SUMMARY_FIELDS = ["request", "investigated", "learned", "completed", "next_steps", "notes"] as const;

const text = { type: "string" };
const texts = { type: "array", items: text };
const oneOf = (values: readonly string[]): object => ({ type: "string", enum: values });
const strict = (properties: Record<string, object>): Record<string, unknown> => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const OBSERVATION = strict({
  type: oneOf(OBSERVATION_TYPES),
  title: text,
  subtitle: text,
  narrative: text,
  facts: texts,
  concepts: { type: "array", items: oneOf(CONCEPTS) },
  files: texts,
  evidence: texts,
});
const SUMMARY = strict({ ...Object.fromEntries(SUMMARY_FIELDS.map((name) => [name, text])), evidence: texts });
const SCHEMA: ReplySchema = {
  name: "record_turn",
  about: "Records what is worth knowing of the turn. Call it once, with everything.",
  json: strict({ observations: { type: "array", items: OBSERVATION }, summary: SUMMARY }),
};

/** Identifies prompt and schema. When it changes, answered turns may be requested again. */
export const PROMPT_HASH = hashOf(system, record, JSON.stringify(SCHEMA));

export function turnRequest({ project, prompt }: TurnEvidence, turn: TurnRecord): LlmRequest {
  const values = { project, date: localDay(prompt.at), turn: String(prompt.number), record: turn.text };
  return {
    system: system.trim(),
    text: fillTemplate(record, values),
    schema: SCHEMA,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
  };
}

/** The whole request again, with the problem of the first reply: models keep no state. */
export function repeatRequest(request: LlmRequest, problem: string): LlmRequest {
  return { ...request, text: fillTemplate(again, { question: request.text, problem }) };
}

export function requestHash({ system: prompt, text: question, schema }: LlmRequest): string {
  return hashOf(prompt, question, JSON.stringify(schema));
}

function hashOf(...parts: string[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 16);
}
