// A model's version of a turn: one question within the budget, the answer checked, and saved only if it holds.
import type { Settings } from "../../config/schema.ts";
import type { Producer } from "../../core/memory.ts";
import type { LlmRequest, Provider } from "../../llm/provider.ts";
import type { Db } from "../../store/db/driver.ts";
import { wasAnswered } from "../../store/tables/ledger.ts";
import { findPromptPlace } from "../../store/tables/prompts.ts";
import { summariesOfTurn } from "../../store/tables/summaries.ts";
import { loadTurnEvidence, type TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { askModel, whilePausing } from "./ask.ts";
import { checkReply } from "./check-reply.ts";
import { type Enriched, kept } from "./outcome.ts";
import { askAgain, PROMPT_HASH, questionHash, turnQuestion } from "./question.ts";
import { turnRecord } from "./record.ts";
import { saveVersion } from "./save-version.ts";
import { parseXmlReply } from "./xml-reply.ts";
import type { TurnPlace } from "../save.ts";

export interface EnrichOptions {
  settings: Settings;
  now?: () => number;
  signal?: AbortSignal;
  /** Whether nothing of what happens in this folder may be recorded, as the settings are now. */
  isExcluded?: (cwd: string) => boolean;
}

export type { Enriched } from "./outcome.ts";

/** A turn of fewer words without any tool has nothing to it that the extractor could not say. */
const MIN_WORDS_CHARS = 400;

/** Throws only for what is a bug or trouble of the store: what a model can do wrong is an outcome. */
export async function enrichTurn(
  db: Db,
  provider: Provider,
  promptDbId: number,
  { settings, now = Date.now, signal, isExcluded = () => false }: EnrichOptions,
): Promise<Enriched> {
  const pausing = whilePausing(db, provider, now());
  if (pausing !== undefined) return pausing;
  const place = findPromptPlace(db, promptDbId);
  const evidence = place && loadTurnEvidence(db, place.sessionDbId, place.promptNumber);
  if (place === undefined || evidence === undefined) return kept("gone", "the turn is not there any more");
  if (isExcluded(evidence.cwd)) return kept("excluded", "what happens there is not to be recorded any more");
  if (!isWorthAsking(evidence)) return kept("nothing-to-say", "there is next to nothing in this turn");
  const record = turnRecord(evidence);
  const question = turnQuestion(evidence, record);
  const producer = { name: `${provider.name}/${provider.model}`, promptHash: PROMPT_HASH };
  if (isAnswered(db, producer, place, question)) return kept("answered-before", "this was asked and answered before");

  const ask = (request: LlmRequest) =>
    askModel(db, provider, { projectId: evidence.projectId, request }, { settings, now, signal });
  let problem = "";
  for (const isFirst of [true, false]) {
    const reply = await ask(isFirst ? question : askAgain(question, problem));
    if ("kind" in reply) return reply;
    const checked = checkReply(reply.value ?? parseXmlReply(reply.text), evidence, record);
    if (!("problem" in checked)) {
      return saveVersion(db, { promptDbId, producer, ids: record.ids, shown: evidence, ...checked }, now());
    }
    problem = checked.problem;
  }
  return kept("unusable", `the model's answer cannot be used: ${problem}`);
}

function isWorthAsking({ prompt, messages, toolUses }: TurnEvidence): boolean {
  if (toolUses.length > 0) return true;
  const said = messages.reduce((sum, message) => sum + message.text.length, prompt.response.length);
  return prompt.text.length + said >= MIN_WORDS_CHARS;
}

/** After a kill between the answer and the end of the job, or where nothing new has come: not paid for twice. */
function isAnswered(db: Db, producer: Producer, place: TurnPlace, question: LlmRequest): boolean {
  const versions = summariesOfTurn(db, place.sessionDbId, place.promptNumber);
  const own = versions.some((row) => row.producer === producer.name && row.prompt_hash === producer.promptHash);
  return own && wasAnswered(db, questionHash(question));
}
