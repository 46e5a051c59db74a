// Estimates what it costs to send old turns to a model, before anything is sent.
import type { Settings } from "../../config/schema.ts";
import { costOf, likelyCost } from "../../llm/budget.ts";
import type { Provider } from "../../llm/provider.ts";
import type { Db } from "../../store/db/driver.ts";
import { loadTurnEvidence } from "../../store/reads/turn-evidence.ts";
import type { UnsentTurn } from "../../store/tables/model-turns.ts";
import { sessionRecord } from "./session-record.ts";
import { sessionRequest } from "./session-request.ts";
import { MAX_RECORD_TOKENS, turnRecord } from "./turn-record.ts";
import { turnsRequest } from "./turns-request.ts";

/** Of many sessions, this many are measured. */
const MAX_MEASURED = 40;
/** Measured with replies built from labelled turns: per turn and per session. */
const TURN_OUTPUT_TOKENS = 400;
const SESSION_OUTPUT_TOKENS = 700;
const NOTHING = { text: "", notes: new Map(), openEnds: new Map() };

export interface Estimate {
  sessions: number;
  turns: number;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  /** Undefined if the price is not known. */
  costMicroUsd: number | undefined;
}

export function estimateEnrich(db: Db, provider: Provider, settings: Settings, turns: readonly UnsentTurn[]): Estimate {
  const sessions = [...Map.groupBy(turns, (turn) => turn.session_db_id)];
  const step = Math.max(1, Math.ceil(sessions.length / MAX_MEASURED));
  const measured = sessions.filter((_, index) => index % step === 0);
  let requests = 0;
  let inputTokens = 0;
  let measuredTurns = 0;
  for (const [sessionDbId, own] of measured) {
    const records = own.flatMap(({ prompt_number: turn }) => {
      const evidence = loadTurnEvidence(db, sessionDbId, turn);
      return evidence === undefined ? [] : [{ evidence, record: turnRecord(evidence) }];
    });
    const [first] = records;
    if (first === undefined) continue;
    const tokens = records.reduce((sum, { record }) => sum + record.tokens, 0);
    const batches = Math.max(1, Math.ceil(tokens / MAX_RECORD_TOKENS));
    const perRequest = likelyCost(turnsRequest([first], NOTHING), provider, settings).inputTokens - first.record.tokens;
    const session = sessionRequest(first.evidence.project, sessionRecord(db, sessionDbId));
    inputTokens += tokens + batches * perRequest + likelyCost(session, provider, settings).inputTokens;
    requests += batches + 1;
    measuredTurns += records.length;
  }
  const factor = turns.length / Math.max(1, measuredTurns);
  const outputTokens = turns.length * TURN_OUTPUT_TOKENS + sessions.length * SESSION_OUTPUT_TOKENS;
  const total = { inputTokens: Math.round(inputTokens * factor), outputTokens };
  return {
    sessions: sessions.length,
    turns: turns.length,
    requests: Math.round(requests * factor),
    ...total,
    costMicroUsd: costOf(total, provider, settings).costMicroUsd,
  };
}
