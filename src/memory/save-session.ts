// Writes a session's title, subtitle and rolling summary from its turns.
import { EXTRACTOR, type Summary, withoutInterruption } from "../core/memory.ts";
import { clip } from "../core/prose.ts";
import { SAME_TEXT, wordOverlap } from "../core/similarity.ts";
import { count } from "../core/text.ts";
import { titleOf } from "../core/title.ts";
import type { Db } from "../store/db/driver.ts";
import { commitsOf } from "../store/tables/commits.ts";
import { changedFiles } from "../store/tables/file-touches.ts";
import { type ObservationRow, observationsOfSession } from "../store/tables/observations.ts";
import { promptsOf } from "../store/tables/prompts.ts";
import { sessionTitles, updateSession } from "../store/tables/sessions.ts";
import { currentSummaries, summaryOf, upsertSummary, WHOLE_SESSION } from "../store/tables/summaries.ts";
import { isFullSentence } from "./extract/judge.ts";
import { withFullStop } from "./extract/sentences.ts";
import { readUserRequest, type UserRequest } from "./extract/user-request.ts";

const FIELD_CHARS = 1_200;
const MAX_PATHS = 60;
const MAX_EVIDENCE = 24;
const SUBTITLE_CHARS = 140;

/** Call inside a transaction. */
export function saveSession(db: Db, sessionDbId: number, now: number): void {
  const prompts = promptsOf(db, sessionDbId);
  const lastTurn = prompts.at(-1)?.prompt_number;
  const turns = currentSummaries(db, sessionDbId).map((row) => {
    const summary = summaryOf(row);
    // An interruption matters only for the last turn: later prompts continue the work.
    return row.prompt_number === lastTurn ? summary : { ...summary, nextSteps: withoutInterruption(summary.nextSteps) };
  });
  if (turns.length === 0 && prompts.length === 0) return;
  const requests = prompts.map(({ text }) => readUserRequest(text));
  const observations = observationsOfSession(db, sessionDbId);
  const first = prompts.find((_, index) => requests[index]?.kind !== "reply") ?? prompts[0];
  const title = sessionTitles(db, sessionDbId).agent_title ?? titleFrom(requests, observations, first?.text ?? "");
  updateSession(db, sessionDbId, { title, subtitle: subtitleOf(db, sessionDbId, observations, title) });
  // While the first turn runs, the session has a title but no summary yet.
  if (turns.length === 0) return;
  upsertSummary(db, { sessionDbId, promptNumber: WHOLE_SESSION }, rollUp(turns, requests), EXTRACTOR, now);
}

/** The title of the first informative prompt, else of the first observation about work, else of the first prompt. */
function titleFrom(
  requests: readonly UserRequest[],
  observations: readonly ObservationRow[],
  firstPrompt: string,
): string {
  const request = requests.find(isInformative);
  const work = observations.find(({ type }) => type !== "discovery") ?? observations[0];
  return (request?.title ?? work?.title ?? titleOf(firstPrompt)).replaceAll("`", "");
}

function isInformative({ kind, title }: UserRequest): boolean {
  if (kind === "task") return title.split(" ").length > 2;
  return kind === "plan" || (kind === "question" && isFullSentence(title));
}

/** "Fixed the upload · 2 commits, 5 files changed" */
function subtitleOf(
  db: Db,
  sessionDbId: number,
  observations: readonly ObservationRow[],
  title: string,
): string | null {
  const isNew = (row: ObservationRow): boolean =>
    row.type !== "discovery" && row.subject === null && wordOverlap(row.title, title) < SAME_TEXT;
  const commits = commitsOf(db, sessionDbId).length;
  const files = changedFiles(db, sessionDbId).length;
  const amounts = [commits > 0 && count(commits, "commit"), files > 0 && `${count(files, "file")} changed`];
  const shown = amounts.filter(Boolean).join(", ");
  const work = clip(observations.findLast(isNew)?.title ?? "", SUBTITLE_CHARS - shown.length - 3);
  return [work, shown].filter(Boolean).join(" · ") || null;
}

function rollUp(turns: readonly Summary[], requests: readonly UserRequest[]): Summary {
  const asked = requests.filter(({ kind }) => kind !== "reply").map(({ title }) => withFullStop(title));
  // If not all texts fit, drop the oldest.
  const newest = (field: "investigated" | "learned" | "completed" | "notes"): string =>
    fitting(turns.map((turn) => turn[field]).toReversed())
      .toReversed()
      .join(" ");
  const union = (listOf: (turn: Summary) => string[], max: number): string[] =>
    [...new Set(turns.flatMap(listOf))].slice(0, max);
  return {
    request: fitting(asked.length > 0 ? asked : turns.map(({ request }) => request)).join(" "),
    investigated: newest("investigated"),
    learned: newest("learned"),
    completed: newest("completed"),
    // Only the latest next steps: assume that those of earlier turns are done or repeated.
    nextSteps: turns.findLast(({ nextSteps }) => nextSteps !== "")?.nextSteps ?? "",
    filesRead: union(({ filesRead }) => filesRead, MAX_PATHS),
    filesEdited: union(({ filesEdited }) => filesEdited, MAX_PATHS),
    notes: newest("notes"),
    evidence: union(({ evidence }) => evidence.slice(0, 3), MAX_EVIDENCE),
  };
}

/** The first texts, as many as fit into a field. */
function fitting(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let charsLeft = FIELD_CHARS;
  for (const text of new Set(texts.filter(Boolean))) {
    if (text.length > charsLeft) break;
    charsLeft -= text.length + 1;
    kept.push(text);
  }
  return kept;
}
