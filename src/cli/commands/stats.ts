// c-mem stats: how much was done, in totals that are totals.
import type { Asked } from "../../queries/legacy.ts";
import { positiveInteger } from "../../queries/legacy.ts";
import { answerStats } from "../../queries/stats.ts";
import { withCommas } from "../../core/text.ts";
import type { Share, ToolShare, Totals } from "../../store/reads/stats.ts";
import { sizeReport, sizeText } from "../size-report.ts";
import { columns, fit, pad, padLeft } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer, printJson } from "../output.ts";
import { count } from "../../core/text.ts";
import { bytes, dim, fields, heading } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";
import { when } from "../../queries/session-text.ts";
import { paint } from "../../platform/terminal/style.ts";

const BAR_COLUMNS = 20;
const SIZE_ROWS = 12;

export function run({ flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    if (flags["size"] === true) return printSize(asked, json);
    const answer = answerStats(asked);
    if (json) {
      printAnswer("stats", answer);
      return EXIT.ok;
    }
    const { all, by, tools, limit, where } = answer;
    const parts = [`${heading(`C-Mem remembers of ${where}`)}\n${fields(totalRows(all, answer.bytes))}`];
    if (by.agent.length > 1) parts.push(sharesText("By agent", by.agent, limit));
    if (by.project.length > 1) parts.push(sharesText("By project", by.project, limit));
    // The newest months are the ones to see when there are many.
    if (by.month.length > 1) parts.push(sharesText("By month", by.month.slice(-limit), limit));
    parts.push(toolsText(tools, limit));
    print(parts.join("\n\n"));
    return EXIT.ok;
  });
}

function printSize({ db, paths, flags }: Asked, json: boolean): number {
  const report = sizeReport(db, paths);
  if (json) printJson("stats", report);
  else print(sizeText(report, flags["limit"] === undefined ? SIZE_ROWS : positiveInteger("--limit", flags["limit"])));
  return EXIT.ok;
}

function totalRows(all: Totals, size: number): [string, string][] {
  const number = (value: number): string => withCommas(value);
  const rows: [string, string][] = [
    ["sessions", `${number(all.sessions)}${all.subagents > 0 ? ` and ${count(all.subagents, "subagent")}` : ""}`],
    ["prompts", number(all.prompts)],
    ["messages", number(all.messages)],
    ["tool uses", `${number(all.tool_uses)}, ${percent(all.failed_tool_uses, all.tool_uses)} failed`],
    [
      "changes",
      `${count(all.files_changed, "file")}, +${number(all.lines_added)} -${number(all.lines_removed)} lines, ${count(all.commits, "commit")}`,
    ],
  ];
  if (all.output_tokens !== null) {
    const cached = (all.cache_read_tokens ?? 0) + (all.cache_write_tokens ?? 0);
    rows.push([
      "tokens",
      `${number(all.input_tokens ?? 0)} in, ${number(all.output_tokens)} out${cached > 0 ? `, ${number(cached)} cached` : ""}`,
    ]);
  }
  if (all.first_at !== null && all.last_at !== null)
    rows.push(["from, to", `${when(all.first_at)}, ${when(all.last_at)}`]);
  rows.push(["database", `${bytes(size)} for all projects`]);
  return rows;
}

function sharesText(title: string, rows: readonly Share[], limit: number): string {
  const shown = rows.slice(0, limit);
  const most = Math.max(...shown.map((row) => row.sessions), 1);
  const width = Math.max(...shown.map((row) => fit(row.name, 30).length));
  const lines = shown.map((row) => {
    const numbers = `${padLeft(count(row.sessions, "session"), 12)}  ${padLeft(count(row.prompts, "prompt"), 13)}  ${padLeft(count(row.tool_uses, "tool use"), 16)}`;
    return `  ${pad(fit(row.name, 30), width)}  ${numbers}  ${bar(row.sessions / most, 51 + width)}`;
  });
  return [heading(title), ...lines, ...more(rows.length - shown.length)].join("\n");
}

function toolsText(rows: readonly ToolShare[], limit: number): string {
  const shown = rows.slice(0, limit);
  if (shown.length === 0) return heading("No tool was used");
  const most = Math.max(...shown.map((row) => row.uses), 1);
  const width = Math.max(...shown.map((row) => fit(row.name, 40).length));
  const lines = shown.map((row) => {
    const failed = row.failed === 0 ? "" : `${percent(row.failed, row.uses)} failed`;
    const colour = row.failed / row.uses > 0.2 ? "red" : "dim";
    return `  ${pad(fit(row.name, 40), width)}  ${padLeft(withCommas(row.uses), 7)}  ${paint(colour, padLeft(failed, 12))}  ${bar(row.uses / most, 27 + width)}`.trimEnd();
  });
  return [heading("By tool"), ...lines, ...more(rows.length - shown.length)].join("\n");
}

/** `used` is what stands before it in its line. */
function bar(share: number, used: number): string {
  const room = Math.max(1, Math.min(BAR_COLUMNS, columns() - used));
  return paint("cyan", "▇".repeat(share === 0 ? 0 : Math.max(1, Math.round(share * room))));
}

function more(left: number): string[] {
  return left > 0 ? [dim(`  and ${left} more (-n shows them)`)] : [];
}

function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (part / whole) * 100;
  return `${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)}%`;
}
