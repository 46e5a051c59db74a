// ledger: requests to models and what they cost, entered before it is spent.
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

/** `most` is entered; `likely` replaces it if the request never gets settled. */
export interface ToReserve {
  most: LedgerCost;
  likely: LedgerCost;
}

const NO_COST: LedgerCost = { inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
const DECLINED = { most: NO_COST, likely: NO_COST, status: "declined" };

/** No request takes longer: timeouts are minutes. An older reservation was left by a process that was killed. */
const RESERVED_MS = 60 * 60_000;

/**
 * Enters the most a request can take, or returns the limit it would exceed. In one transaction: of two concurrent
 * requests the second sees the first one's entry.
 */
export function reserve(
  db: Db,
  entry: LedgerEntry,
  { most, likely }: ToReserve,
  limits: Limits,
  now: number,
): Reservation {
  const day = localDay(now);
  return transaction(db, () => {
    expireReservations(db, now);
    const all = spentOn(db, day);
    const project = spentOn(db, day, entry.projectId);
    const tokens = most.inputTokens + most.outputTokens;
    const cost = most.costMicroUsd ?? 0;
    const checks: [Limit, number][] = [
      ["tokensPerDay", all.tokens + tokens],
      ["tokensPerProjectAndDay", project.tokens + tokens],
      ["microUsdPerDay", all.microUsd + cost],
      ["microUsdPerProjectAndDay", project.microUsd + cost],
    ];
    // A limit of 0 declines requests with an unknown price, too.
    const over = checks.find(([limit, wanted]) => wanted > limits[limit] || limits[limit] === 0)?.[0];
    const entered = over === undefined ? { most, likely, status: "reserved" } : DECLINED;
    const { lastId } = db.run(sql`INSERT INTO ledger
        (day, project_id, provider, model, purpose, request_hash, status, input_tokens, output_tokens, cost_microusd,
         likely_input_tokens, likely_output_tokens, likely_cost_microusd, created_at)
      VALUES (${day}, ${entry.projectId}, ${entry.provider}, ${entry.model}, ${entry.purpose}, ${entry.requestHash}, ${entered.status},
        ${entered.most.inputTokens}, ${entered.most.outputTokens}, ${entered.most.costMicroUsd},
        ${entered.likely.inputTokens}, ${entered.likely.outputTokens}, ${entered.likely.costMicroUsd}, ${now})`);
    return over === undefined ? { id: lastId } : { over };
  });
}

/** The process that reserved was killed before it could settle: the request may have been answered and billed. */
function expireReservations(db: Db, now: number): void {
  db.run(sql`UPDATE ledger SET status = 'failed', is_estimate = 1,
      input_tokens = coalesce(likely_input_tokens, input_tokens),
      output_tokens = coalesce(likely_output_tokens, output_tokens),
      cost_microusd = iif(likely_input_tokens IS NULL, cost_microusd, likely_cost_microusd)
    WHERE status = 'reserved' AND abs(${now} - created_at) > ${RESERVED_MS}`);
}

/** Replaces a reservation with what the request took. */
export function settle(
  db: Db,
  id: number,
  status: "spent" | "failed",
  cost: LedgerCost & { isEstimate: boolean },
): void {
  db.run(sql`UPDATE ledger SET status = ${status}, input_tokens = ${cost.inputTokens},
      output_tokens = ${cost.outputTokens}, cost_microusd = ${cost.costMicroUsd}, is_estimate = ${cost.isEstimate}
    WHERE id = ${id}`);
}

/** Whether this very request was answered before. */
export function wasAnswered(db: Db, requestHash: string): boolean {
  return db.has(sql`SELECT 1 FROM ledger WHERE request_hash = ${requestHash} AND status = 'spent'`);
}

export type DaySpent = Record<"tokens" | "microUsd" | "requests" | "declined", number>;

/** What one day cost, in one project or in all. Reservations count in full: a crash never hides a cost. */
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
  /** Entered at an estimate: the server reported no usage, but may bill them. */
  estimated: number;
  /** Running, or left by a process that was killed less than an hour ago: entered at the most they can take. */
  unsettled: number;
  declined: number;
  input_tokens: number;
  output_tokens: number;
  cost_microusd: number;
  /** Requests whose price is not known: the cost is without them. */
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
