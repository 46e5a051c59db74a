// C-Mem's own model usage: requests, tokens and dollars.
import { nothingFound } from "../core/error.ts";
import { count } from "../core/text.ts";
import { localDay } from "../core/time.ts";
import { fit, pad, padLeft } from "../platform/terminal/layout.ts";
import { dim, fields, heading } from "../platform/terminal/style.ts";
import { type CostBy, type CostRow, costs } from "../store/tables/ledger.ts";
import { defineQuery, type Zod } from "./query.ts";
import { countOf, schemaOf, whereOf } from "./schemas.ts";
import { readScope, SCOPE } from "./scope.ts";

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

const rowOf = (z: Zod) =>
  z.strictObject(
    schemaOf(z, {
      text: ["name"],
      count: ["requests", "failed", "estimated", "unsettled", "declined", "input_tokens", "output_tokens", "unpriced"],
      number: ["cost_usd"],
    }),
  );

export const cost = defineQuery({
  name: "cost",
  about: "show model usage and cost by day, project and model",
  fields: {
    project: { ...SCOPE.project, about: "only this project, by name or key" },
    all: { ...SCOPE.all, about: "every project (the default)" },
    days: { kind: "number", about: "the last days (default: 30)" },
  },
  http: { path: "/api/cost", tag: "insight" },
  reply: (z) => ({
    data: z.strictObject({
      total: rowOf(z),
      by_day: z.array(rowOf(z)),
      by_project: z.array(rowOf(z)),
      by_provider: z.array(rowOf(z)),
      by_model: z.array(rowOf(z)),
    }),
    meta: z.strictObject({ where: whereOf(z), days: countOf(z), since: z.string() }),
  }),
  run({ project, all, days = DEFAULT_DAYS }, context) {
    // The default is every project, because they share one daily limit.
    const { scope, where } = readScope({ project, all: all || project === undefined }, context);
    const span = { sinceDay: localDay(Date.now() - (days - 1) * DAY_MS), projectId: scope.projectId };
    const rows = (by: CostBy | "total") => costs(context.db, by, span).map(rowJson);
    const [total] = rows("total");
    if (total === undefined) {
      const of = where === "all projects" ? "" : ` for ${where}`;
      throw nothingFound(
        `No model usage${of} in the last ${count(days, "day")}.`,
        "Models are off by default: `c-mem config set provider anthropic`, openai or claude.",
      );
    }
    return {
      data: {
        total,
        by_day: rows("day"),
        by_project: rows("project"),
        by_provider: rows("provider"),
        by_model: rows("model"),
      },
      meta: { where, days, since: span.sinceDay },
    };
  },
  text: ({ data, meta }) =>
    [
      `${heading(`Model usage for ${meta.where} since ${meta.since}`)}\n${fields(totalRows(data.total))}`,
      tableText("By day", data.by_day),
      tableText("By project", data.by_project),
      tableText("By provider", data.by_provider),
      tableText("By model", data.by_model),
    ].join("\n\n"),
});

type Row = ReturnType<typeof rowJson>;

function rowJson({ cost_microusd, ...row }: CostRow) {
  return { ...row, cost_usd: cost_microusd / 1e6 };
}

const NAME_COLUMNS = 36;

export function usd(dollars: number): string {
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
}

function totalRows(total: Row): [string, string][] {
  const { failed, estimated, unsettled, declined, unpriced } = total;
  const notes = [
    failed > 0 && `${failed} failed`,
    estimated > 0 && `${estimated} estimated (no usage reported)`,
    unsettled > 0 && `${unsettled} unfinished (counted at their maximum)`,
    declined > 0 && `${declined.toLocaleString("en")} not sent: over budget`,
  ].filter((note) => note !== false);
  return [
    ["requests", [total.requests.toLocaleString("en"), ...notes].join(", ")],
    ["tokens", `${total.input_tokens.toLocaleString("en")} in, ${total.output_tokens.toLocaleString("en")} out`],
    ["cost", `${usd(total.cost_usd)}${unpriced > 0 ? `, without ${count(unpriced, "request")} of unknown price` : ""}`],
  ];
}

function tableText(title: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map((row) => fit(row.name, NAME_COLUMNS).length));
  const lines = rows.map((row) => {
    const numbers = [count(row.requests, "request"), row.input_tokens, row.output_tokens].map((value) =>
      padLeft(value.toLocaleString("en"), 14),
    );
    const price = row.unpriced === row.requests && row.requests > 0 ? "unknown" : usd(row.cost_usd);
    return `  ${pad(fit(row.name, NAME_COLUMNS), width)}${numbers.join("")}${padLeft(price, 12)}`;
  });
  const header = ["", "in", "out"].map((name) => padLeft(name, 14)).join("");
  return [heading(title), dim(`  ${pad("", width)}${header}${padLeft("cost", 12)}`), ...lines].join("\n");
}
