// ledger: requests to models and their cost. A request is entered before it is sent, so a crash never hides a cost.
import { localDay } from "../../core/time.ts";
import type { Db } from "../db/driver.ts";
import { transaction } from "../db/transaction.ts";
import { and, raw, sql } from "../db/sql.ts";

export interface LedgerEntry {
  /** Null for a request about no project. */
  projectId: number | null;
  provider: string;
  model: string;
  purpose: string;
  requestHash: string;
}

export interface LedgerCost {
  inputTokens: number;
  outputTokens: number;
  /** Of the input tokens, those that the provider read from its prompt cache, and wrote to it. */
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  costMicroUsd: number | undefined;
}

export type Limit = "tokensPerDay" | "tokensPerProjectAndDay" | "microUsdPerDay" | "microUsdPerProjectAndDay";
export type Limits = Record<Limit, number>;

/** The beginning of the `last_error` of a job that waits for tomorrow. */
export const OVER_BUDGET = "over today's budget";

/** The daily limits of the settings. */
export function limitsOf(
  settings: Record<"tokensPerDay" | "tokensPerProjectAndDay" | "usdPerDay" | "usdPerProjectAndDay", number>,
): Limits {
  const { tokensPerDay, tokensPerProjectAndDay, usdPerDay, usdPerProjectAndDay } = settings;
  return {
    tokensPerDay,
    tokensPerProjectAndDay,
    microUsdPerDay: usdPerDay * 1e6,
    microUsdPerProjectAndDay: usdPerProjectAndDay * 1e6,
  };
}

export type Reservation = { id: number } | { over: Limit };

export interface ReservedCost {
  /** The highest possible cost. It is entered until the request is settled. */
  maximum: LedgerCost;
  /** The estimated cost. It is entered if the request is never settled. */
  likely: LedgerCost;
}

const NO_COST: LedgerCost = { inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
const DECLINED = { maximum: NO_COST, likely: NO_COST, status: "declined" };

/** No request takes longer. If a reservation is older, its process was killed. */
const RESERVED_MS = 60 * 60_000;

/**
 * Enters the highest possible cost of a request, or returns the limit that it would exceed. Runs in a transaction, so
 * that concurrent requests cannot exceed a limit together.
 */
export function reserve(
  db: Db,
  entry: LedgerEntry,
  { maximum, likely }: ReservedCost,
  limits: Limits,
  now: number,
): Reservation {
  const day = localDay(now);
  return transaction(db, () => {
    expireReservations(db, now);
    const all = spentOn(db, day);
    const project = spentOn(db, day, entry.projectId);
    const tokens = maximum.inputTokens + maximum.outputTokens;
    const cost = maximum.costMicroUsd ?? 0;
    const checks: [Limit, number][] = [
      ["tokensPerDay", all.tokens + tokens],
      ["tokensPerProjectAndDay", project.tokens + tokens],
      ["microUsdPerDay", all.microUsd + cost],
      ["microUsdPerProjectAndDay", project.microUsd + cost],
    ];
    // A limit of 0 also declines requests whose price is unknown.
    const over = checks.find(([limit, wanted]) => wanted > limits[limit] || limits[limit] === 0)?.[0];
    // A waiting request is tried again every hour, but counted once a day.
    if (over !== undefined && wasDeclined(db, day, entry.requestHash)) return { over };
    const entered = over === undefined ? { maximum, likely, status: "reserved" } : DECLINED;
    const { lastId } = db.run(sql`INSERT INTO ledger
        (day, project_id, provider, model, purpose, request_hash, status, input_tokens, output_tokens, cost_microusd,
         likely_input_tokens, likely_output_tokens, likely_cost_microusd, created_at)
      VALUES (${day}, ${entry.projectId}, ${entry.provider}, ${entry.model}, ${entry.purpose}, ${entry.requestHash}, ${entered.status},
        ${entered.maximum.inputTokens}, ${entered.maximum.outputTokens}, ${entered.maximum.costMicroUsd},
        ${entered.likely.inputTokens}, ${entered.likely.outputTokens}, ${entered.likely.costMicroUsd}, ${now})`);
    return over === undefined ? { id: lastId } : { over };
  });
}

function wasDeclined(db: Db, day: string, requestHash: string): boolean {
  return db.has(sql`SELECT 1 FROM ledger
    WHERE request_hash = ${requestHash} AND day = ${day} AND status = 'declined'`);
}

/** Marks reservations of killed processes as failed, with the estimated cost: the request may have been billed. */
function expireReservations(db: Db, now: number): void {
  db.run(sql`UPDATE ledger SET status = 'failed', is_estimate = 1,
      input_tokens = coalesce(likely_input_tokens, input_tokens),
      output_tokens = coalesce(likely_output_tokens, output_tokens),
      cost_microusd = iif(likely_input_tokens IS NULL, cost_microusd, likely_cost_microusd)
    WHERE status = 'reserved' AND abs(${now} - created_at) > ${RESERVED_MS}`);
}

/** Replaces the reserved cost with the real cost of the request. */
export function settleRequest(
  db: Db,
  id: number,
  status: "spent" | "failed",
  cost: LedgerCost & { isEstimate: boolean },
): void {
  db.run(sql`UPDATE ledger SET status = ${status}, input_tokens = ${cost.inputTokens},
      output_tokens = ${cost.outputTokens}, cost_microusd = ${cost.costMicroUsd}, is_estimate = ${cost.isEstimate},
      cache_read_tokens = ${cost.cacheReadTokens ?? 0}, cache_write_tokens = ${cost.cacheWriteTokens ?? 0}
    WHERE id = ${id}`);
}

/** The row of the last answered request with this hash. */
export function answeredRequest(db: Db, requestHash: string): number | undefined {
  return (
    db.value(sql`SELECT max(id) FROM ledger WHERE request_hash = ${requestHash} AND status = 'spent'`) ?? undefined
  );
}

/** Records how many parts of the reply passed the checks. */
export function recordChecks(db: Db, id: number, { kept, dropped }: { kept: number; dropped: number }): void {
  db.run(sql`UPDATE ledger SET kept = ${kept}, dropped = ${dropped} WHERE id = ${id}`);
}

export type DaySpent = Record<"tokens" | "microUsd" | "requests" | "declined", number>;

/** The cost of one day, in one project or in all projects. Reservations count with their highest possible cost. */
export function spentOn(db: Db, day: string, projectId?: number | null): DaySpent {
  return db.get(sql`SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens,
      coalesce(sum(cost_microusd), 0) AS microUsd, count(*) FILTER (WHERE status <> 'declined') AS requests,
      count(*) FILTER (WHERE status = 'declined') AS declined
    FROM ledger WHERE day = ${day} AND ${and(projectId !== undefined && sql`project_id IS ${projectId}`)}`) as DaySpent;
}

export interface CostRow {
  name: string;
  requests: number;
  failed: number;
  /** Requests with an estimated cost: the server reported no usage, or the process was killed. */
  estimated: number;
  /** Requests with their highest possible cost: running, or their process was killed less than an hour ago. */
  unsettled: number;
  declined: number;
  input_tokens: number;
  output_tokens: number;
  /** Of the input tokens, those read from the provider's prompt cache, and written to it. */
  cache_read_tokens: number;
  cache_write_tokens: number;
  cost_microusd: number;
  /** Requests whose price is unknown. The cost does not include them. */
  unpriced: number;
}

const COST_BY = {
  total: "'total'",
  day: "l.day",
  project: "coalesce(p.name, '(none)')",
  provider: "l.provider",
  model: "l.provider || '/' || l.model",
  // Earlier versions wrote "turn".
  kind: "iif(l.purpose = 'turn', 'turns', l.purpose)",
} as const;

export type CostBy = keyof typeof COST_BY;

export function costs(db: Db, by: CostBy, scope: { sinceDay: string; projectId?: number | undefined }): CostRow[] {
  const name = raw(COST_BY[by]);
  return db.all(sql`SELECT ${name} AS name, count(*) FILTER (WHERE l.status <> 'declined') AS requests,
      count(*) FILTER (WHERE l.status = 'failed') AS failed, count(*) FILTER (WHERE l.is_estimate = 1) AS estimated,
      count(*) FILTER (WHERE l.status = 'reserved') AS unsettled, count(*) FILTER (WHERE l.status = 'declined') AS declined,
      sum(l.input_tokens) AS input_tokens, sum(l.output_tokens) AS output_tokens,
      sum(l.cache_read_tokens) AS cache_read_tokens, sum(l.cache_write_tokens) AS cache_write_tokens,
      coalesce(sum(l.cost_microusd), 0) AS cost_microusd, count(*) FILTER (WHERE l.cost_microusd IS NULL) AS unpriced
    FROM ledger l LEFT JOIN projects p ON p.id = l.project_id
    WHERE l.day >= ${scope.sinceDay} AND (${scope.projectId} IS NULL OR l.project_id = ${scope.projectId})
    GROUP BY ${by === "project" ? raw("l.project_id") : name}
    ORDER BY ${raw(by === "day" ? "name DESC" : "sum(l.input_tokens + l.output_tokens) DESC, name")}`);
}

/** How many parts of the replies since this day passed the checks, and how many were dropped. */
export function checkedParts(db: Db, sinceDay: string): Record<"kept" | "dropped", number> {
  return db.get(sql`SELECT coalesce(sum(kept), 0) AS kept, coalesce(sum(dropped), 0) AS dropped
    FROM ledger WHERE day >= ${sinceDay}`) as Record<"kept" | "dropped", number>;
}
