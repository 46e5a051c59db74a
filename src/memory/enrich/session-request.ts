// Builds the model request for a whole session: its record and the reply schema.
import { localDay } from "../../core/time.ts";
import record from "../../llm/prompts/session-record.md";
import system from "../../llm/prompts/session.md";
import type { LlmRequest, ReplySchema } from "../../llm/provider.ts";
import { fillTemplate } from "../../llm/template.ts";
import { integer, listOf, oneOf, strict, text } from "./reply-schema.ts";
import type { SessionRecord } from "./session-record.ts";
import { hashOf } from "./turns-request.ts";

/** A summary with a handover takes about 800 tokens. Models that think first need more. */
const MAX_OUTPUT_TOKENS = 5_000;

const texts = listOf(text);
const DECISION = strict({ title: text, by: oneOf(["user", "agent"]), quote: text, turn: integer, evidence: texts });
const SCHEMA: ReplySchema = {
  name: "record_session",
  about: "Records the summary of the session and its handover. Call it once, with everything.",
  json: strict({
    title: text,
    subtitle: text,
    request: text,
    investigated: text,
    learned: text,
    completed: text,
    notes: text,
    open: texts,
    decisions: listOf(DECISION),
    handover: texts,
    evidence: texts,
  }),
};

/** Identifies prompt and schema. */
export const SESSION_PROMPT_HASH = hashOf(system, record, JSON.stringify(SCHEMA));

export function sessionRequest(project: string, { text: shown, prompts }: SessionRecord): LlmRequest {
  const values = { project, date: localDay(prompts.at(-1)?.created_at ?? 0), record: shown };
  return {
    system: system.trim(),
    text: fillTemplate(record, values),
    schema: SCHEMA,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
  };
}
