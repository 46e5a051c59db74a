// The one question a turn is worth: the prompt, the record, the shape of the answer.
import { createHash } from "node:crypto";
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import { localDay } from "../../core/time.ts";
import again from "../../llm/prompts/again.md";
import record from "../../llm/prompts/turn-record.md";
import system from "../../llm/prompts/turn.md";
import type { LlmRequest, ReplySchema } from "../../llm/provider.ts";
import { fillTemplate } from "../../llm/template.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import type { TurnRecord } from "./record.ts";

/** Five observations and a summary are some 1,500 tokens; a model that thinks first needs more. */
const MAX_OUTPUT_TOKENS = 6_000;

const text = { type: "string" };
const texts = { type: "array", items: text };

const SCHEMA: ReplySchema = {
  name: "record_turn",
  about: "Records what is worth knowing of the turn. Call it once, with everything.",
  json: strict({
    observations: {
      type: "array",
      items: strict({
        type: { type: "string", enum: OBSERVATION_TYPES },
        title: text,
        subtitle: text,
        narrative: text,
        facts: texts,
        concepts: { type: "array", items: { type: "string", enum: CONCEPTS } },
        files: texts,
        evidence: texts,
      }),
    },
    summary: strict({
      request: text,
      investigated: text,
      learned: text,
      completed: text,
      next_steps: text,
      notes: text,
      evidence: texts,
    }),
  }),
};

function strict(properties: Record<string, object>): Record<string, unknown> {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** Names what the model was told; another wording is another producer's work. */
export const PROMPT_HASH = hashOf(system, record, JSON.stringify(SCHEMA));

export function turnQuestion(evidence: TurnEvidence, turn: TurnRecord): LlmRequest {
  return {
    system: system.trim(),
    text: fillTemplate(record, {
      project: evidence.project,
      date: localDay(evidence.prompt.at),
      turn: String(evidence.prompt.number),
      record: turn.text,
    }),
    schema: SCHEMA,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
  };
}

/** Whole, because nobody remembers the first time. */
export function askAgain(question: LlmRequest, problem: string): LlmRequest {
  return { ...question, text: fillTemplate(again, { question: question.text, problem }) };
}

export function questionHash(question: LlmRequest): string {
  return hashOf(question.system, question.text, JSON.stringify(question.schema));
}

function hashOf(...parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
