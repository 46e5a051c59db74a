// Writes a session's title, subtitle and rolling summary from its turns.
import { EXTRACTOR, type Producer, type SessionSummary, type Summary } from "../core/memory.ts";
import { sentencesOf, withFullStop } from "../core/prose.ts";
import { count } from "../core/text.ts";
import { titleOf } from "../core/title.ts";
import { plainWords } from "../core/words.ts";
import type { Db } from "../store/db/driver.ts";
import { changedFiles } from "../store/tables/file-touches.ts";
import { observationsOfSession } from "../store/tables/observations.ts";
import { type PromptRow, promptsOf } from "../store/tables/prompts.ts";
import { sessionTitles, updateSession } from "../store/tables/sessions.ts";
import {
  currentSummaries,
  deleteSummary,
  setCurrentSessionSummary,
  setNextSteps,
  type SummaryRow,
  summaryOf,
  upsertSummary,
  WHOLE_SESSION,
  writtenSummaries,
} from "../store/tables/summaries.ts";
import { readUserRequest, type UserRequest } from "./extract/user-request.ts";
import { readRepositoryState, repositoryOpenEnds, withoutPublished } from "./session/open-ends.ts";
import { outcomeLine } from "./session/outcome.ts";
import type { RepositoryState } from "./session/repository-state.ts";
import { chooseTitle } from "./session/session-title.ts";

const FIELD_CHARS = 2_000;
const MAX_PATHS = 60;
const MAX_EVIDENCE = 24;

/** Call inside a transaction. */
export function saveSession(db: Db, sessionDbId: number, now: number): void {
  const prompts = promptsOf(db, sessionDbId);
  const rows = currentSummaries(db, sessionDbId);
  if (rows.length === 0 && prompts.length === 0) return;
  const requests = prompts.map(({ text }) => readUserRequest(text));
  const lastTurn = prompts.at(-1)?.prompt_number ?? 0;
  const state = readRepositoryState(db, sessionDbId, lastTurn);
  saveTitle(db, sessionDbId, { prompts, requests, state });
  const whole = { sessionDbId, promptNumber: WHOLE_SESSION };
  // While the first turn runs, the session has a title but no summary yet. A copy of another session has none at all.
  if (rows.length === 0) {
    deleteSummary(db, whole, EXTRACTOR);
    return;
  }
  for (const row of rows) {
    const rest = withoutPublished(row.next_steps);
    if (row.prompt_number < lastTurn && rest !== row.next_steps) setNextSteps(db, row.id, rest);
  }
  const lastWork = rows.findLast((row) => !isQuestion(row, prompts))?.prompt_number ?? lastTurn;
  const turns = rows.map((row) => ({ ...summaryOf(row), isLast: row.prompt_number === lastWork }));
  const { isUncommitted, local, published } = repositoryOpenEnds(db, sessionDbId, state);
  const summary = rollUp(turns, requests, [...published, ...local]);
  const outcome = outcomeLine(
    state,
    isUncommitted,
    turns.flatMap(({ completed }) => splitText(completed)),
  );
  const completed = [summary.completed, outcome].filter(Boolean).join("\n");
  upsertSummary(db, whole, { ...summary, completed }, EXTRACTOR, now);
  // What is written about all turns that have ended holds while another one runs.
  const lastEnded = prompts.findLast(({ state: turnState }) => turnState !== "running")?.prompt_number ?? 0;
  setCurrentSessionSummary(db, sessionDbId, lastEnded);
}

/** Saves a summary of the whole session that a model or the agent wrote. Call inside a transaction. */
export function saveSessionSummary(
  db: Db,
  sessionDbId: number,
  summary: SessionSummary,
  producer: Producer,
  now: number,
): void {
  upsertSummary(db, { sessionDbId, promptNumber: WHOLE_SESSION }, summary, producer, now);
  saveSession(db, sessionDbId, now);
}

interface Work {
  prompts: readonly PromptRow[];
  requests: readonly UserRequest[];
  state: RepositoryState;
}

function saveTitle(db: Db, sessionDbId: number, { prompts, requests, state }: Work): void {
  const [written] = writtenSummaries(db, sessionDbId);
  if (written?.title) return updateSession(db, sessionDbId, { title: written.title, subtitle: written.subtitle });
  const chosen = chooseTitle({
    agentTitle: sessionTitles(db, sessionDbId).agent_title,
    requests,
    prs: state.prs.map(({ title }) => title).filter(Boolean),
    commits: state.commits.map(({ subject }) => subject).filter(Boolean),
    observations: observationsOfSession(db, sessionDbId),
  });
  const first = prompts.find((_, index) => requests[index]?.kind !== "reply") ?? prompts[0];
  const commits = state.commits.length;
  const files = changedFiles(db, sessionDbId).length;
  const amounts = [commits > 0 && count(commits, "commit"), files > 0 && `${count(files, "file")} changed`];
  const shown = amounts.filter(Boolean).join(", ");
  updateSession(db, sessionDbId, {
    title: chosen?.title ?? titleOf(first?.text ?? ""),
    subtitle: [chosen?.subtitle, shown].filter(Boolean).join(" · ") || null,
  });
}

function splitText(text: string): string[] {
  return text.split("\n").flatMap(sentencesOf);
}

/** A question that changed nothing and left nothing open: what was open before it still is. */
function isQuestion(row: SummaryRow, prompts: readonly PromptRow[]): boolean {
  const { completed, nextSteps, filesEdited } = summaryOf(row);
  const asked = prompts.find(({ prompt_number: number }) => number === row.prompt_number)?.text ?? "";
  return completed === "" && nextSteps === "" && filesEdited.length === 0 && /\?\s*$/.test(asked);
}

type Turn = Summary & { isLast: boolean };

function rollUp(turns: readonly Turn[], requests: readonly UserRequest[], repository: readonly string[]): Summary {
  const asked = requests.filter(({ kind }) => kind !== "reply").map(({ title }) => withFullStop(title));
  // If not all texts fit, drop the oldest.
  const newest = (field: "investigated" | "learned" | "completed" | "notes", separator: string): string =>
    fitting(turns.flatMap((turn) => turn[field].split("\n")).toReversed())
      .toReversed()
      .join(separator);
  const union = (listOf: (turn: Summary) => string[], max: number): string[] =>
    [...new Set(turns.flatMap(listOf))].slice(0, max);
  return {
    request: fitting(asked.length > 0 ? asked : turns.map(({ request }) => request)).join(" "),
    investigated: newest("investigated", " "),
    learned: newest("learned", "\n"),
    completed: newest("completed", "\n"),
    nextSteps: [...new Set([...openEnds(turns), ...repository])].join("\n"),
    filesRead: union(({ filesRead }) => filesRead, MAX_PATHS),
    filesEdited: union(({ filesEdited }) => filesEdited, MAX_PATHS),
    notes: newest("notes", " "),
    evidence: union(({ evidence }) => evidence.slice(0, 3), MAX_EVIDENCE),
  };
}

/** Only what the last turn left open: later turns did, answered or dropped what earlier turns named. */
function openEnds(turns: readonly Turn[]): string[] {
  return turns
    .filter(({ isLast }) => isLast)
    .flatMap(({ nextSteps, completed, learned }) => {
      const stated = plainWords(`${completed} ${learned}`);
      const isOpen = (step: string): boolean =>
        step !== "" && !step.endsWith(":") && !stated.includes(plainWords(step).trim());
      return nextSteps.split("\n").filter(isOpen);
    });
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
