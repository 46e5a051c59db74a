// Writes one captured event as rows. Every branch is safe to run twice; rows are found by the agent's own ids.
import type { Activity, CapturedEvent } from "../../core/event.ts";
import { isWeakTitle, titleOf } from "../../core/title.ts";
import type { Db } from "../../store/db/driver.ts";
import { insertFileSnapshot } from "../../store/tables/file-snapshots.ts";
import { insertFileTouch, noteBackup } from "../../store/tables/file-touches.ts";
import { insertCommit } from "../../store/tables/commits.ts";
import { insertInjection } from "../../store/tables/injections.ts";
import { upsertMessage } from "../../store/tables/messages.ts";
import { enqueueSession } from "../../store/tables/jobs.ts";
import { insertPrompt, noteCheckpoint, setResponse } from "../../store/tables/prompts.ts";
import { INTERRUPTED } from "../../store/tables/session-status.ts";
import {
  endSession,
  getAgentTitle,
  getTitle,
  noteOrigin,
  reopenSession,
  setAgentTitle,
  setReport,
  setTitle,
} from "../../store/tables/sessions.ts";
import { hasTombstones } from "../../store/tables/tombstones.ts";
import { adoptTurn, insertToolUse } from "../../store/tables/tool-uses.ts";
import {
  type Batch,
  endBatch,
  endTurn,
  forgetTurns,
  goOn,
  markStale,
  noteModel,
  projectId,
  rootOf,
  sessionOf,
  settleTimes,
  startBatch,
  turnOf,
} from "./batch.ts";
import { commitsMade } from "./commits.ts";
import { isForkDuplicate } from "../sync/fork-duplicates.ts";
import { withoutForgotten } from "./drop-forgotten.ts";
import { pathFromRoot } from "../project.ts";

/** `eventName` stands in for an id where the agent gave none. */
export function applyEvent(db: Db, event: CapturedEvent, eventName: string): void {
  const batch = startBatch();
  applyInBatch(db, batch, event, eventName);
  endBatch(db, batch);
}

/** The same among others of one transaction, which ends with `endBatch`. */
export function applyInBatch(db: Db, batch: Batch, given: CapturedEvent, eventName: string): void {
  batch.hasTombstones ??= hasTombstones(db);
  if (isForkDuplicate(db, given)) return;
  const event = batch.hasTombstones ? withoutForgotten(db, given) : given;
  if (event === undefined) return;
  const sessions = upsertSessions(db, batch, event);
  if (sessions.isPurged) return;
  applyActivity(db, batch, event, sessions, eventName);
  if (event.injection !== undefined) insertInjection(db, sessions.own, event.injection, event.at);
}

/** What an event asks of the worker: at the end of a turn or session, and before the agent forgets, to derive memory. */
export function enqueueWork(db: Db, { activity, sessionId, at }: CapturedEvent): void {
  if (["turn-end", "checkpoint", "session-end"].includes(activity.kind)) enqueueSession(db, sessionId, at);
}

/** The session the event happened in, and the conversation it belongs to: the same, but for a subagent's. */
interface Sessions {
  own: number;
  main: number;
  /** The project the event's own session is filed under. */
  projectId: number;
  /** It happened in another project than the session is filed under: the agent has changed its folder. */
  isElsewhere: boolean;
  /** It was here once and was taken out to save room: a transcript that is read again does not bring it back. */
  isPurged: boolean;
}

function upsertSessions(db: Db, batch: Batch, event: CapturedEvent): Sessions {
  const project = projectId(db, batch, event);
  const shared = {
    agent: event.agent,
    projectId: project,
    cwd: event.cwd,
    branch: event.branch,
    version: event.version,
    at: event.at,
  };
  const main = sessionOf(db, batch, { ...shared, sessionId: event.sessionId, transcriptPath: event.transcriptPath });
  const isElsewhere = main.projectId !== project;
  const isPurged = main.purgedAt !== null && event.at <= main.purgedAt;
  if (event.agentId === undefined)
    return { own: main.id, main: main.id, projectId: main.projectId, isElsewhere, isPurged };
  const own = sessionOf(db, batch, {
    ...shared,
    sessionId: `agent-${event.agentId}`,
    parentId: main.id,
    subtitle: event.agentType,
  });
  return { own: own.id, main: main.id, projectId: own.projectId, isElsewhere, isPurged };
}

function applyActivity(db: Db, batch: Batch, event: CapturedEvent, sessions: Sessions, eventName: string): void {
  const { activity, at } = event;
  const { own, main } = sessions;
  switch (activity.kind) {
    case "session-start":
      reopenSession(db, main, at);
      if (activity.model !== undefined) noteModel(db, batch, main, activity.model);
      return;
    case "prompt": {
      const { number, newId, ownsId } = insertPrompt(db, {
        sessionDbId: main,
        promptId: activity.promptId,
        text: activity.text,
        at,
      });
      forgetTurns(batch);
      if (newId === undefined) return;
      batch.prompts.push({ id: newId, text: activity.text });
      markStale(db, batch, main, number);
      reopenSession(db, main, at);
      improveTitle(db, main, activity.text, number);
      if (activity.promptId !== undefined && ownsId) adoptTurn(db, main, activity.promptId, number);
      return;
    }
    case "tool-use":
      applyToolUse(db, batch, event, activity, sessions, eventName);
      return;
    case "file-snapshot": {
      const promptNumber = turnOf(db, batch, main, activity.promptId);
      for (const { path, kind, backup } of activity.files) {
        const stored = sessions.isElsewhere ? fromRoot(path, event, rootOf(db, batch, sessions.projectId)) : path;
        insertFileSnapshot(db, { sessionDbId: own, promptNumber, path: stored, kind, backup, at });
      }
      return;
    }
    case "message": {
      const number = turnOf(db, batch, main, activity.promptId);
      upsertMessage(db, { ...activity, sessionDbId: own, promptNumber: number, at });
      markStale(db, batch, main, number);
      if (own === main && activity.role === "assistant") goOn(db, batch, main, number, at);
      if (activity.model !== undefined) noteModel(db, batch, own, activity.model);
      return;
    }
    case "compaction":
      upsertMessage(db, {
        sessionDbId: own,
        promptNumber: turnOf(db, batch, main),
        uuid: activity.uuid,
        role: "summary",
        text: activity.summary,
        at,
      });
      if (own === main) noteCheckpoint(db, main, turnOf(db, batch, main), at);
      markStale(db, batch, main, turnOf(db, batch, main));
      return;
    case "title":
      setAgentTitle(db, own, activity.title);
      return;
    case "origin":
      if (own === main) noteOrigin(db, main, activity);
      return;
    case "turn-end": {
      const number = turnOf(db, batch, main, activity.promptId);
      const { response, isInterrupted = false } = activity;
      if (own === main) endTurn(db, batch, { sessionDbId: main, number, response, isInterrupted, at });
      else if (response !== undefined) setReport(db, own, response);
      markStale(db, batch, main, number);
      if (own !== main) settleTimes(db, batch, own);
      if (own !== main) endSession(db, own, { at, reason: isInterrupted ? INTERRUPTED : "subagent" });
      return;
    }
    case "response": {
      const number = turnOf(db, batch, main, activity.promptId);
      if (own === main) setResponse(db, { sessionDbId: main, number, response: activity.text, at });
      else setReport(db, own, activity.text);
      markStale(db, batch, main, number);
      return;
    }
    case "session-end":
      settleTimes(db, batch, main);
      endSession(db, main, { at, reason: activity.reason });
      return;
    case "checkpoint": {
      const number = turnOf(db, batch, main, activity.promptId);
      if (own === main) noteCheckpoint(db, main, number, at);
      markStale(db, batch, main, number);
      return;
    }
    case "machine-prompt":
    case "tool-start":
    case "subagent-start":
    case "injection":
      return;
  }
}

/** The first prompt that says what the work is about gives the title. */
function improveTitle(db: Db, sessionDbId: number, prompt: string, number: number): void {
  if (getAgentTitle(db, sessionDbId) !== null) return;
  const current = getTitle(db, sessionDbId);
  if (current !== null && number > 1 && !isWeakTitle(current)) return;
  const title = titleOf(prompt);
  if (current === null || !isWeakTitle(title)) setTitle(db, sessionDbId, title);
}

function applyToolUse(
  db: Db,
  batch: Batch,
  event: CapturedEvent,
  activity: Extract<Activity, { kind: "tool-use" }>,
  { own, main, projectId: project_id, isElsewhere }: Sessions,
  eventName: string,
): void {
  const promptNumber = turnOf(db, batch, main, activity.promptId);
  const toolUseId = activity.toolUseId ?? `c-mem:${eventName}`;
  const toolUseDbId = insertToolUse(db, {
    sessionDbId: own,
    promptNumber,
    promptId: activity.promptId,
    toolUseId,
    agentId: event.agentId,
    agentType: event.agentType,
    name: activity.name,
    input: JSON.stringify(activity.input),
    output: activity.output,
    isError: activity.isError,
    exitCode: activity.exitCode,
    durationMs: activity.durationMs,
    at: event.at,
  });
  const isNew = toolUseDbId !== undefined;
  if (isNew) markStale(db, batch, main, promptNumber);
  if (isNew && own === main) goOn(db, batch, main, promptNumber, event.at);
  for (const file of activity.files) {
    const { backup } = file;
    const path = isElsewhere ? fromRoot(file.path, event, rootOf(db, batch, project_id)) : file.path;
    if (isNew) insertFileTouch(db, { ...file, path, sessionDbId: own, toolUseDbId, at: event.at });
    else if (backup !== undefined) noteBackup(db, { sessionDbId: own, toolUseId, path, backup });
  }
  if (!isNew) return;
  const { name, input, output = null } = activity;
  batch.toolUses.push({ id: toolUseDbId, project_id, name, input, output, created_at: event.at });
  if (activity.name === "Bash") applyCommits(db, event, activity, main, promptNumber);
}

/** The agent has changed its folder: to one below the root of the session's project, or to another project. */
function fromRoot(path: string, { project }: CapturedEvent, root: string): string {
  const isRelative = !/^(?:\/|[A-Za-z]:|\\)/.test(path);
  return pathFromRoot(isRelative ? `${project.root}/${path}` : path, root);
}

function applyCommits(
  db: Db,
  event: CapturedEvent,
  activity: Extract<Activity, { kind: "tool-use" }>,
  main: number,
  promptNumber: number,
): void {
  const command = (activity.input as { command?: unknown } | null)?.command;
  if (typeof command !== "string") return;
  for (const commit of commitsMade(command, activity.output ?? "")) {
    insertCommit(db, { ...commit, sessionDbId: main, promptNumber, at: event.at });
  }
}
