// What is known of a whole session, from what is known of its turns: the rolling summary, the title and the subtitle.
import { withoutInterruption } from "../core/memory.ts";
import { EXTRACTOR, type Summary } from "../core/memory.ts";
import { titleOf } from "../core/title.ts";
import { commitsOf } from "../store/tables/commits.ts";
import type { Db } from "../store/db/driver.ts";
import { changedFiles } from "../store/tables/file-touches.ts";
import { observationsOfSession, type ObservationRow } from "../store/tables/observations.ts";
import { promptsOf } from "../store/tables/prompts.ts";
import { getAgentTitle, setSubtitle, setTitle } from "../store/tables/sessions.ts";
import { currentSummaries, summaryOf, upsertSummary, WHOLE_SESSION } from "../store/tables/summaries.ts";
import { readUserRequest, type UserRequest } from "./extract/user-request.ts";
import { clip } from "../core/prose.ts";
import { ALIKE, likeness } from "../core/similarity.ts";
import { isFullSentence } from "./extract/sentence-patterns.ts";

const FIELD_CHARS = 1_200;
const MAX_PATHS = 60;
const MAX_EVIDENCE = 24;
const SUBTITLE_CHARS = 140;

/** To be called inside a transaction. */
export function saveSession(db: Db, sessionDbId: number, now: number): void {
  const prompts = promptsOf(db, sessionDbId);
  const lastTurn = prompts.at(-1)?.prompt_number;
  const turns = currentSummaries(db, sessionDbId).map((row) => {
    const summary = summaryOf(row);
    return row.prompt_number === lastTurn ? summary : { ...summary, nextSteps: withoutInterruption(summary.nextSteps) };
  });
  const asks = prompts.map(({ text }) => ({ text, ask: readUserRequest(text) }));
  if (turns.length === 0 && asks.length === 0) return;
  const observations = observationsOfSession(db, sessionDbId);
  const title = getAgentTitle(db, sessionDbId) ?? sessionTitle(asks, observations);
  setTitle(db, sessionDbId, title);
  setSubtitle(db, sessionDbId, subtitleOf(db, sessionDbId, observations, title));
  // A session whose first turn still runs has a title and no summary yet.
  if (turns.length === 0) return;
  upsertSummary(
    db,
    { sessionDbId, promptNumber: WHOLE_SESSION },
    rollUp(
      turns,
      asks.map(({ ask }) => ask),
    ),
    EXTRACTOR,
    now,
  );
}

/** What the first prompt that says something asks for; a session of bare words is called by what was done in it. */
function sessionTitle(
  asks: readonly { text: string; ask: UserRequest }[],
  observations: readonly ObservationRow[],
): string {
  const telling = asks.find(({ ask }) => isTelling(ask));
  const done = observations.find(({ type }) => type !== "discovery") ?? observations[0];
  const first = asks.find(({ ask }) => ask.kind !== "reply") ?? asks[0];
  return (telling?.ask.title ?? done?.title ?? titleOf(first?.text ?? "")).replaceAll("`", "");
}

function isTelling({ kind, title }: UserRequest): boolean {
  if (kind === "plan" || (kind === "task" && title.split(" ").length > 2)) return true;
  return kind === "question" && isFullSentence(title);
}

/** What came of it: the last thing done, and how much. */
function subtitleOf(
  db: Db,
  sessionDbId: number,
  observations: readonly ObservationRow[],
  title: string,
): string | null {
  const isNews = (row: ObservationRow): boolean =>
    row.type !== "discovery" && row.subject === null && likeness(row.title, title) < ALIKE;
  const last = observations.findLast(isNews);
  const commits = commitsOf(db, sessionDbId).length;
  const files = changedFiles(db, sessionDbId).length;
  const amounts = [number(commits, "commit"), files === 0 ? "" : `${number(files, "file")} changed`]
    .filter(Boolean)
    .join(", ");
  const text = [last === undefined ? "" : clip(last.title, SUBTITLE_CHARS - amounts.length - 3), amounts]
    .filter(Boolean)
    .join(" · ");
  return text === "" ? null : text;
}

function number(count: number, word: string): string {
  return count === 0 ? "" : `${count} ${word}${count === 1 ? "" : "s"}`;
}

function rollUp(turns: readonly Summary[], asks: readonly UserRequest[]): Summary {
  const union = (lists: readonly string[][], max: number): string[] => [...new Set(lists.flat())].slice(0, max);
  const requests = asks.filter(({ kind }) => kind !== "reply").map(({ title }) => ended(title));
  const filesRead = union(
    turns.map((turn) => turn.filesRead),
    MAX_PATHS,
  );
  return {
    request: fromStart(requests.length > 0 ? requests : turns.map((turn) => turn.request)),
    investigated: fromEnd(turns.map((turn) => turn.investigated)),
    learned: fromEnd(turns.map((turn) => turn.learned)),
    completed: fromEnd(turns.map((turn) => turn.completed)),
    // What an earlier turn left open was taken up, or is said again.
    nextSteps: turns.findLast((turn) => turn.nextSteps !== "")?.nextSteps ?? "",
    filesRead,
    filesEdited: union(
      turns.map((turn) => turn.filesEdited),
      MAX_PATHS,
    ),
    notes: fromEnd(turns.map((turn) => turn.notes)),
    evidence: union(
      turns.map((turn) => turn.evidence.slice(0, 3)),
      MAX_EVIDENCE,
    ),
  };
}

function ended(text: string): string {
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** As many whole texts as there is room for, from the first on. */
function fromStart(texts: readonly string[]): string {
  const kept: string[] = [];
  let room = FIELD_CHARS;
  for (const text of new Set(texts.filter(Boolean))) {
    if (text.length > room) break;
    room -= text.length + 1;
    kept.push(text);
  }
  return kept.join(" ");
}

/** The same from the last back: what happened last counts most. */
function fromEnd(texts: readonly string[]): string {
  const kept: string[] = [];
  let room = FIELD_CHARS;
  for (const text of new Set(texts.filter(Boolean).toReversed())) {
    if (text.length > room) break;
    room -= text.length + 1;
    kept.unshift(text);
  }
  return kept.join(" ");
}
