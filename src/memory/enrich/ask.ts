// One request from reservation to settlement, and what is to be done where it fails.
import type { Settings } from "../../config/schema.ts";
import { failedCost, likelyCost, maximumCost, replyCost } from "../../llm/budget.ts";
import { LlmError, nextAfter } from "../../llm/error.ts";
import type { LlmReply, LlmRequest, Provider } from "../../llm/provider.ts";
import type { Db } from "../../store/db/driver.ts";
import { type Limit, type Limits, reserve, settle } from "../../store/tables/ledger.ts";
import { clearPauses, findPause, isPausing, pauseModel } from "../../store/tables/model-pauses.ts";
import { transaction } from "../../store/db/transaction.ts";
import { type Enriched, kept, later, LONGEST_MS } from "./outcome.ts";
import { questionHash } from "./question.ts";

export interface AskOptions {
  settings: Settings;
  now: () => number;
  signal?: AbortSignal | undefined;
}

/** Undefined: the provider may be asked. */
export function whilePausing(db: Db, provider: Provider, now: number): Enriched | undefined {
  const pause = findPause(db, provider.fingerprint);
  if (pause === undefined || !isPausing(pause, now)) return undefined;
  return later(pause.until === null ? LONGEST_MS : pause.until - now, false, `${pause.kind}: ${pause.message}`);
}

export async function askModel(
  db: Db,
  provider: Provider,
  { projectId, request }: { projectId: number; request: LlmRequest },
  { settings, now, signal }: AskOptions,
): Promise<LlmReply | Enriched> {
  const most = maximumCost(request, provider, settings);
  const likely = likelyCost(request, provider, settings);
  const entry = {
    projectId,
    provider: provider.name,
    model: provider.model,
    purpose: "turn",
    requestHash: questionHash(request),
  };
  const reservation = reserve(db, entry, { most, likely }, limitsOf(settings), now());
  if ("over" in reservation) return kept("over-budget", OVER[reservation.over]);
  try {
    const reply = await provider.complete(request, signal === undefined ? {} : { signal });
    transaction(db, () => {
      settle(db, reservation.id, "spent", replyCost(reply.usage, likely, provider, settings));
      clearPauses(db, provider.fingerprint);
    });
    return reply;
  } catch (error) {
    const known = error instanceof LlmError ? error : undefined;
    settle(db, reservation.id, "failed", failedCost(known?.spent ?? "unknown", likely, provider, settings));
    if (known === undefined) throw error;
    return afterFailure(db, provider, known, now());
  }
}

function limitsOf(settings: Settings): Limits {
  return {
    tokensPerDay: settings.tokensPerDay,
    tokensPerProjectAndDay: settings.tokensPerProjectAndDay,
    microUsdPerDay: settings.usdPerDay * 1e6,
    microUsdPerProjectAndDay: settings.usdPerProjectAndDay * 1e6,
  };
}

const OVER: Readonly<Record<Limit, string>> = {
  tokensPerDay: "over today's budget in tokens (tokensPerDay)",
  tokensPerProjectAndDay: "over today's budget in tokens for this project (tokensPerProjectAndDay)",
  microUsdPerDay: "over today's budget in dollars (usdPerDay)",
  microUsdPerProjectAndDay: "over today's budget in dollars for this project (usdPerProjectAndDay)",
};

function afterFailure(db: Db, provider: Provider, error: LlmError, now: number): Enriched {
  const before = findPause(db, provider.fingerprint)?.times ?? 0;
  const next = nextAfter(error, before);
  const pause = (until: number | null): void => {
    const { kind, message } = error;
    const times = before + 1;
    transaction(db, () => pauseModel(db, provider.fingerprint, { kind, message, times, until, created_at: now }));
  };
  switch (next.kind) {
    case "stop":
      pause(null);
      return later(LONGEST_MS, false, error.message);
    case "pause":
      pause(now + next.afterMs);
      return later(next.afterMs, next.counts, error.message);
    case "again":
      return later(0, false, error.message);
    case "give-up":
      return kept("unusable", error.message);
  }
}
