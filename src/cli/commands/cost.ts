// c-mem cost: what models were asked for and what that took, by day, project, provider and model.
import { answerCost } from "../../queries/cost.ts";
import type { CostBy, CostRow } from "../../store/tables/ledger.ts";
import { fit, pad, padLeft } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer } from "../output.ts";
import { count } from "../../core/text.ts";
import { dim, fields, heading } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";

const NAME_COLUMNS = 36;
const TABLES: readonly [CostBy, string][] = [
  ["day", "By day"],
  ["project", "By project"],
  ["provider", "By provider"],
  ["model", "By model"],
];

export function run({ flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerCost(asked);
    if (json) {
      printAnswer("cost", answer);
      return EXIT.ok;
    }
    const { total, by, where, sinceDay } = answer;
    print(`${heading(`What models took for ${where} since ${sinceDay}`)}\n${fields(totalRows(total))}`);
    for (const [key, title] of TABLES) print(`\n${tableText(title, by[key])}`);
    return EXIT.ok;
  });
}

export function usd(microUsd: number): string {
  const dollars = microUsd / 1e6;
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
}

function totalRows(total: CostRow): [string, string][] {
  const { failed, estimated, unsettled, declined, unpriced } = total;
  const notes = [
    failed > 0 && `${failed} failed`,
    estimated > 0 && `${estimated} estimated (no usage reported)`,
    unsettled > 0 && `${unsettled} unfinished (counted at the most they can use)`,
    declined > 0 && `${declined.toLocaleString("en")} not sent: over budget`,
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
