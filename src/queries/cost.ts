// C-Mem's own model usage: requests, tokens and dollars.
import { userSettings } from "../config/load.ts";
import { PROVIDERS } from "../config/schema.ts";
import { nothingFound } from "../core/error.ts";
import { count, withCommas } from "../core/text.ts";
import { localDay } from "../core/time.ts";
import { requestKindLabel } from "../llm/request-kinds.ts";
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
      count: [
        "requests",
        "failed",
        "estimated",
        "unsettled",
        "declined",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "unpriced",
      ],
      number: ["cost_usd"],
    }),
  );

export const cost = defineQuery({
  name: "cost",
  about: "show model usage and cost by day, project, model and kind",
  fields: {
    project: { ...SCOPE.project, about: "only this project, by name or key" },
    all: { ...SCOPE.all, about: "every project (the default)" },
    days: { kind: "number", max: 36_500, about: "the last days (default: 30)" },
  },
  http: { path: "/api/cost", tag: "insight" },
  reply: (z) => ({
    data: z.strictObject({
      total: rowOf(z),
      by_day: z.array(rowOf(z)),
      by_project: z.array(rowOf(z)),
      by_provider: z.array(rowOf(z)),
      by_model: z.array(rowOf(z)),
      by_kind: z.array(rowOf(z)).meta({ description: "turns, session (its summary) or test (doctor --try-model)" }),
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
        userSettings(context.paths, context.env).provider === "none"
          ? `The built-in extractor writes the memory. To choose a model: \`c-mem config set provider NAME\` (${CHOICES}).`
          : "`c-mem status` shows what waits for the model.",
      );
    }
    return {
      data: {
        total,
        by_day: rows("day"),
        by_project: rows("project"),
        by_provider: rows("provider"),
        by_model: rows("model"),
        by_kind: rows("kind"),
      },
      meta: { where, days, since: span.sinceDay },
    };
  },
  text: ({ data, meta }) =>
    [
      `${heading(`Model usage for ${meta.where} since ${meta.since}`)}\n${fields(totalRows(data.total))}`,
      tableText("By day", data.by_day),
      tableText("By project", data.by_project),
      tableText("By model", data.by_model),
      tableText(
        "By kind",
        data.by_kind.map((row) => ({ ...row, name: requestKindLabel(row.name) })),
      ),
    ].join("\n\n"),
});

type Row = ReturnType<typeof rowJson>;

function rowJson({ cost_microusd, ...row }: CostRow) {
  return { ...row, cost_usd: cost_microusd / 1e6 };
}

const CHOICES = PROVIDERS.filter((name) => name !== "none").join(", ");
const NAME_COLUMNS = 36;

export function usd(dollars: number): string {
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
}

function totalRows(total: Row): [string, string][] {
  const { failed, estimated, unsettled, declined, unpriced, cache_read_tokens: cached } = total;
  const fromCache = cached > 0 ? ` (${withCommas(cached)} of them cached)` : "";
  const notes = [
    failed > 0 && `${failed} failed`,
    estimated > 0 && `${estimated} estimated (no usage reported)`,
    unsettled > 0 && `${unsettled} unfinished (counted at their maximum)`,
    declined > 0 && `${declined.toLocaleString("en")} not sent: over budget`,
  ].filter((note) => note !== false);
  return [
    ["requests", [total.requests.toLocaleString("en"), ...notes].join(", ")],
    ["tokens", `${withCommas(total.input_tokens)} in${fromCache}, ${withCommas(total.output_tokens)} out`],
    ["cost", `${usd(total.cost_usd)}${unpriced > 0 ? `, without ${count(unpriced, "request")} of unknown price` : ""}`],
  ];
}

/** The column of cached tokens is shown only if there are any. */
function tableText(title: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map((row) => fit(row.name, NAME_COLUMNS).length));
  const isCached = rows.some((row) => row.cache_read_tokens > 0);
  const lines = rows.map((row) => {
    const { requests, input_tokens: input, cache_read_tokens: cached, output_tokens: output } = row;
    const price = row.unpriced === requests && requests > 0 ? "unknown" : usd(row.cost_usd);
    const cells = [count(requests, "request"), withCommas(input), isCached && withCommas(cached), withCommas(output)];
    return `  ${pad(fit(row.name, NAME_COLUMNS), width)}${columns(cells)}${padLeft(price, 12)}`;
  });
  const header = columns(["", "in", isCached && "cached", "out"]);
  return [heading(title), dim(`  ${pad("", width)}${header}${padLeft("cost", 12)}`), ...lines].join("\n");
}

function columns(cells: readonly (string | false)[]): string {
  return cells.flatMap((cell) => (cell === false ? [] : [padLeft(cell, 14)])).join("");
}
