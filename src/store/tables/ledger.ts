// ledger: requests to models and their cost. A request is entered before it is sent, so a crash never hides a cost.
import { localDay } from "../../core/time.ts";
import type { Db } from "../db/driver.ts";
import { transaction } from "../db/transaction.ts";
import { and, raw, sql } from "../db/sql.ts";

export interface LedgerEntry {
  projectId: number;
  provider: string;
  model: string;
  purpose: string;
  requestHash: string;
}

export interface LedgerCost {
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number | undefined;
}

export type Limit = "tokensPerDay" | "tokensPerProjectAndDay" | "microUsdPerDay" | "microUsdPerProjectAndDay";
export type Limits = Record<Limit, number>;
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
      output_tokens = ${cost.outputTokens}, cost_microusd = ${cost.costMicroUsd}, is_estimate = ${cost.isEstimate}
    WHERE id = ${id}`);
}

/** Whether a request with this hash was answered before. */
export function wasAnswered(db: Db, requestHash: string): boolean {
  return db.has(sql`SELECT 1 FROM ledger WHERE request_hash = ${requestHash} AND status = 'spent'`);
}

export type DaySpent = Record<"tokens" | "microUsd" | "requests" | "declined", number>;

/** The cost of one day, in one project or in all projects. Reservations count with their highest possible cost. */
export function spentOn(db: Db, day: string, projectId?: number): DaySpent {
  return db.get(sql`SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens,
      coalesce(sum(cost_microusd), 0) AS microUsd, count(*) FILTER (WHERE status <> 'declined') AS requests,
      count(*) FILTER (WHERE status = 'declined') AS declined
    FROM ledger WHERE day = ${day} AND ${and(projectId !== undefined && sql`project_id = ${projectId}`)}`) as DaySpent;
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
} as const;

export type CostBy = keyof typeof COST_BY;

export function costs(db: Db, by: CostBy, scope: { sinceDay: string; projectId?: number | undefined }): CostRow[] {
  const name = raw(COST_BY[by]);
  return db.all(sql`SELECT ${name} AS name, count(*) FILTER (WHERE l.status <> 'declined') AS requests,
      count(*) FILTER (WHERE l.status = 'failed') AS failed, count(*) FILTER (WHERE l.is_estimate = 1) AS estimated,
      count(*) FILTER (WHERE l.status = 'reserved') AS unsettled, count(*) FILTER (WHERE l.status = 'declined') AS declined,
      sum(l.input_tokens) AS input_tokens, sum(l.output_tokens) AS output_tokens,
      coalesce(sum(l.cost_microusd), 0) AS cost_microusd, count(*) FILTER (WHERE l.cost_microusd IS NULL) AS unpriced
    FROM ledger l LEFT JOIN projects p ON p.id = l.project_id
    WHERE l.day >= ${scope.sinceDay} AND (${scope.projectId} IS NULL OR l.project_id = ${scope.projectId})
    GROUP BY ${by === "project" ? raw("l.project_id") : name}
    ORDER BY ${raw(by === "day" ? "name DESC" : "sum(l.input_tokens + l.output_tokens) DESC, name")}`);
}
