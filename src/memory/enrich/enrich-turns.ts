// Asks a model about a session's waiting turns, several in one request, checks the reply, and saves what passes.
import type { Settings } from "../../config/schema.ts";
import { EXTRACTOR, type Observation, type Producer } from "../../core/memory.ts";
import type { LlmRequest, Provider } from "../../llm/provider.ts";
import type { Db } from "../../store/db/driver.ts";
import { transaction } from "../../store/db/transaction.ts";
import { loadTurnEvidence, type TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { closeStep } from "../../store/tables/closed-steps.ts";
import { recordChecks } from "../../store/tables/ledger.ts";
import { insertLink } from "../../store/tables/links.ts";
import { deleteReply } from "../../store/tables/model-replies.ts";
import { deleteWaiting, failTurns, waitingTurns } from "../../store/tables/model-turns.ts";
import {
  confirmObservation,
  contentHash,
  getObservation,
  type ObservationRow,
  observationsOfTurn,
  supersedeByModel,
} from "../../store/tables/observations.ts";
import { findTurnKey, type TurnKey } from "../../store/tables/prompts.ts";
import { saveSession } from "../save-session.ts";
import { saveTurnMemory } from "../save-turn.ts";
import { supersedesLink } from "../supersede.ts";
import { askModel, type Enriched, kept, outcomeIfPaused } from "./ask-model.ts";
import { checkTurns, type CheckedTurns } from "./check-turns.ts";
import { mayReplace } from "./known-changes.ts";
import { endOf, knownItems } from "./known-items.ts";
import { MAX_RECORD_TOKENS, turnRecord } from "./turn-record.ts";
import { type RecordedTurn, repeatRequest, requestHash, TURNS_PROMPT_HASH, turnsRequest } from "./turns-request.ts";

export interface EnrichOptions {
  settings: Settings;
  now?: () => number;
  signal?: AbortSignal | undefined;
  /** More requests follow within minutes, so that a prompt cache pays. */
  isRepeated?: boolean;
  /** Whether the current settings allow to record this folder. */
  recording?: (cwd: string) => Recording;
}

/** Unknown: a settings file of the folder is broken. */
export type Recording = "on" | "off" | "unknown";

/** Nothing is sent or dropped until the settings can be read. */
export const UNKNOWN_SETTINGS: Enriched = {
  kind: "later",
  afterMs: 10 * 60_000,
  counts: false,
  message: "a settings file of the folder cannot be read",
};

/** Fewer characters without tool uses are not sent: the extractor's version is good enough. */
const MIN_CHARS = 400;

/** After this many turns in a row without a usable reply, the session's other turns are not sent. */
const MAX_FAILURES = 3;

interface WaitingTurn extends RecordedTurn {
  promptDbId: number;
  key: TurnKey;
}

/** Sends all waiting turns. Returns model failures as outcomes. Throws only for bugs and store errors. */
export async function enrichTurns(
  db: Db,
  provider: Provider,
  sessionDbId: number,
  options: EnrichOptions,
): Promise<Enriched> {
  const { now = Date.now } = options;
  let total = 0;
  let note = "no turn has enough content";
  let failures = 0;
  /** Turns of requests that failed, and turns that a reply left out. They are sent one by one. */
  const alone = new Set<number>();
  for (;;) {
    const paused = outcomeIfPaused(db, provider, now());
    if (paused !== undefined) return paused;
    const batch = nextBatch(db, sessionDbId, options, alone);
    if (batch === undefined) return UNKNOWN_SETTINGS;
    if (batch.length === 0) {
      // Turns that are not worth a request were skipped; others may follow.
      if (waitingTurns(db, sessionDbId).length > 0) continue;
      return total > 0 ? { kind: "saved", observations: total } : kept(note);
    }
    const outcome = await sendTurns(db, provider, sessionDbId, batch, options);
    if (outcome.kind === "later") return outcome;
    if (outcome.kind === "saved") {
      total += outcome.observations;
      failures = 0;
      for (const promptDbId of outcome.uncovered ?? []) alone.add(promptDbId);
      note = "the model noted nothing, or the turns changed during the request";
    } else {
      note = outcome.message;
      if (batch.length > 1) for (const { promptDbId } of batch) alone.add(promptDbId);
      else {
        const hasFailedOften = ++failures === MAX_FAILURES;
        failTurns(db, hasFailedOften ? waitingTurns(db, sessionDbId) : batch.map((turn) => turn.promptDbId), now());
      }
    }
  }
}

/**
 * The oldest waiting turns that fit into a request. Turns that are not worth a request no longer wait. Undefined if the
 * settings do not say whether a turn may be sent.
 */
function nextBatch(
  db: Db,
  sessionDbId: number,
  { recording = () => "on" }: EnrichOptions,
  alone: ReadonlySet<number>,
): WaitingTurn[] | undefined {
  const batch: WaitingTurn[] = [];
  const skipped: number[] = [];
  let tokens = 0;
  for (const promptDbId of waitingTurns(db, sessionDbId)) {
    const turn = loadTurn(db, promptDbId);
    const state = turn === undefined ? "off" : recording(turn.evidence.cwd);
    if (state === "unknown") return undefined;
    if (turn === undefined || state === "off") {
      skipped.push(promptDbId);
      continue;
    }
    tokens += turn.record.tokens;
    if (batch.length > 0 && (alone.has(promptDbId) || tokens > MAX_RECORD_TOKENS)) break;
    batch.push(turn);
    if (alone.has(promptDbId)) break;
  }
  const isWorthAsking = batch.some(({ evidence }) => evidence.toolUses.length > 0) || charsOf(batch) >= MIN_CHARS;
  if (!isWorthAsking) skipped.push(...batch.map(({ promptDbId }) => promptDbId));
  if (skipped.length > 0) deleteWaiting(db, skipped);
  return isWorthAsking ? batch : [];
}

function loadTurn(db: Db, promptDbId: number): WaitingTurn | undefined {
  const key = findTurnKey(db, promptDbId);
  const evidence = key && loadTurnEvidence(db, key.sessionDbId, key.promptNumber);
  return key && evidence && { promptDbId, key, evidence, record: turnRecord(evidence) };
}

function charsOf(batch: readonly WaitingTurn[]): number {
  const texts = batch.flatMap(({ evidence: { prompt, messages } }) => [
    prompt.text,
    prompt.response,
    ...messages.map(({ text }) => text),
  ]);
  return texts.reduce((sum, text) => sum + text.length, 0);
}

async function sendTurns(
  db: Db,
  provider: Provider,
  sessionDbId: number,
  batch: readonly WaitingTurn[],
  { settings, now = Date.now, signal, isRepeated = false }: EnrichOptions,
): Promise<Enriched> {
  const [first] = batch as [WaitingTurn];
  const known = knownItems(
    db,
    sessionDbId,
    batch.map(({ evidence }) => evidence),
    first.key.promptNumber,
  );
  const hasMore = isRepeated || waitingTurns(db, sessionDbId).length > batch.length;
  const request = { ...turnsRequest(batch, known), conversation: String(sessionDbId), isRepeated: hasMore };
  const producer = { name: `${provider.name}/${provider.model}`, promptHash: TURNS_PROMPT_HASH };
  let sent: LlmRequest = request;
  for (const isFirst of [true, false]) {
    const question = { projectId: first.evidence.projectId, sessionDbId, purpose: "turns", request: sent } as const;
    const answer = await askModel(db, provider, question, { settings, now, signal });
    if ("kind" in answer) return answer;
    const checked = checkTurns(answer.reply.value, batch, known);
    const hashes = [sent, request].map((one) => requestHash(producer.name, one));
    if (!("problem" in checked)) {
      const { ledgerId } = answer;
      return saveTurns(db, { sessionDbId, batch, producer, checked, ledgerId, hashes }, now());
    }
    if (!isFirst) {
      for (const hash of hashes) deleteReply(db, hash);
      return kept(`the model's answer cannot be used: ${checked.problem}`);
    }
    sent = repeatRequest(request, checked.problem);
  }
  throw new Error("unreachable");
}

interface Version {
  sessionDbId: number;
  /** The turns as they were when the request was sent. */
  batch: readonly WaitingTurn[];
  producer: Producer;
  checked: CheckedTurns;
  ledgerId: number;
  hashes: readonly string[];
}

/** Saves nothing for a turn that was renumbered or lost evidence during the request. */
function saveTurns(
  db: Db,
  { sessionDbId, batch, producer, checked, ledgerId, hashes }: Version,
  now: number,
): Enriched {
  return transaction(db, () => {
    let observations = 0;
    const uncovered = batch.filter(({ evidence }) => !checked.turns.has(evidence.prompt.number));
    for (const turn of batch) {
      const own = checked.turns.get(turn.evidence.prompt.number);
      const current = loadTurn(db, turn.promptDbId);
      if (own === undefined || current === undefined || !isSameTurn(turn, current.evidence)) continue;
      const memory = { ...own.memory, observations: withSubjects(db, current.key, own.memory.observations) };
      saveTurnMemory(db, current.key, memory, producer, now);
      observations += memory.observations.length;
      for (const [index, observation] of memory.observations.entries()) {
        const replaced = own.replaced.get(own.memory.observations[index] as Observation) ?? [];
        supersedeKnown(db, current.key, { observation, replaced, producer }, now);
      }
    }
    const lastAt = endOf(batch.map(({ evidence }) => evidence));
    for (const { id } of checked.confirmed) confirmObservation(db, id, lastAt);
    for (const end of checked.closed) closeStep(db, { ...end, closedBy: sessionDbId, producer: producer.name });
    const done = batch.filter((turn) => !uncovered.includes(turn));
    deleteWaiting(
      db,
      done.map(({ promptDbId }) => promptDbId),
    );
    recordChecks(db, ledgerId, checked.tally);
    for (const hash of hashes) deleteReply(db, hash);
    saveSession(db, sessionDbId, now);
    return { kind: "saved", observations, uncovered: uncovered.map(({ promptDbId }) => promptDbId) };
  });
}

/** Items are compared by id and time: an older version of C-Mem may have given the id of a deleted row to another. */
function isSameTurn({ evidence: shown, record: { ids } }: WaitingTurn, current: TurnEvidence): boolean {
  const timesById = ({ prompt, messages, toolUses }: TurnEvidence): Map<string, number> =>
    new Map([prompt, ...messages, ...toolUses].map(({ id, at }) => [id, at]));
  const [before, after] = [timesById(shown), timesById(current)];
  return [...ids].every((id) => before.get(id) === after.get(id));
}

interface Replacement {
  observation: Observation;
  replaced: readonly ObservationRow[];
  producer: Producer;
}

function supersedeKnown(db: Db, key: TurnKey, { observation, replaced, producer }: Replacement, now: number): void {
  const hash = contentHash(observation);
  const row = observationsOfTurn(db, key.sessionDbId, key.promptNumber).find(
    (one) => one.content_hash === hash && one.producer === producer.name && one.is_current === 1,
  );
  if (row === undefined) return;
  for (const { id } of replaced) {
    const older = getObservation(db, id);
    // A user may have changed it during the request. An old turn that is sent again replaces nothing newer.
    if (older === undefined || older.superseded_by !== null || older.is_current === 0) continue;
    if (!mayReplace(row, older) || older.valid_from > row.valid_from) continue;
    supersedeByModel(db, id, { id: row.id, at: row.valid_from, producer: producer.name });
    insertLink(db, supersedesLink(row.id, id), now);
  }
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
