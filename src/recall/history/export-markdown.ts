// A transcript as a Markdown document.
import type { Item, Transcript, Turn } from "./transcript.ts";
import type { MessageItem, ToolItem } from "./session-items.ts";
import { withCommas } from "../../core/text.ts";

export interface ExportDetail {
  tools: boolean;
  thinking: boolean;
}

/** An input or output takes no more than this; the cut is visible. */
const MAX_CHARS = 8_000;

export function toMarkdown(transcript: Transcript, detail: ExportDetail): string {
  const { session, turns } = transcript;
  const facts = headerFacts(transcript).map(([label, value]) => `- ${label}: ${value}`);
  const title = (session.title ?? session.subtitle ?? "Untitled session").replace(/\s+/g, " ");
  return `${[`# ${title}`, facts.join("\n"), ...turns.map((turn) => turnMarkdown(turn, detail))].join("\n\n")}\n`;
}

/** What stands above a transcript, in every format. */
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

export function capped(text: string): string {
  const rest = text.length - MAX_CHARS;
  return rest <= 0 ? text : `${text.slice(0, MAX_CHARS)}\n… ${withCommas(rest)} more characters`;
}

function turnMarkdown(turn: Turn, detail: ExportDetail): string {
  const parts = [turn.number === 0 ? "## Before the first prompt" : `## Turn ${turn.number}`];
  if (turn.prompt !== undefined) parts.push(turn.prompt.text.trim().replace(/^/gm, "> "));
  parts.push(...itemsMarkdown(turn.items, detail, 0));
  if (turn.commits.length > 0) {
    parts.push(turn.commits.map((commit) => `- commit ${code(commit.sha)} ${commit.subject}`).join("\n"));
  }
  return parts.join("\n\n");
}

function itemsMarkdown(items: readonly Item[], detail: ExportDetail, depth: number): string[] {
  const parts: string[] = [];
  let list: string[] = [];
  const flush = (): void => {
    if (list.length > 0) parts.push(list.join("\n"));
    list = [];
  };
  for (const item of items) {
    switch (item.kind) {
      case "message": {
        const text = messageMarkdown(item, detail);
        if (text === "") break;
        flush();
        parts.push(text);
        break;
      }
      case "tool":
        list.push(toolMarkdown(item, detail, depth));
        break;
      case "subagent": {
        list.push(
          `${"  ".repeat(depth)}- subagent ${code(item.session.session_id)} ${item.session.title ?? item.session.subtitle ?? ""}`.trimEnd(),
        );
        // Its words are its own affair: what it did is listed, what it reported is quoted.
        for (const inner of item.items) if (inner.kind === "tool") list.push(toolMarkdown(inner, detail, depth + 1));
        if (item.session.report) {
          flush();
          parts.push(item.session.report.trim().replace(/^/gm, "> "));
        }
        break;
      }
    }
  }
  flush();
  return parts;
}

function messageMarkdown(item: MessageItem, detail: ExportDetail): string {
  const thinking = detail.thinking && item.thinking ? `*Thinking*\n\n${item.thinking.trim().replace(/^/gm, "> ")}` : "";
  const label =
    item.role === "assistant" || item.text === ""
      ? ""
      : item.role === "summary"
        ? "*Summary of what came before*"
        : "*Note of the agent*";
  return [thinking, label, item.text.trim()].filter(Boolean).join("\n\n");
}

function toolMarkdown(item: ToolItem, detail: ExportDetail, depth: number): string {
  const indent = "  ".repeat(depth);
  const subject = item.subject === "" ? "" : ` ${code(item.subject)}`;
  const line = `${indent}- ${item.name}${subject}${item.outcome === "" ? "" : ` → ${item.outcome}`}`;
  if (!detail.tools) return line;
  const blocks = [fenced(capped(item.input), "json"), item.output === "" ? "" : fenced(capped(item.output), "")];
  return [line, ...blocks.filter(Boolean).map((block) => `\n${block.replace(/^/gm, `${indent}  `)}\n`)].join("\n");
}

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function code(text: string): string {
  const ticks = "`".repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map((match) => match[0].length)) + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${ticks}${pad}${text}${pad}${ticks}`;
}
