// Exports a transcript as Markdown.
import { withCommas } from "../../core/text.ts";
import type { MessageItem, ToolItem } from "./session-items.ts";
import type { Item, Transcript, Turn } from "./transcript.ts";

export interface ExportDetail {
  tools: boolean;
  thinking: boolean;
}

/** Longer tool inputs and outputs are cut. */
const MAX_CHARS = 8_000;

export function toMarkdown(transcript: Transcript, detail: ExportDetail): string {
  const { session, turns } = transcript;
  const title = (session.title ?? session.subtitle ?? "Untitled session").replace(/\s+/g, " ");
  const facts = headerFacts(transcript).map(([label, value]) => `- ${label}: ${value}`);
  return `${[`# ${title}`, facts.join("\n"), ...turns.map((turn) => turnMarkdown(turn, detail))].join("\n\n")}\n`;
}

export function headerFacts({ session }: Transcript): [label: string, value: string][] {
  const facts: [string, string | null][] = [
    ["Session", session.session_id],
    ["Subagent of", session.parent_session_id],
    ["Agent", [session.agent, session.version, session.model].filter(Boolean).join(", ")],
    ["Project", session.project],
    ["Branch", session.git_branch],
    ["Folder", session.cwd],
    ["From", new Date(session.started_at).toISOString()],
    ["To", new Date(session.last_at).toISOString()],
  ];
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}

export function turnHeading({ number }: Turn): string {
  return number === 0 ? "Before the first prompt" : `Turn ${number}`;
}

export const ROLE_LABELS = {
  assistant: "",
  summary: "Summary of the earlier conversation",
  system: "Note from the agent",
} as const;

/** "… 1,200 more characters" marks the cut. */
export function capped(text: string): string {
  const rest = text.length - MAX_CHARS;
  return rest <= 0 ? text : `${text.slice(0, MAX_CHARS)}\n… ${withCommas(rest)} more characters`;
}

function turnMarkdown(turn: Turn, detail: ExportDetail): string {
  const parts = [`## ${turnHeading(turn)}`];
  if (turn.prompt !== undefined) parts.push(quote(turn.prompt.text));
  parts.push(...itemsMarkdown(turn.items, detail));
  const commits = turn.commits.map(({ sha, subject }) => `- commit ${code(sha)} ${subject}`);
  if (commits.length > 0) parts.push(commits.join("\n"));
  return parts.join("\n\n");
}

/** Consecutive tool uses form one list. */
function itemsMarkdown(items: readonly Item[], detail: ExportDetail): string[] {
  const parts: { isList: boolean; lines: string[] }[] = [];
  const add = (isList: boolean, text: string): void => {
    const last = parts.at(-1);
    if (isList && last?.isList === true) last.lines.push(text);
    else if (text !== "") parts.push({ isList, lines: [text] });
  };
  for (const item of items) {
    if (item.kind === "message") add(false, messageMarkdown(item, detail));
    else if (item.kind === "tool") add(true, toolMarkdown(item, detail, ""));
    else {
      const { session_id, title, subtitle, report } = item.session;
      add(true, `- subagent ${code(session_id)} ${title ?? subtitle ?? ""}`.trimEnd());
      // Of a subagent's messages, only the last one is exported: its report.
      for (const inner of item.items) if (inner.kind === "tool") add(true, toolMarkdown(inner, detail, "  "));
      if (report) add(false, quote(report));
    }
  }
  return parts.map(({ lines }) => lines.join("\n"));
}

function messageMarkdown({ role, text, thinking }: MessageItem, detail: ExportDetail): string {
  const label = text === "" ? "" : ROLE_LABELS[role];
  return [
    detail.thinking && thinking ? `*Thinking*\n\n${quote(thinking)}` : "",
    label === "" ? "" : `*${label}*`,
    text.trim(),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function toolMarkdown(item: ToolItem, detail: ExportDetail, indent: string): string {
  const subject = item.subject === "" ? "" : ` ${code(item.subject)}`;
  const line = `${indent}- ${item.name}${subject}${item.outcome === "" ? "" : ` → ${item.outcome}`}`;
  if (!detail.tools) return line;
  const blocks = [fenced(capped(item.input), "json"), item.output === "" ? "" : fenced(capped(item.output), "")];
  return [line, ...blocks.filter(Boolean).map((block) => `\n${block.replace(/^/gm, `${indent}  `)}\n`)].join("\n");
}

function quote(text: string): string {
  return text.trim().replace(/^/gm, "> ");
}

/** The fence is longer than any run of backticks in the text. */
function fenced(text: string, language: string): string {
  const fence = "`".repeat(Math.max(2, ...lengths(text, /`{3,}/g)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function code(text: string): string {
  const ticks = "`".repeat(Math.max(0, ...lengths(text, /`+/g)) + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${ticks}${pad}${text}${pad}${ticks}`;
}

function lengths(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map((match) => match[0].length);
}
