// Sends one request to the model if the budget allows it. Failures of the model become outcomes, not exceptions. A reply
// is stored with its cost, so that it is not paid for again if the process dies before it is saved as memory.
import type { Settings } from "../../config/schema.ts";
import { failedCost, likelyCost, maximumCost, replyCost } from "../../llm/budget.ts";
import { nextDay } from "../../core/time.ts";
import { LlmError, actionAfterFailure } from "../../llm/error.ts";
import type { LlmReply, LlmRequest, Provider } from "../../llm/provider.ts";
import type { Db } from "../../store/db/driver.ts";
import { transaction } from "../../store/db/transaction.ts";
import {
  answeredRequest,
  type Limit,
  limitsOf,
  OVER_BUDGET,
  reserve,
  settleRequest,
} from "../../store/tables/ledger.ts";
import { clearPauses, findPause, isActivePause, pauseModel } from "../../store/tables/model-pauses.ts";
import { findReply, insertReply } from "../../store/tables/model-replies.ts";
import { requestHash } from "./turns-request.ts";

/** The outcome of asking a model about turns or a session. */
export type Enriched =
  /** The model's version was saved and is now the current one. `uncovered`: turns of which the reply says nothing usable. */
  | { kind: "saved"; observations: number; uncovered?: readonly number[] }
  /** Nothing was saved: the version that was current stays current. */
  | { kind: "kept"; message: string }
  /**
   * Retry after `afterMs`. `counts`: this was a failed attempt, because the request itself may be the cause.
   * `isWaiting`: nothing failed, and the retry may be earlier.
   */
  | { kind: "later"; afterMs: number; counts: boolean; isWaiting?: true; message: string };

export function kept(message: string): Enriched {
  return { kind: "kept", message };
}

/** The job queue treats a longer wait as a clock error and runs the job at once. */
const MAX_WAIT_MS = 60 * 60_000;

function later(afterMs: number, counts: boolean, message: string): Enriched {
  return { kind: "later", afterMs: Math.min(afterMs, MAX_WAIT_MS), counts, message };
}

/** The outcome if the provider is paused after a failure; undefined if it is not. */
export function outcomeIfPaused(db: Db, provider: Provider, now: number): Enriched | undefined {
  const pause = findPause(db, provider.fingerprint);
  if (pause === undefined || !isActivePause(pause, now)) return undefined;
  return later(pause.until === null ? MAX_WAIT_MS : pause.until - now, false, `${pause.kind}: ${pause.message}`);
}

export interface AskOptions {
  settings: Settings;
  now: () => number;
  signal?: AbortSignal | undefined;
}

export interface Question {
  projectId: number;
  sessionDbId: number;
  purpose: "turns" | "session";
  request: LlmRequest;
}

/** A reply, and the ledger row of its request. */
export interface Answer {
  reply: LlmReply;
  ledgerId: number;
}

const REASONS: Readonly<Record<Limit, string>> = {
  tokensPerDay: `${OVER_BUDGET} in tokens (tokensPerDay)`,
  tokensPerProjectAndDay: `${OVER_BUDGET} in tokens for this project (tokensPerProjectAndDay)`,
  microUsdPerDay: `${OVER_BUDGET} in dollars (usdPerDay)`,
  microUsdPerProjectAndDay: `${OVER_BUDGET} in dollars for this project (usdPerProjectAndDay)`,
};

export async function askModel(
  db: Db,
  provider: Provider,
  { projectId, sessionDbId, purpose, request }: Question,
  { settings, now, signal }: AskOptions,
): Promise<Answer | Enriched> {
  const { name, model, fingerprint } = provider;
  const hash = requestHash(`${name}/${model}`, request);
  const stored = findReply(db, hash) as LlmReply | undefined;
  const answered = stored && answeredRequest(db, hash);
  if (stored !== undefined && answered !== undefined) return { reply: stored, ledgerId: answered };
  const likely = likelyCost(request, provider, settings);
  const entry = { projectId, provider: name, model, purpose, requestHash: hash };
  const reservation = reserve(
    db,
    entry,
    { maximum: maximumCost(request, provider, settings), likely },
    limitsOf(settings),
    now(),
  );
  if ("over" in reservation) return later(nextDay(now()) - now(), false, REASONS[reservation.over]);
  try {
    const reply = await provider.complete(request, signal === undefined ? {} : { signal });
    transaction(db, () => {
      settleRequest(db, reservation.id, "spent", replyCost(reply.usage, likely, provider, settings));
      insertReply(db, { requestHash: hash, sessionDbId, reply }, now());
      clearPauses(db, fingerprint);
    });
    return { reply, ledgerId: reservation.id };
  } catch (error) {
    const spent = error instanceof LlmError ? error.spent : "unknown";
    settleRequest(db, reservation.id, "failed", failedCost(spent, likely, provider, settings));
    if (error instanceof LlmError) return afterFailure(db, provider, error, now());
    throw error;
  }
}

function afterFailure(db: Db, { fingerprint }: Provider, error: LlmError, now: number): Enriched {
  const { kind, message } = error;
  const times = findPause(db, fingerprint)?.times ?? 0;
  const next = actionAfterFailure(error, times);
  if (next.kind === "give-up") return kept(message);
  if (next.kind === "again") return later(0, false, message);
  const until = next.kind === "stop" ? null : now + next.afterMs;
  transaction(db, () => pauseModel(db, fingerprint, { kind, message, times: times + 1, until, created_at: now }));
  return next.kind === "stop" ? later(MAX_WAIT_MS, false, message) : later(next.afterMs, next.counts, message);
}
