// ledger: what models were asked and what that took, entered before it is spent.
import { localDay } from "../../core/time.ts";
import type { Db, Param } from "../db/driver.ts";
import { transaction } from "../db/transaction.ts";

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

export interface Limits {
  tokensPerDay: number;
  tokensPerProjectAndDay: number;
  microUsdPerDay: number;
  microUsdPerProjectAndDay: number;
}

export type Limit = keyof Limits;
export type Reservation = { id: number } | { over: Limit };

/** The most a question can take is entered; `likely` takes its place if it never gets settled. */
export interface ToReserve {
  most: LedgerCost;
  likely: LedgerCost;
}

/** No question takes longer: timeouts are minutes. An older reservation was left by a process that was killed. */
const RESERVED_MS = 60 * 60_000;

/**
 * Enters the most a question can take, or says which limit stands against it. The whole of it in one transaction: of
 * two that ask at once the second sees the first's entry.
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
    // Of an unknown price only what was spent before is known: that alone may be all there is.
    const over = checks.find(([limit, wanted]) => wanted > limits[limit] || limits[limit] === 0)?.[0];
    const status = over === undefined ? "reserved" : "declined";
    const none: LedgerCost = { inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
    const entered = over === undefined ? { cost: most, likely } : { cost: none, likely: none };
    const id = insertEntry(db, { ...entry, ...entered, day, status, now });
    return over === undefined ? { id } : { over };
  });
}

/** The process that reserved was killed before it could settle: the question may have been answered and billed. */
function expireReservations(db: Db, now: number): void {
  db.run(
    `UPDATE ledger SET status = 'failed', is_estimate = 1, input_tokens = coalesce(likely_input_tokens, input_tokens),
       output_tokens = coalesce(likely_output_tokens, output_tokens),
       cost_microusd = iif(likely_input_tokens IS NULL, cost_microusd, likely_cost_microusd)
     WHERE status = 'reserved' AND abs(? - created_at) > ?`,
    now,
    RESERVED_MS,
  );
}

/** Once it is over: what it took. */
export function settle(
  db: Db,
  id: number,
  status: "spent" | "failed",
  cost: LedgerCost & { isEstimate: boolean },
): void {
  db.run(
    "UPDATE ledger SET status = ?, input_tokens = ?, output_tokens = ?, cost_microusd = ?, is_estimate = ? WHERE id = ?",
    status,
    cost.inputTokens,
    cost.outputTokens,
    cost.costMicroUsd ?? null,
    Number(cost.isEstimate),
    id,
  );
}

/** Whether this very question has been answered before. */
export function wasAnswered(db: Db, requestHash: string): boolean {
  return db.get("SELECT 1 FROM ledger WHERE request_hash = ? AND status = 'spent'", requestHash) !== undefined;
}

function insertEntry(
  db: Db,
  entry: LedgerEntry & { day: string; status: string; cost: LedgerCost; likely: LedgerCost; now: number },
): number {
  return db.run(
    `INSERT INTO ledger (day, project_id, provider, model, purpose, request_hash, status, input_tokens, output_tokens, cost_microusd,
       likely_input_tokens, likely_output_tokens, likely_cost_microusd, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    entry.day,
    entry.projectId,
    entry.provider,
    entry.model,
    entry.purpose,
    entry.requestHash,
    entry.status,
    entry.cost.inputTokens,
    entry.cost.outputTokens,
    entry.cost.costMicroUsd ?? null,
    entry.likely.inputTokens,
    entry.likely.outputTokens,
    entry.likely.costMicroUsd ?? null,
    entry.now,
  ).lastId;
}

export interface DaySpent {
  tokens: number;
  microUsd: number;
  requests: number;
  declined: number;
}

/** Of one day, in one project or in all. Reservations count in full: a crash never hides a cost. */
export function spentOn(db: Db, day: string, projectId?: number): DaySpent {
  const condition = projectId === undefined ? "" : " AND project_id = ?";
  const params: Param[] = projectId === undefined ? [day] : [day, projectId];
  return db.get<DaySpent>(
    `SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens, coalesce(sum(cost_microusd), 0) AS microUsd,
       count(*) FILTER (WHERE status <> 'declined') AS requests, count(*) FILTER (WHERE status = 'declined') AS declined
     FROM ledger WHERE day = ?${condition}`,
    ...params,
  ) as DaySpent;
}

export interface CostRow {
  name: string;
  requests: number;
  failed: number;
  /** Entered at an estimate: the server reported no usage, but may bill them. */
  estimated: number;
  /** Being asked, or left by a process that was killed less than an hour ago: entered at the most they can take. */
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
  const key = COST_BY[by];
  return db.all(
    `SELECT ${key} AS name, count(*) FILTER (WHERE l.status <> 'declined') AS requests,
       count(*) FILTER (WHERE l.status = 'failed') AS failed, count(*) FILTER (WHERE l.is_estimate = 1) AS estimated, count(*) FILTER (WHERE l.status = 'reserved') AS unsettled,
       count(*) FILTER (WHERE l.status = 'declined') AS declined,
       sum(l.input_tokens) AS input_tokens, sum(l.output_tokens) AS output_tokens,
       coalesce(sum(l.cost_microusd), 0) AS cost_microusd, count(*) FILTER (WHERE l.cost_microusd IS NULL) AS unpriced
     FROM ledger l LEFT JOIN projects p ON p.id = l.project_id
     WHERE l.day >= ?1 AND (?2 IS NULL OR l.project_id = ?2)
     GROUP BY ${by === "project" ? "l.project_id" : key}
     ORDER BY ${by === "day" ? "name DESC" : "sum(l.input_tokens + l.output_tokens) DESC, name"}`,
    scope.sinceDay,
    scope.projectId ?? null,
  );
}
