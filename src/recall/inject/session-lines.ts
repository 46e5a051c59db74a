// Lines about sessions: where the last one stopped, open ends of earlier ones, and one line per session.
import { TURN_INTERRUPTED, withoutInterruption } from "../../core/memory.ts";
import { quoteName, quoteInstructions } from "../../core/privacy/fence.ts";
import { ago, listText, plainLines, truncate } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { type ChangedFile, changedFiles } from "../../store/tables/file-touches.ts";
import type { ObservationRow } from "../../store/tables/observations.ts";
import { lastPrompts } from "../../store/tables/prompts.ts";
import type { SessionRow } from "../../store/tables/sessions.ts";
import { nextStaleTurn } from "../../store/tables/stale-turns.ts";
import { currentSummary, type SummaryRow, WHOLE_SESSION } from "../../store/tables/summaries.ts";
import { type Line, quoteLine } from "./block.ts";
import { itemId } from "./observation-lines.ts";

const RESPONSE_CHARS = 700;
const PROMPT_CHARS = 300;
const DONE_CHARS = 500;
const NEXT_CHARS = 300;
const PROMPTS_SHOWN = 3;
const FILES_SHOWN = 8;

/** The session's summary, or undefined while memory of one of its turns is stale. */
function freshSummary(db: Db, sessionDbId: number): SummaryRow | undefined {
  return nextStaleTurn(db, sessionDbId) === undefined ? currentSummary(db, sessionDbId, WHOLE_SESSION) : undefined;
}

export function whereStoppedLines(db: Db, session: SessionRow): Line[] {
  const [last, ...earlier] = lastPrompts(db, session.id, PROMPTS_SHOWN);
  if (last === undefined) return [];
  const summary = freshSummary(db, session.id);
  const lines = [`Asked last: ${quoteLine(last.text, PROMPT_CHARS)}`];
  if (last.response) {
    const label = last.state === "completed" ? "Ended with" : "Said last";
    lines.push(`${label}:${quoteBlock(truncate(plainLines(last.response).trim(), RESPONSE_CHARS))}`);
  }
  if (last.state === "running") lines.push("This turn is still in progress.");
  else if (last.state === "interrupted") lines.push(TURN_INTERRUPTED);
  // A running turn may be doing these next steps.
  const next = last.state === "running" ? "" : withoutInterruption(summary?.next_steps ?? "");
  if (next !== "") lines.push(`Next: ${quoteLine(next, NEXT_CHARS)}`);
  const files = changedFiles(db, session.id);
  if (files.length > 0) {
    lines.push(`Files changed in that session: ${listText(files.map(fileText), FILES_SHOWN)}`);
  }
  if (summary !== undefined && session.prompt_count > 1) {
    lines.push(`Asked in all: ${quoteLine(summary.request, PROMPT_CHARS)}`);
    if (summary.completed !== "") lines.push(`Done in all: ${quoteLine(lastPart(summary.completed), DONE_CHARS)}`);
  } else {
    lines.push(...earlier.map((prompt) => `Asked before: ${quoteLine(prompt.text, PROMPT_CHARS)}`));
    if (session.prompt_count > PROMPTS_SHOWN && session.title)
      lines.push(`The session began with: ${quoteLine(session.title, 200)}`);
  }
  return lines.map((text) => ({ text, items: [`session:${session.id}`] }));
}

/** A text of one line follows the label; a longer one is quoted below it. */
function quoteBlock(text: string): string {
  const safe = quoteInstructions(text);
  return safe.includes("\n") ? `\n${safe.replace(/^/gm, "> ")}` : ` ${safe}`;
}

/** "src/a.ts (new, +12 -3)" */
function fileText({ path, created, added, removed }: ChangedFile): string {
  const counts = [added > 0 && `+${added}`, removed > 0 && `-${removed}`].filter(Boolean).join(" ");
  const note = [created ? "new" : "", counts].filter(Boolean).join(", ");
  return quoteName(path, 160) + (note === "" ? "" : ` (${note})`);
}

/** Keeps the end of a long text: the latest work. */
function lastPart(text: string): string {
  return text.length <= DONE_CHARS ? text : `…${text.slice(-DONE_CHARS).replace(/^\S*\s/, "")}`;
}

export function headingNote(last: SessionRow, own: SessionRow | undefined, now: number): string {
  const progress = last.status === "active" ? ", another session, in progress" : "";
  const where = last.id === own?.id ? "in this session, before compaction" : `${ago(last.last_at, now)}${progress}`;
  return ` (${[where, last.git_branch && `branch ${quoteName(last.git_branch, 60)}`].filter(Boolean).join(", ")})`;
}

export function* sessionLines(db: Db, sessions: readonly SessionRow[], now: number): Generator<Line> {
  for (const session of sessions) {
    const files = changedFiles(db, session.id).map(({ path }) => quoteName(path, 80));
    const notes = [
      `${session.prompt_count} ${session.prompt_count === 1 ? "prompt" : "prompts"}`,
      session.git_branch && `branch ${quoteName(session.git_branch, 60)}`,
      files.length > 0 && `changed ${listText(files, 3)}`,
    ].filter(Boolean);
    const title = quoteLine(session.title ?? "(untitled)", 120);
    yield {
      text: `- ${ago(session.last_at, now)}: ${title} (${notes.join("; ")})`,
      items: [`session:${session.id}`],
    };
  }
}

/** Only the latest sessions count: the next steps of older ones are probably done or abandoned. */
const OPEN_END_SESSIONS = 4;
const OPEN_END_LINES = 4;
const OPEN_END_CHARS = 200;

/** Failing tests, and next steps of earlier sessions. `whereStoppedLines` shows the latest session's next steps. */
export function openEndLines(
  db: Db,
  sessions: readonly SessionRow[],
  failingTests: readonly ObservationRow[],
  now: number,
): Line[] {
  const recent = sessions.slice(0, OPEN_END_SESSIONS);
  const failing = failingTests
    .filter((row) => recent.some(({ id }) => id === row.session_db_id))
    .map((row) => ({
      text: `- ${quoteLine(row.title, OPEN_END_CHARS)} (${ago(row.valid_from, now)}, #${itemId(row)})`,
      items: [itemId(row)],
    }));
  const steps = recent.slice(1).flatMap(({ id, last_at }) => {
    // Interruptions are omitted: a later session usually continued the turn.
    const next = withoutInterruption(freshSummary(db, id)?.next_steps ?? "");
    if (next === "") return [];
    return [{ text: `- ${quoteLine(next, OPEN_END_CHARS)} (${ago(last_at, now)})`, items: [`session:${id}`] }];
  });
  return [...failing, ...steps].slice(0, OPEN_END_LINES);
}
