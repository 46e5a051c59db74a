// Asks a model for its version of a turn, checks the reply, and saves it if it is valid.
import type { Settings } from "../../config/schema.ts";
import { EXTRACTOR, type Observation, type Producer, type TurnMemory } from "../../core/memory.ts";
import type { LlmRequest, Provider } from "../../llm/provider.ts";
import type { Db } from "../../store/db/driver.ts";
import { transaction } from "../../store/db/transaction.ts";
import { loadTurnEvidence, type TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { wasAnswered } from "../../store/tables/ledger.ts";
import { observationsOfTurn } from "../../store/tables/observations.ts";
import { findTurnKey, type TurnKey } from "../../store/tables/prompts.ts";
import { summariesOfTurn } from "../../store/tables/summaries.ts";
import { saveTurnMemory } from "../save-turn.ts";
import { askModel, type Enriched, kept, outcomeIfPaused } from "./ask-model.ts";
import { checkReply } from "./check-reply.ts";
import { PROMPT_HASH, repeatRequest, requestHash, turnRequest } from "./turn-prompt.ts";
import { turnRecord } from "./turn-record.ts";
import { parseXmlReply } from "./xml-reply.ts";

export interface EnrichOptions {
  settings: Settings;
  now?: () => number;
  signal?: AbortSignal;
  /** Whether the current settings exclude this folder. */
  isExcluded?: (cwd: string) => boolean;
}

const TURN_DELETED = kept("the turn was deleted");
/** Shorter turns without tool uses are not sent: the extractor's version is good enough. */
const MIN_TURN_CHARS = 400;

/** Returns model failures as outcomes. Throws only for bugs and store errors. */
export async function enrichTurn(
  db: Db,
  provider: Provider,
  promptDbId: number,
  { settings, now = Date.now, signal, isExcluded = () => false }: EnrichOptions,
): Promise<Enriched> {
  const paused = outcomeIfPaused(db, provider, now());
  if (paused !== undefined) return paused;
  const turn = loadTurn(db, promptDbId);
  if (turn === undefined) return TURN_DELETED;
  const { key, evidence } = turn;
  if (isExcluded(evidence.cwd)) return kept("its folder is excluded from recording");
  if (!isWorthAsking(evidence)) return kept("the turn has too little content");
  const record = turnRecord(evidence);
  const request = turnRequest(evidence, record);
  const producer = { name: `${provider.name}/${provider.model}`, promptHash: PROMPT_HASH };
  if (isAnswered(db, producer, key, request)) return kept("the same request was answered before");

  let problem = "";
  for (const isFirst of [true, false]) {
    const sent = isFirst ? request : repeatRequest(request, problem);
    const reply = await askModel(
      db,
      provider,
      { projectId: evidence.projectId, request: sent },
      { settings, now, signal },
    );
    if ("kind" in reply) return reply;
    const checked = checkReply(reply.value ?? parseXmlReply(reply.text), evidence, record);
    if (!("problem" in checked)) {
      return saveVersion(db, { promptDbId, producer, ids: record.ids, shown: evidence, ...checked }, now());
    }
    problem = checked.problem;
  }
  return kept(`the model's answer cannot be used: ${problem}`);
}

function loadTurn(db: Db, promptDbId: number): { key: TurnKey; evidence: TurnEvidence } | undefined {
  const key = findTurnKey(db, promptDbId);
  const evidence = key && loadTurnEvidence(db, key.sessionDbId, key.promptNumber);
  return key && evidence && { key, evidence };
}

function isWorthAsking({ prompt, messages, toolUses }: TurnEvidence): boolean {
  const said = messages.reduce((sum, message) => sum + message.text.length, prompt.response.length);
  return toolUses.length > 0 || prompt.text.length + said >= MIN_TURN_CHARS;
}

/** True if an answer to this request is saved. A repeated job and an unchanged turn then cost nothing. */
function isAnswered(db: Db, producer: Producer, key: TurnKey, request: LlmRequest): boolean {
  const versions = summariesOfTurn(db, key.sessionDbId, key.promptNumber);
  const isOwn = versions.some((row) => row.producer === producer.name && row.prompt_hash === producer.promptHash);
  return isOwn && wasAnswered(db, requestHash(request));
}

interface Version {
  promptDbId: number;
  producer: Producer;
  /** Ids of the items that the model was shown. */
  ids: ReadonlySet<string>;
  /** The turn when the request was sent. */
  shown: TurnEvidence;
  memory: TurnMemory;
}

/** Saves nothing if the turn was renumbered or lost evidence during the request. */
function saveVersion(db: Db, { promptDbId, producer, ids, shown, memory }: Version, now: number): Enriched {
  return transaction(db, () => {
    const turn = loadTurn(db, promptDbId);
    if (turn === undefined) return TURN_DELETED;
    const [before, after] = [timesById(shown), timesById(turn.evidence)];
    if ([...ids].some((id) => before.get(id) !== after.get(id))) {
      return kept("the turn changed while the model was working");
    }
    const observations = withSubjects(db, turn.key, memory.observations);
    saveTurnMemory(db, turn.key, { ...memory, observations }, producer, now);
    return { kind: "saved", observations: observations.length };
  });
}

/** Items are compared by id and time: an older version of C-Mem may have given the id of a deleted row to another. */
function timesById({ prompt, messages, toolUses }: TurnEvidence): Map<string, number> {
  return new Map([prompt, ...messages, ...toolUses].map(({ id, at }) => [id, at]));
}

/**
 * Copies the subjects of the extractor's observations, because models give none and subjects decide what is superseded.
 * Each goes to the model's observation of the same type that shares most of its evidence.
 */
function withSubjects(db: Db, key: TurnKey, observations: readonly Observation[]): Observation[] {
  const subjects = new Map<Observation, string>();
  for (const row of observationsOfTurn(db, key.sessionDbId, key.promptNumber)) {
    if (row.producer !== EXTRACTOR.name || row.subject === null) continue;
    const cited = new Set(JSON.parse(row.evidence) as string[]);
    const shared = (one: Observation): number => one.evidence.filter((id) => cited.has(id)).length;
    const [best] = observations
      .filter((one) => one.type === row.type && shared(one) > 0 && !subjects.has(one))
      .toSorted((a, b) => shared(b) - shared(a));
    if (best !== undefined) subjects.set(best, row.subject);
  }
  return observations.map((one) => (subjects.has(one) ? { ...one, subject: subjects.get(one) as string } : one));
}
