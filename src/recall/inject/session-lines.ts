// Lines about sessions: where work stopped, what is open, and one line per earlier session.
import { quoteName } from "../../core/privacy/fence.ts";
import { readBlocks, sentencesOf, wholeSentences, withFullStop } from "../../core/prose.ts";
import { ago, listText } from "../../core/text.ts";
import { isTrunk, type WorkTree } from "../../core/work-tree.ts";
import type { Db } from "../../store/db/driver.ts";
import { madeChanges } from "../../store/reads/link-evidence.ts";
import { shortId, shortIds } from "../../store/reads/short-ids.ts";
import { changedFiles } from "../../store/tables/file-touches.ts";
import { hasObservations } from "../../store/tables/observations.ts";
import { lastPrompts, type PromptRow } from "../../store/tables/prompts.ts";
import type { SessionRow } from "../../store/tables/sessions.ts";
import { nextStaleTurn } from "../../store/tables/stale-turns.ts";
import { currentSummary, type SummaryRow, WHOLE_SESSION } from "../../store/tables/summaries.ts";
import { type Line, quoteLine } from "./block.ts";
import { doneLines, handoverLines, handoverOf, isInHandover } from "./handover-lines.ts";
import { resultLines } from "./result-lines.ts";

/** The session's summary, or undefined while memory of one of its turns is stale. */
function freshSummary(db: Db, sessionDbId: number): SummaryRow | undefined {
  return nextStaleTurn(db, sessionDbId) === undefined ? currentSummary(db, sessionDbId, WHOLE_SESSION) : undefined;
}

/** An older session of the current branch is not where work stopped. */
const SAME_BRANCH_MS = 14 * 24 * 60 * 60 * 1000;

/** The latest session in which something was done; one on the current branch first. */
export function chooseLast(
  db: Db,
  sessions: readonly SessionRow[],
  branch: string | undefined,
  now: number,
): SessionRow | undefined {
  const working = sessions.filter((session) => hasWork(db, session, now));
  const [latest = sessions[0]] = working;
  if (latest === undefined || branch === undefined || isTrunk(branch)) return latest;
  const onBranch = working.find(({ git_branch }) => git_branch === branch);
  return onBranch !== undefined && latest.last_at - onBranch.last_at < SAME_BRANCH_MS ? onBranch : latest;
}

/** False for a "hello" and for a question that taught nothing. */
export function hasWork(db: Db, session: SessionRow, now: number): boolean {
  const { id, status } = session;
  if (status === "active" && !isIdle(session, now)) return true;
  if (madeChanges(db, id) || hasObservations(db, id)) return true;
  const summary = currentSummary(db, id, WHOLE_SESSION);
  if (summary === undefined) return isUnfinishedOrLong(lastPrompts(db, id, 1)[0]?.response ?? "");
  return summary.completed + summary.learned + summary.next_steps !== "";
}

const LONG_ANSWER_CHARS = 300;

/** Before memory is derived: without an answer the turn was cut short, a long answer is likely to hold a finding. */
function isUnfinishedOrLong(response: string): boolean {
  return response === "" || response.length >= LONG_ANSWER_CHARS;
}

const RESULT_LINES = 6;
/** Of work long ago, or on another branch. */
const FEW_RESULT_LINES = 3;
const DAY_MS = 24 * 60 * 60 * 1000;
const RESPONSE_CHARS = 400;
const PROMPT_CHARS = 200;
const TITLE_CHARS = 160;
const OUTCOME_CHARS = 240;
const FILES_SHOWN = 5;

interface StoppedOptions {
  tree?: WorkTree | undefined;
  /** Limits the results. */
  maxChars: number;
  now: number;
}

/** What the session came to, its results and findings, and its state. */
export function whereStoppedLines(db: Db, session: SessionRow, { tree, maxChars, now }: StoppedOptions): Line[] {
  const items = [`session:${session.id}`];
  const [last] = lastPrompts(db, session.id, 1);
  if (last === undefined) return [];
  const summary = freshSummary(db, session.id);
  const handover = openHandover(db, session, { tree, now });
  if (handover.length > 0) {
    const title = withFullStop(quoteLine(session.title ?? "", TITLE_CHARS));
    return [
      ...(session.title === null ? [] : [{ text: `${title} (#${shortId(db, session.session_id)})`, items }]),
      ...handoverLines(handover, `session:${session.id}`),
      ...doneLines(summary, handover, `session:${session.id}`),
    ];
  }
  const headline = headlineOf(db, session, summary);
  const results = resultLines(db, session.id, {
    maxLines: linesFor(session, tree, now),
    maxChars,
    said: session.title ?? "",
    tree,
  });
  const state = stateOf(last, isIdle(session, now));
  return [
    ...(headline === "" ? [] : [{ text: `${headline} (#${shortId(db, session.session_id)})`, items }]),
    ...results,
    ...stateLines(last, state, results.length > 0, session.title).map((text) => ({ text, items })),
  ];
}

/** "Retry uploads. Outcome: committed as 1a2b3c4, pushed. Files changed: src/upload.ts" */
function headlineOf(db: Db, { id, title }: SessionRow, summary: SummaryRow | undefined): string {
  const outcome = /^Outcome: .+$/m.exec(summary?.completed ?? "")?.[0] ?? "";
  const files = changedFiles(db, id).map(({ path }) => quoteName(path, 120));
  const parts = [
    title === null ? "" : withFullStop(quoteLine(title, TITLE_CHARS)),
    quoteLine(outcome, OUTCOME_CHARS),
    files.length === 0 ? "" : `Files changed: ${listText(files, FILES_SHOWN)}`,
  ];
  return parts.filter(Boolean).join(" ");
}

/** Without a recorded end, a turn counts as running for this time after its last message. */
const IDLE_MS = 30 * 60 * 1000;

function isIdle({ last_at }: SessionRow, now: number): boolean {
  return now - last_at > IDLE_MS;
}

type State = "running" | "interrupted" | "over";

/** Imported turns have no recorded end, so a turn with a last message counts as over unless it was stopped. */
function stateOf({ state, response, is_interrupted: isStopped }: PromptRow, hasIdled: boolean): State {
  if (state === "running" && !hasIdled) return "running";
  return isStopped === 1 || (state === "interrupted" && !response) ? "interrupted" : "over";
}

/** What a turn that did not end was about; for a session without results, what was said last. */
function stateLines({ text, response }: PromptRow, state: State, hasResults: boolean, title: string | null): string[] {
  const prose = hasResults ? "" : firstProse(response ?? "");
  // The title may be that sentence.
  const said = title !== null && prose.startsWith(title.replace(/[.…]$/, "")) ? "" : prose;
  const isAsked = state !== "over" || (!hasResults && said === "");
  return [
    ...(isAsked ? [`Asked last: ${quoteLine(text, PROMPT_CHARS)}`] : []),
    ...(said === "" ? [] : [`Said last: ${quoteLine(said, RESPONSE_CHARS)}`]),
    ...(state === "running" ? ["This turn is still in progress."] : []),
    ...(state === "interrupted" ? ["The turn was interrupted before it was finished."] : []),
  ];
}

/** The first sentences outside headings, lists and tables. */
function firstProse(response: string): string {
  const sentences = readBlocks(response)
    .filter(({ kind, text }) => kind === "text" && !text.endsWith(":"))
    .flatMap(({ text }) => sentencesOf(text));
  return sentences.length === 0 ? "" : wholeSentences(sentences, RESPONSE_CHARS);
}

/** File times and recorded times of the same write differ by up to a minute. */
const SAME_MOMENT_MS = 60_000;
const OPEN_LINES = 6;
/** Besides a handover. */
const FEW_OPEN_LINES = 3;
const OPEN_CHARS = 240;

function linesFor({ last_at, git_branch }: SessionRow, tree: WorkTree | undefined, now: number): number {
  const isElsewhere = tree?.branch !== undefined && git_branch !== null && tree.branch !== git_branch;
  return isElsewhere || now - last_at > DAY_MS ? FEW_RESULT_LINES : RESULT_LINES;
}

/** What a commit or push after the session may have changed. */
const LOCAL_STATE =
  /\b(?:not (?:yet )?(?:committed|pushed)|uncommitted|unpushed|unstaged|ahead of origin|nothing is committed|committed only|local only|only local|has not been seen|no (?:push|commit|test run)\b.{0,60}\b(?:reported|shown))\b/i;

type Moment = Pick<StoppedOptions, "tree" | "now">;

/** Whether a statement about uncommitted or unpushed work may no longer be true. */
function hasMoved({ last_at: lastAt }: SessionRow, { tree, now }: Moment): boolean {
  return now - lastAt > DAY_MS || (tree?.moves.some(({ at }) => at > lastAt + SAME_MOMENT_MS) ?? false);
}

/** The session's handover, without lines that may no longer be true. Empty if it has none. */
export function openHandover(db: Db, session: SessionRow, moment: Moment): string[] {
  const isOld = hasMoved(session, moment);
  return handoverOf(freshSummary(db, session.id)).filter((line) => !(isOld && LOCAL_STATE.test(line)));
}

/** What the session left open, one line each. */
export function openLines(db: Db, session: SessionRow, tree: WorkTree | undefined, now: number): Line[] {
  const summary = freshSummary(db, session.id);
  if (summary === undefined) return [];
  const isOld = hasMoved(session, { tree, now });
  const handover = openHandover(db, session, { tree, now });
  return summary.next_steps
    .split("\n")
    .filter((step) => step !== "" && !(isOld && LOCAL_STATE.test(step)) && !isInHandover(step, handover))
    .slice(0, handover.length > 0 ? FEW_OPEN_LINES : OPEN_LINES)
    .map((step) => ({ text: `- ${quoteLine(step, OPEN_CHARS)}`, items: [`session:${session.id}`] }));
}

export function headingNote(last: SessionRow, own: SessionRow | undefined, now: number): string {
  const progress = last.status === "active" && !isIdle(last, now) ? ", another session, in progress" : "";
  const where = last.id === own?.id ? "in this session, before compaction" : `${ago(last.last_at, now)}${progress}`;
  return ` (${[where, last.git_branch && `branch ${quoteName(last.git_branch, 60)}`].filter(Boolean).join(", ")})`;
}

/** "- 3 h ago: Retry uploads (branch fix/uploads, #1b2c3d4e)" */
export function sessionLines(db: Db, sessions: readonly SessionRow[], now: number): Line[] {
  const short = shortIds(
    db,
    sessions.map(({ session_id: id }) => id),
  );
  return sessions.map(({ id, session_id: sessionId, title, git_branch: branch, last_at: at }) => {
    const on = branch === null || isTrunk(branch) ? "" : `branch ${quoteName(branch, 60)}, `;
    const text = `- ${ago(at, now)}: ${quoteLine(title ?? "(untitled)", TITLE_CHARS)} (${on}#${short(sessionId)})`;
    return { text, items: [`session:${id}`] };
  });
}
