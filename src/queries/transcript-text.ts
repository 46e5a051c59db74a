// Prints a session turn by turn: each tool use on one line, with its input and output if requested.
import type { Summary } from "../core/memory.ts";
import { terminalSafe } from "../core/terminal.ts";
import { count, withCommas } from "../core/text.ts";
import { block, columns, fit, fitPath, pad } from "../platform/terminal/layout.ts";
import { dim, fields, heading, paint } from "../platform/terminal/style.ts";
import { widthOf } from "../platform/terminal/width.ts";
import type { MessageItem, ToolItem } from "../recall/history/session-items.ts";
import type { Item, SubagentItem, Transcript, Turn } from "../recall/history/transcript.ts";
import type { Db } from "../store/db/driver.ts";
import type { SummaryRow } from "../store/tables/summaries.ts";
import { type ShortId, shortIds } from "../store/reads/short-ids.ts";
import { authorOf, commitText, howLong, titleText, when } from "./session-text.ts";
import type { DetailOptions } from "./transcript-json.ts";

/** At most this much of an input or output is shown; the rest is only counted. */
const UNFOLDED_LINES = 40;
const UNFOLDED_CHARS = 4_000;

/** Longer tool names break the alignment instead of widening the column. */
const MAX_NAME_COLUMNS = 12;

interface Shown extends DetailOptions {
  shortId: ShortId;
}

export function transcriptText(transcript: Transcript, { tools, thinking }: DetailOptions, db: Db): string {
  const ids = transcript.turns.flatMap((turn) => subagentIds(turn.items));
  const shown = { tools, thinking, shortId: shortIds(db, ids) };
  const { summary, summaries } = transcript;
  return [
    header(transcript),
    ...(summary === undefined ? [] : [[handoverText(summaries), summaryText(summary)].filter(Boolean).join("\n")]),
    ...transcript.turns.map((turn) => turnText(turn, shown)),
  ].join("\n\n");
}

function subagentIds(items: readonly Item[]): string[] {
  return items.flatMap((item) =>
    item.kind === "subagent" ? [item.session.session_id, ...subagentIds(item.items)] : [],
  );
}

function header({ session, summaries }: Transcript): string {
  const length = session.last_at - session.started_at;
  const rows: [string, string][] = [
    ["session", session.session_id + (session.parent_session_id === null ? "" : ` of ${session.parent_session_id}`)],
    ["agent", [session.agent, session.version, session.model].filter(Boolean).join(", ")],
    ["project", [session.project, session.git_branch && `branch ${session.git_branch}`].filter(Boolean).join(", ")],
    ["when", `${when(session.started_at)}${length > 0 ? `, ${howLong(length)}` : ""} (${session.status})`],
    [
      "work",
      [
        count(session.prompt_count, "prompt"),
        count(session.tool_uses, "tool use"),
        `${count(session.files_changed, "file")} changed`,
      ].join(", "),
    ],
  ];
  const safe = rows.map(([label, value]) => [dim(pad(label, 7)), terminalSafe(value)] as const);
  // The extractor's subtitle repeats the row "work".
  const written = summaries[0]?.subtitle ?? "";
  const subtitle = written === "" ? "" : `${fit(written, columns())}\n`;
  return `${heading(fit(titleText(session), columns()))}\n${subtitle}${fields(safe)}`;
}

const SUMMARY_FIELDS = [
  ["request", "asked"],
  ["investigated", "looked at"],
  ["learned", "learned"],
  ["completed", "done"],
  ["nextSteps", "next"],
  ["notes", "notes"],
] as const;
const LABEL_COLUMNS = 9;

/** Leaves out the files of the summary, because the turns list them. */
function summaryText(summary: Summary): string {
  return SUMMARY_FIELDS.filter(([field]) => summary[field] !== "")
    .map(([field, label]) => labelled(label, summary[field]))
    .join("\n");
}

/** The lines for the next session, and who wrote the summary. "" for the extractor's, which has none. */
function handoverText([current, ...others]: readonly SummaryRow[]): string {
  if (current === undefined || current.last_prompt === 0) return "";
  const lines = JSON.parse(current.handover) as string[];
  const older = others.length === 0 ? "" : `; ${count(others.length, "other version")}`;
  const author = `${authorOf(current.producer)}, ${when(current.created_at)}, up to turn ${current.last_prompt}${older}`;
  return [
    labelled("author", author),
    ...(lines.length === 0 ? [] : [labelled("handover", lines.map((line) => `- ${line}`).join("\n"))]),
  ].join("\n");
}

function labelled(label: string, text: string): string {
  const indent = " ".repeat(LABEL_COLUMNS + 4);
  return `  ${dim(pad(label, LABEL_COLUMNS))}  ${block(text, indent).trimStart()}`;
}

function turnText(turn: Turn, detail: Shown): string {
  const rule = turn.number === 0 ? "before the first prompt" : `turn ${turn.number}`;
  const time =
    when(turn.at) +
    (turn.endedAt !== undefined && turn.endedAt > turn.at ? `, ${howLong(turn.endedAt - turn.at)}` : "");
  const line = `── ${rule} ── ${time} `;
  const parts = [dim(line + "─".repeat(Math.max(0, columns() - widthOf(line))))];
  if (turn.prompt !== undefined) {
    parts.push(
      `${paint(["bold", "green"], "❯")} ${paint("bold", block(turn.prompt.text, "  ").trimStart())} ${dim(turn.prompt.id)}`,
    );
  }
  parts.push(...itemsText(turn.items, detail, ""));
  if (turn.commits.length > 0)
    parts.push(turn.commits.map((commit) => `  ${commitText(commit, columns() - 20)}`).join("\n"));
  return parts.join("\n\n");
}

/** Consecutive tool uses and subagents stay together; empty lines separate everything else. */
function itemsText(items: readonly Item[], detail: Shown, indent: string): string[] {
  const parts: string[] = [];
  const names = items.map((item) => (item.kind === "tool" ? widthOf(fit(item.name, 40)) : 0));
  const nameWidth = Math.max(0, ...names.filter((width) => width <= MAX_NAME_COLUMNS));
  let folded: string[] = [];
  const flush = (): void => {
    if (folded.length > 0) parts.push(folded.join("\n"));
    folded = [];
  };
  for (const item of items) {
    if (item.kind === "message") {
      const text = messageText(item, detail, indent);
      if (text === "") continue;
      flush();
      parts.push(text);
    } else if (item.kind === "tool") folded.push(toolUseText(item, detail, { indent, nameWidth }));
    else folded.push(subagentText(item, detail, indent));
  }
  flush();
  return parts;
}

function messageText(item: MessageItem, detail: DetailOptions, indent: string): string {
  const id = item.id === undefined ? "" : ` ${dim(item.id)}`;
  const thinking = detail.thinking && item.thinking ? dim(paint("italic", block(item.thinking, `${indent}  ┊ `))) : "";
  if (item.text.trim() === "") return thinking === "" ? "" : `${thinking}${id}`;
  const label =
    item.role === "assistant"
      ? ""
      : `${dim(item.role === "summary" ? "summary of what came before" : "note of the agent")}\n`;
  return [thinking, `${label && `${indent}  ${label}`}${block(item.text, `${indent}  `)}${id}`]
    .filter(Boolean)
    .join("\n");
}

function toolUseText(
  item: ToolItem,
  detail: DetailOptions,
  { indent, nameWidth }: { indent: string; nameWidth: number },
): string {
  const name = fit(item.name, 40);
  const outcome = fit(item.outcome, 30);
  const room =
    columns() -
    indent.length -
    4 -
    Math.max(nameWidth, widthOf(name)) -
    2 -
    (outcome === "" ? 0 : widthOf(outcome) + 5) -
    item.id.length -
    2;
  const mark = item.isError ? paint("red", "✗") : dim("·");
  const result = outcome === "" ? "" : `  → ${item.isError ? paint("red", outcome) : paint("green", outcome)}`;
  const line = `${indent}  ${mark} ${paint("cyan", pad(name, nameWidth))}  ${fitPath(item.subject, Math.max(16, room))}${result}  ${dim(item.id)}`;
  if (!detail.tools) return line;
  return [line, unfolded("in", inputText(item.input), indent), unfolded("out", item.output, indent)]
    .filter(Boolean)
    .join("\n");
}

function subagentText(item: SubagentItem, detail: Shown, indent: string): string {
  const { session } = item;
  const report = session.report ?? item.items.findLast((inner) => inner.kind === "message")?.text ?? "";
  const used = item.items.filter((inner) => inner.kind === "tool").length;
  const name = session.title ?? session.subtitle;
  const about = `${name === null ? "" : `${name}: `}${count(used, "tool use")}${session.files_changed > 0 ? `, ${count(session.files_changed, "file")} changed` : ""}`;
  const line = `${indent}  ${dim("·")} ${paint("blue", "subagent")}  ${fit(about, columns() - 40)}  ${dim(detail.shortId(session.session_id))}`;
  if (detail.tools) return [line, ...itemsText(item.items, detail, `${indent}    `)].join("\n");
  return report.trim() === "" ? line : `${line}\n${indent}      ${dim(fit(report, columns() - indent.length - 6))}`;
}

function unfolded(label: string, text: string, indent: string): string {
  const clean = terminalSafe(text.slice(0, UNFOLDED_CHARS * 2))
    .slice(0, UNFOLDED_CHARS)
    .trimEnd();
  if (clean === "") return "";
  const lines = clean.split("\n");
  const shown = lines.slice(0, UNFOLDED_LINES).join("\n");
  const left = text.length - shown.length;
  const note =
    lines.length > UNFOLDED_LINES || text.length > UNFOLDED_CHARS ? `\n… ${withCommas(left)} more characters` : "";
  const bar = `${indent}    ${label === "in" ? "▸" : "│"} `;
  return dim((shown + note).replace(/^/gm, () => bar));
}

/** The input's fields, one per line. */
function inputText(input: string): string {
  try {
    const value = JSON.parse(input) as unknown;
    if (typeof value !== "object" || value === null) return input;
    return Object.entries(value)
      .map(([name, field]) => `${name}: ${typeof field === "string" ? field : JSON.stringify(field)}`)
      .join("\n");
  } catch {
    return input;
  }
}
