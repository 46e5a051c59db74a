// c-mem cost: what models were asked for and what that took, by day, project, provider and model.
import { localDay } from "../../core/time.ts";
import { AppError } from "../../core/error.ts";
import { resolvePaths } from "../../config/paths.ts";
import { type CostBy, type CostRow, costs } from "../../store/ledger.ts";
import { fit, pad, padLeft } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { count, dim, EXIT, fields, heading, print, printJson } from "../output.ts";
import { positiveInteger, readScope } from "../scope.ts";
import { withStore } from "../store.ts";

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
const NAME_COLUMNS = 36;
const TABLES: readonly [CostBy, string][] = [
  ["day", "By day"],
  ["project", "By project"],
  ["provider", "By provider"],
  ["model", "By model"],
];

export function run({ flags, json }: CommandOptions): number {
  const env = process.env;
  const paths = resolvePaths(env);
  const days = flags["days"] === undefined ? DEFAULT_DAYS : positiveInteger("--days", flags["days"]);
  return withStore(paths, (db) => {
    // Money is spent for all projects alike, so all are shown unless one is named.
    const isNamed = typeof flags["project"] === "string" && flags["all"] !== true;
    const question = isNamed ? readScope(db, flags, { paths, env, cwd: process.cwd(), limit: 0 }) : undefined;
    const scope = { sinceDay: localDay(Date.now() - (days - 1) * DAY_MS), projectId: question?.scope.projectId };
    const where = question?.where ?? "all projects";
    const [total] = costs(db, "total", scope);
    if (total === undefined) {
      throw new AppError(
        "nothing_found",
        `No model was asked for anything of ${where} in the last ${count(days, "day")}.`,
        {
          hint: "None is unless you choose one: `c-mem config set provider anthropic`, openai or claude.",
        },
      );
    }
    const by = Object.fromEntries(TABLES.map(([key]) => [key, costs(db, key, scope)])) as Record<CostBy, CostRow[]>;
    if (json) {
      const tables = Object.fromEntries(TABLES.map(([key]) => [`by_${key}`, by[key].map(rowJson)]));
      printJson("cost", { total: rowJson(total), ...tables }, { where, days, since: scope.sinceDay });
      return EXIT.ok;
    }
    print(`${heading(`What models took for ${where} since ${scope.sinceDay}`)}\n${fields(totalRows(total))}`);
    for (const [key, title] of TABLES) print(`\n${tableText(title, by[key])}`);
    return EXIT.ok;
  });
}

export function usd(microUsd: number): string {
  const dollars = microUsd / 1e6;
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
}

function rowJson({ cost_microusd, ...row }: CostRow): object {
  return { ...row, cost_usd: cost_microusd / 1e6 };
}

function totalRows(total: CostRow): [string, string][] {
  const { failed, unsettled, declined, unpriced } = total;
  const notes = [
    failed > 0 && `${failed} failed`,
    unsettled > 0 && `${unsettled} broken off, at their estimate`,
    declined > 0 && `${declined.toLocaleString("en")} more not sent: over the budget`,
  ].filter((note) => note !== false);
  return [
    ["requests", [total.requests.toLocaleString("en"), ...notes].join(", ")],
    ["tokens", `${total.input_tokens.toLocaleString("en")} in, ${total.output_tokens.toLocaleString("en")} out`],
    [
      "cost",
      `${usd(total.cost_microusd)}${unpriced > 0 ? `, without ${count(unpriced, "request")} of unknown price` : ""}`,
    ],
  ];
}

function tableText(title: string, rows: readonly CostRow[]): string {
  const width = Math.max(...rows.map((row) => fit(row.name, NAME_COLUMNS).length));
  const lines = rows.map((row) => {
    const numbers = [count(row.requests, "request"), row.input_tokens, row.output_tokens].map((value) =>
      padLeft(value.toLocaleString("en"), 14),
    );
    const price = row.unpriced === row.requests && row.requests > 0 ? "unknown" : usd(row.cost_microusd);
    return `  ${pad(fit(row.name, NAME_COLUMNS), width)}${numbers.join("")}${padLeft(price, 12)}`;
  });
  const header = ["", "in", "out"].map((name) => padLeft(name, 14)).join("");
  return [heading(title), dim(`  ${pad("", width)}${header}${padLeft("cost", 12)}`), ...lines].join("\n");
}
