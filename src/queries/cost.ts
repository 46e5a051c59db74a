// What models were asked for and what that took.
import { AppError } from "../core/error.ts";
import { count } from "../core/text.ts";
import { localDay } from "../core/time.ts";
import { type CostBy, type CostRow, costs } from "../store/tables/ledger.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer, Json } from "./envelope.ts";
import { positiveInteger } from "./legacy.ts";

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
const TABLES: readonly CostBy[] = ["day", "project", "provider", "model"];

export interface CostAnswer extends Answer {
  total: CostRow;
  by: Record<CostBy, CostRow[]>;
  where: string;
  sinceDay: string;
}

export function answerCost(asked: Asked): CostAnswer {
  const { db, flags } = asked;
  const days = flags["days"] === undefined ? DEFAULT_DAYS : positiveInteger("--days", flags["days"]);
  // Money is spent for all projects alike, so all are shown unless one is named.
  const isNamed = typeof flags["project"] === "string" && flags["all"] !== true;
  const question = isNamed ? questionOf(asked, 1) : undefined;
  const scope = { sinceDay: localDay(Date.now() - (days - 1) * DAY_MS), projectId: question?.scope.projectId };
  const where = question?.where ?? "all projects";
  const [total] = costs(db, "total", scope);
  if (total === undefined) {
    throw new AppError(
      "nothing_found",
      `No model was asked for anything of ${where} in the last ${count(days, "day")}.`,
      { hint: "None is unless you choose one: `c-mem config set provider anthropic`, openai or claude." },
    );
  }
  const by = Object.fromEntries(TABLES.map((key) => [key, costs(db, key, scope)])) as Record<CostBy, CostRow[]>;
  const tables = Object.fromEntries(TABLES.map((key) => [`by_${key}`, by[key].map(rowJson)]));
  return {
    data: { total: rowJson(total), ...tables },
    meta: { where, days, since: scope.sinceDay },
    total,
    by,
    where,
    sinceDay: scope.sinceDay,
  };
}

function rowJson({ cost_microusd, ...row }: CostRow): Json {
  return { ...row, cost_usd: cost_microusd / 1e6 };
}
