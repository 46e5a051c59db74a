// Where the last session stopped: from its summary where there is one, else from its own words.
import { quoteName, quoteOrders } from "../../core/privacy/fence.ts";
import { TURN_INTERRUPTED, withoutInterruption } from "../../core/interruption.ts";
import { ago, oneLine, plainLines, truncate } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { changedFiles, type ChangedFile } from "../../store/tables/file-touches.ts";
import { lastPrompts } from "../../store/tables/prompts.ts";
import type { SessionRow } from "../../store/tables/sessions.ts";
import { nextStaleTurn } from "../../store/tables/stale-turns.ts";
import { currentSummary, type SummaryRow, WHOLE_SESSION } from "../../store/tables/summaries.ts";
import type { Line } from "./block.ts";

const RESPONSE_CHARS = 700;
const PROMPT_CHARS = 300;
const DONE_CHARS = 500;
const NEXT_CHARS = 300;
const PROMPTS_SHOWN = 3;
const FILES_SHOWN = 8;

/** The session's own summary, unless more has happened since it was written. */
export function freshSummary(db: Db, sessionDbId: number): SummaryRow | undefined {
  if (nextStaleTurn(db, sessionDbId) !== undefined) return undefined;
  return currentSummary(db, sessionDbId, WHOLE_SESSION);
}

export function whereStoppedLines(db: Db, session: SessionRow): Line[] {
  const [last, ...earlier] = lastPrompts(db, session.id, PROMPTS_SHOWN);
  if (last === undefined) return [];
  const summary = freshSummary(db, session.id);
  const items = [`session:${session.id}`];
  const lines: (string | undefined)[] = [`Asked last: ${said(last.text, PROMPT_CHARS)}`];
  if (last.response)
    lines.push(
      `${last.state === "completed" ? "Ended with" : "Said last"}:${quote(quoteOrders(truncate(plainLines(last.response).trim(), RESPONSE_CHARS)))}`,
    );
  if (last.state === "running") lines.push("This turn is still in progress.");
  else if (last.state === "interrupted") lines.push(TURN_INTERRUPTED);
  // What earlier turns left open may be what the running one is about.
  const next = last.state === "running" ? "" : withoutInterruption(summary?.next_steps ?? "");
  if (next !== "") lines.push(`Next: ${said(next, NEXT_CHARS)}`);
  const files = changedFiles(db, session.id);
  if (files.length > 0) lines.push(`Files changed in that session: ${fileList(files)}`);
  if (summary !== undefined && session.prompt_count > 1) {
    lines.push(`Asked in all: ${said(summary.request, PROMPT_CHARS)}`);
    if (summary.completed !== "") lines.push(`Done in all: ${said(lastPart(summary.completed), DONE_CHARS)}`);
  } else {
    for (const prompt of earlier) lines.push(`Asked before: ${said(prompt.text, PROMPT_CHARS)}`);
    if (session.prompt_count > PROMPTS_SHOWN && session.title)
      lines.push(`The session began with: ${said(session.title, 200)}`);
  }
  return lines.filter((text) => text !== undefined).map((text) => ({ text, items }));
}

export function headingNote(last: SessionRow, own: SessionRow | undefined, now: number): string {
  const isRunning = last.status === "active";
  const where =
    last.id === own?.id
      ? "in this session, before compaction"
      : `${ago(last.last_at, now)}${isRunning ? ", another session, in progress" : ""}`;
  return ` (${[where, last.git_branch && `branch ${quoteName(last.git_branch, 60)}`].filter(Boolean).join(", ")})`;
}

export function* sessionLines(db: Db, sessions: readonly SessionRow[], now: number): Generator<Line> {
  for (const session of sessions) yield sessionLine(db, session, now);
}

function sessionLine(db: Db, session: SessionRow, now: number): Line {
  const files = changedFiles(db, session.id);
  const notes = [
    `${session.prompt_count} ${session.prompt_count === 1 ? "prompt" : "prompts"}`,
    session.git_branch && `branch ${quoteName(session.git_branch, 60)}`,
    files.length > 0 &&
      `changed ${files
        .slice(0, 3)
        .map((file) => quoteName(file.path, 80))
        .join(", ")}${files.length > 3 ? ` and ${files.length - 3} more` : ""}`,
  ].filter(Boolean);
  return {
    text: `- ${ago(session.last_at, now)}: ${said(session.title ?? "(untitled)", 120)} (${notes.join("; ")})`,
    items: [`session:${session.id}`],
  };
}

function said(text: string, maxChars: number): string {
  return quoteOrders(oneLine(text, maxChars));
}

/** What was done last counts most. */
function lastPart(text: string): string {
  return text.length <= DONE_CHARS ? text : `…${text.slice(-DONE_CHARS).replace(/^\S*\s/, "")}`;
}

/** On the same line, or, several, apart from ours. */
function quote(text: string): string {
  return text.includes("\n") ? `\n${text.replace(/^/gm, "> ")}` : ` ${text}`;
}

function fileList(files: readonly ChangedFile[]): string {
  const shown = files.slice(0, FILES_SHOWN).map((file) => {
    const counts = [file.added > 0 && `+${file.added}`, file.removed > 0 && `-${file.removed}`]
      .filter(Boolean)
      .join(" ");
    const note = [file.created ? "new" : "", counts].filter(Boolean).join(", ");
    return quoteName(file.path, 160) + (note === "" ? "" : ` (${note})`);
  });
  const more = files.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
