// Totals of what is stored, and counts by agent, project, tool, month and day.
import { archiveSize } from "../capture/sync/archive-copies.ts";
import { nothingFound } from "../core/error.ts";
import { count, withCommas } from "../core/text.ts";
import { folderSize, statOf } from "../platform/read-file.ts";
import { columns, fit, pad, padLeft } from "../platform/terminal/layout.ts";
import { bytes, dim, fields, heading, paint } from "../platform/terminal/style.ts";
import { backupFolder } from "../store/db/backup.ts";
import {
  activityByDay,
  type GroupTotals,
  totalsBy,
  type ToolTotals,
  totalsByTool,
  type Totals,
  totals,
} from "../store/reads/stats.ts";
import { defineQuery, type Zod } from "./query.ts";
import { countOf, jsonOf, defineNames, schemaOf, whereOf } from "./schemas.ts";
import { LIMIT, readScope, SCOPE, widerScope } from "./scope.ts";
import { when } from "./session-text.ts";

const DEFAULT_ROWS = 12;

const filesOf = (z: Zod) => z.strictObject(schemaOf(z, { count: ["files", "bytes"] }));

const shareOf = (z: Zod) =>
  z.strictObject(schemaOf(z, { text: ["name", "key"], count: ["sessions", "prompts", "tool_uses"] }));

const TOTALS = defineNames({
  count: [
    "sessions",
    "subagents",
    "prompts",
    "messages",
    "tool_uses",
    "failed_tool_uses",
    "files_changed",
    "lines_added",
    "lines_removed",
    "commits",
  ],
  countOrNull: ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"],
  timeOrNull: ["first_at", "last_at"],
});

export const stats = defineQuery({
  name: "stats",
  about: "show totals by agent, project, tool and month",
  fields: { ...SCOPE, ...LIMIT },
  http: { path: "/api/stats", tag: "insight", isSlow: true },
  reply: (z) => ({
    data: z.strictObject({
      totals: z.strictObject(schemaOf(z, TOTALS)),
      by_agent: z.array(shareOf(z)),
      by_project: z.array(shareOf(z)),
      by_tool: z.array(
        z.strictObject(schemaOf(z, { text: ["name"], count: ["uses", "failed"], number: ["failure_rate"] })),
      ),
      by_month: z.array(shareOf(z)),
      by_day: z.array(
        z.strictObject({
          ...schemaOf(z, {
            text: ["day", "project", "project_key", "agent"],
            count: ["sessions", "prompts", "tool_uses"],
          }),
          bytes: countOf(z).meta({ description: "stored size of what was recorded" }),
        }),
      ),
      database: z.strictObject({ bytes: countOf(z) }),
      archive: filesOf(z),
      backups: filesOf(z),
      models: filesOf(z),
    }),
    meta: z.strictObject({ where: whereOf(z) }),
  }),
  run(input, context) {
    const { db, paths } = context;
    const { scope, where } = readScope(input, context);
    const all = totals(db, scope);
    if (all.sessions + all.subagents === 0) {
      throw nothingFound(
        `No session in ${where} matches.`,
        `${widerScope(scope)}, or \`c-mem sync\` to import earlier sessions.`,
      );
    }
    const data = {
      totals: jsonOf(TOTALS, all),
      by_agent: totalsBy(db, scope, "agent"),
      by_project: totalsBy(db, scope, "project"),
      by_tool: totalsByTool(db, scope).map((tool) => ({ ...tool, failure_rate: tool.failed / tool.uses })),
      by_month: totalsBy(db, scope, "month"),
      by_day: activityByDay(db, scope),
      database: { bytes: statOf(paths.database)?.size ?? 0 },
      archive: archiveSize(paths.archive),
      backups: folderSize(backupFolder(paths.database)),
      models: folderSize(paths.models),
    };
    return { data, meta: { where }, all };
  },
  text({ data, meta, all }, { input: { limit = DEFAULT_ROWS } }) {
    const parts = [`${heading(`Stored for ${meta.where}`)}\n${fields(totalRows(all, data.database.bytes))}`];
    if (data.by_agent.length > 1) parts.push(groupsText("By agent", data.by_agent, limit));
    if (data.by_project.length > 1) parts.push(groupsText("By project", data.by_project, limit));
    // If there are more months than rows, the newest are shown.
    if (data.by_month.length > 1) parts.push(groupsText("By month", data.by_month.slice(-limit), limit));
    return [...parts, toolsText(data.by_tool, limit)].join("\n\n");
  },
});

const BAR_COLUMNS = 20;

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

function groupsText(title: string, rows: readonly GroupTotals[], limit: number): string {
  const shown = rows.slice(0, limit);
  const most = Math.max(...shown.map((row) => row.sessions), 1);
  const width = Math.max(...shown.map((row) => fit(row.name, 30).length));
  const lines = shown.map((row) => {
    const numbers = `${padLeft(count(row.sessions, "session"), 12)}  ${padLeft(count(row.prompts, "prompt"), 13)}  ${padLeft(count(row.tool_uses, "tool use"), 16)}`;
    return `  ${pad(fit(row.name, 30), width)}  ${numbers}  ${bar(row.sessions / most, 51 + width)}`;
  });
  return [heading(title), ...lines, ...more(rows.length - shown.length)].join("\n");
}

function toolsText(rows: readonly ToolTotals[], limit: number): string {
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

/** `used`: the columns to the left of the bar. */
function bar(share: number, used: number): string {
  const width = Math.max(1, Math.min(BAR_COLUMNS, columns() - used));
  return paint("cyan", "▇".repeat(share === 0 ? 0 : Math.max(1, Math.round(share * width))));
}

function more(left: number): string[] {
  return left > 0 ? [dim(`  and ${left} more (-n shows them)`)] : [];
}

function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (part / whole) * 100;
  return `${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)}%`;
}
