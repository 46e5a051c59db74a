// How a session is named and dated wherever one is printed, and what of it goes into JSON.
import { styleText } from "node:util";
import type { SessionEntry } from "../store/session-list.ts";
import { iso } from "./output.ts";

const SHORT_ID_CHARS = 8;

/** Enough of an id to pass on. A subagent's begins with "agent-", which tells nothing apart. */
export function shortId(sessionId: string): string {
  const prefix = sessionId.startsWith("agent-") ? "agent-".length : 0;
  return sessionId.slice(0, prefix + SHORT_ID_CHARS);
}

export function titleText(session: { title: string | null; subtitle: string | null }): string {
  return session.title ?? session.subtitle ?? "(untitled)";
}

export function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** "2026-02-19 14:05", in the reader's own time zone. */
export function when(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function howLong(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}

export function sessionJson(session: SessionEntry): Record<string, unknown> {
  return {
    session_id: session.session_id,
    parent_session_id: session.parent_session_id,
    agent: session.agent,
    project: session.project,
    project_key: session.project_key,
    title: session.title,
    subtitle: session.subtitle,
    status: session.status,
    prompts: session.prompt_count,
    tool_uses: session.tool_uses,
    files_changed: session.files_changed,
    model: session.model,
    version: session.version,
    git_branch: session.git_branch,
    cwd: session.cwd,
    transcript_path: session.transcript_path,
    started_at: iso(session.started_at),
    last_at: iso(session.last_at),
  };
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** " +3 -1" after a file's name, or nothing. */
export function changeText(change: { added: number; removed: number }): string {
  const parts = [change.added > 0 && `+${change.added}`, change.removed > 0 && `-${change.removed}`].filter(Boolean);
  return parts.length === 0 ? "" : ` ${parts.join(" ")}`;
}

export function listText(items: readonly string[], shown: number): string {
  const more = items.length - shown;
  return items.slice(0, shown).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
