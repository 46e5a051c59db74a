// Who writes the memory, what waits for it, and how much of today's limits is used.
import type { Env } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { count, withCommas } from "../core/text.ts";
import { localDay } from "../core/time.ts";
import { modelAccess } from "../llm/providers.ts";
import type { Db } from "../store/db/driver.ts";
import { modelWork } from "../store/reads/model-work.ts";
import { checkedParts, spentOn } from "../store/tables/ledger.ts";

export function modelUse(db: Db, settings: Settings, env: Env, now: number) {
  const day = localDay(now);
  const { tokens, microUsd, requests } = spentOn(db, day);
  const work = modelWork(db);
  const parts = checkedParts(db, `${day.slice(0, 7)}-01`);
  return {
    provider: settings.provider,
    model: modelAccess(settings, env)?.model ?? null,
    turns_waiting: work.turns,
    sessions_waiting: work.sessions,
    turns_postponed: work.postponedTurns,
    sessions_postponed: work.postponedSessions,
    parts_kept: parts.kept,
    parts_dropped: parts.dropped,
    requests_today: requests,
    tokens_today: tokens,
    tokens_per_day: settings.tokensPerDay,
    usd_today: microUsd / 1e6,
    usd_per_day: settings.usdPerDay,
  };
}

export type ModelUse = ReturnType<typeof modelUse>;

/** "3 turns and 1 session summary wait"; undefined if nothing waits, apart from what waits until tomorrow. */
export function waitingText(use: ModelUse): string | undefined {
  return workText(use.turns_waiting - use.turns_postponed, use.sessions_waiting - use.sessions_postponed);
}

/** "2 turns wait until tomorrow"; undefined if no limit is reached. */
export function postponedText({ turns_postponed, sessions_postponed }: ModelUse): string | undefined {
  const text = workText(turns_postponed, sessions_postponed);
  return text && `${text} until tomorrow`;
}

function workText(turns: number, sessions: number): string | undefined {
  const summaries = sessions === 1 ? "1 session summary" : `${withCommas(sessions)} session summaries`;
  const parts = [...(turns > 0 ? [count(turns, "turn")] : []), ...(sessions > 0 ? [summaries] : [])];
  return parts.length === 0 ? undefined : `${parts.join(" and ")} ${turns + sessions === 1 ? "waits" : "wait"}`;
}
