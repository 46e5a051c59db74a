// Writes a captured event to the database. Applying it twice changes nothing: rows are keyed by the agent's own ids.
import type { Activity, CapturedEvent } from "../../core/event.ts";
import { isWeakTitle, titleOf } from "../../core/title.ts";
import type { Db } from "../../store/db/driver.ts";
import { insertCommit } from "../../store/tables/commits.ts";
import { insertFileSnapshot } from "../../store/tables/file-snapshots.ts";
import { insertFileTouch, setSnapshotName } from "../../store/tables/file-touches.ts";
import { insertInjection } from "../../store/tables/injections.ts";
import { upsertMessage } from "../../store/tables/messages.ts";
import { requestHandovers } from "../../store/tables/model-turns.ts";
import { insertPrompt, setCheckpoint, setResponse } from "../../store/tables/prompts.ts";
import { INTERRUPTED } from "../../store/tables/session-status.ts";
import { markTurnMemoryStale } from "../../store/tables/stale-turns.ts";
import {
  endSession,
  setPlanAndForkSource,
  reopenSession,
  sessionTitles,
  updateSession,
} from "../../store/tables/sessions.ts";
import { hasTombstones } from "../../store/tables/tombstones.ts";
import { moveToTurn, insertToolUse } from "../../store/tables/tool-uses.ts";
import { pathFromRoot } from "../project.ts";
import {
  type Batch,
  continueTurn,
  endBatch,
  endTurn,
  clearTurns,
  markStale,
  noteModel,
  projectId,
  rootOf,
  sessionOf,
  writeTimesNow,
  startBatch,
  turnOf,
} from "./batch.ts";
import { isForkDuplicate, withoutForgotten } from "./skip-event.ts";

/** `dropName` replaces a tool-use id that the agent did not give. */
export function applyEvent(db: Db, event: CapturedEvent, dropName: string): void {
  const batch = startBatch();
  applyInBatch(db, batch, event, dropName);
  endBatch(db, batch);
}

/** For many events in one transaction; call `endBatch` before it ends. */
export function applyInBatch(db: Db, batch: Batch, captured: CapturedEvent, dropName: string): void {
  batch.hasTombstones ??= hasTombstones(db);
  if (isForkDuplicate(db, captured)) return;
  const event = batch.hasTombstones ? withoutForgotten(db, captured) : captured;
  if (event === undefined) return;
  const sessions = upsertSessions(db, batch, event);
  if (sessions.isPurged) return;
  applyActivity(db, batch, event, sessions, dropName);
  if (event.injection !== undefined) insertInjection(db, sessions.own, event.injection, event.at);
}

interface Sessions {
  /** The event's session; for a subagent's event, the subagent's. */
  own: number;
  /** The session that a person sees: for a subagent's event, its parent. */
  main: number;
  projectId: number;
  /** True if the event's folder is in another project than the session. */
  isInOtherProject: boolean;
  /** True if retention deleted this part of the session: reading the transcript again must not restore it. */
  isPurged: boolean;
}

function upsertSessions(db: Db, batch: Batch, event: CapturedEvent): Sessions {
  const { agent, agentId, agentType, sessionId, transcriptPath, cwd, branch, version, at } = event;
  const shared = { agent, projectId: projectId(db, batch, event), cwd, branch, version, at };
  const main = sessionOf(db, batch, { ...shared, sessionId, transcriptPath });
  const subagent = { sessionId: `agent-${agentId}`, parentId: main.id, subtitle: agentType };
  const own = agentId === undefined ? main : sessionOf(db, batch, { ...shared, ...subagent });
  return {
    own: own.id,
    main: main.id,
    projectId: own.projectId,
    isInOtherProject: main.projectId !== shared.projectId,
    isPurged: main.purgedAt !== null && at <= main.purgedAt,
  };
}

function applyActivity(db: Db, batch: Batch, event: CapturedEvent, sessions: Sessions, dropName: string): void {
  const { activity, at } = event;
  const { own, main } = sessions;
  const isMain = own === main;
  const currentTurn = (): number => turnOf(db, batch, main, "promptId" in activity ? activity.promptId : undefined);
  switch (activity.kind) {
    case "session-start":
      reopenSession(db, main, at);
      requestHandovers(db, sessions.projectId, main, at);
      if (activity.model !== undefined) noteModel(db, batch, main, activity.model);
      return;
    case "prompt": {
      const { promptId, text } = activity;
      const { number, newId, ownsId } = insertPrompt(db, { sessionDbId: main, promptId, text, at });
      clearTurns(batch);
      if (newId === undefined) return;
      batch.prompts.push({ id: newId, text });
      markStale(db, batch, main, number);
      // This prompt may accept what the turn before proposed.
      markTurnMemoryStale(db, main, number - 1);
      reopenSession(db, main, at);
      improveTitle(db, main, text, number);
      if (promptId !== undefined && ownsId) moveToTurn(db, main, promptId, number);
      return;
    }
    case "tool-use":
      applyToolUse(db, batch, event, activity, sessions, dropName);
      return;
    case "file-snapshot": {
      const promptNumber = currentTurn();
      for (const { path, kind, backup } of activity.files) {
        const stored = pathInProject(db, batch, path, event, sessions);
        insertFileSnapshot(db, { sessionDbId: own, promptNumber, path: stored, kind, name: backup, at });
      }
      return;
    }
    case "message": {
      const number = currentTurn();
      upsertMessage(db, { ...activity, sessionDbId: own, promptNumber: number, at });
      markStale(db, batch, main, number);
      if (isMain && activity.role === "assistant") continueTurn(db, batch, main, number, at);
      if (activity.model !== undefined) noteModel(db, batch, own, activity.model);
      return;
    }
    case "compaction":
    case "checkpoint": {
      const number = currentTurn();
      if (activity.kind === "compaction") {
        const { uuid, summary: text } = activity;
        upsertMessage(db, { sessionDbId: own, promptNumber: number, uuid, role: "summary", text, at });
      }
      if (isMain) setCheckpoint(db, main, number, at);
      markStale(db, batch, main, number);
      return;
    }
    case "title":
      updateSession(db, own, { title: activity.title, agent_title: activity.title });
      return;
    case "origin":
      if (isMain) setPlanAndForkSource(db, main, activity);
      return;
    case "turn-end": {
      const number = currentTurn();
      const { response, isInterrupted = false } = activity;
      if (isMain) endTurn(db, batch, { sessionDbId: main, number, response, isInterrupted, at });
      else if (response !== undefined) updateSession(db, own, { report: response });
      markStale(db, batch, main, number);
      if (isMain) return;
      writeTimesNow(db, batch, own);
      endSession(db, own, { at, reason: isInterrupted ? INTERRUPTED : "subagent" });
      return;
    }
    case "response": {
      const number = currentTurn();
      if (isMain) setResponse(db, { sessionDbId: main, number, response: activity.text, at });
      else updateSession(db, own, { report: activity.text });
      markStale(db, batch, main, number);
      return;
    }
    case "session-end":
      writeTimesNow(db, batch, main);
      endSession(db, main, { at, reason: activity.reason });
      return;
    case "machine-prompt":
    case "tool-start":
    case "subagent-start":
    case "injection":
      return;
  }
}

/** The title comes from the first prompt that names a task: "Fix the login", not "hi". */
function improveTitle(db: Db, sessionDbId: number, prompt: string, number: number): void {
  const { title: current, agent_title: agentTitle } = sessionTitles(db, sessionDbId);
  if (agentTitle !== null) return;
  if (current !== null && number > 1 && !isWeakTitle(current)) return;
  const title = titleOf(prompt);
  if (current === null || !isWeakTitle(title)) updateSession(db, sessionDbId, { title });
}

type ToolUse = Extract<Activity, { kind: "tool-use" }>;

function applyToolUse(
  db: Db,
  batch: Batch,
  event: CapturedEvent,
  activity: ToolUse,
  sessions: Sessions,
  dropName: string,
): void {
  const { at, agentId, agentType } = event;
  const { own, main } = sessions;
  const { name, promptId, output, isError, exitCode, durationMs, toolUseId = `c-mem:${dropName}` } = activity;
  const promptNumber = turnOf(db, batch, main, promptId);
  const ids = { sessionDbId: own, promptNumber, promptId, toolUseId, agentId, agentType };
  const input = JSON.stringify(activity.input);
  const toolUseDbId = insertToolUse(db, { ...ids, name, input, output, isError, exitCode, durationMs, at });
  for (const file of activity.files) {
    const path = pathInProject(db, batch, file.path, event, sessions);
    if (toolUseDbId !== undefined) insertFileTouch(db, { ...file, path, sessionDbId: own, toolUseDbId, at });
    else if (file.backup !== undefined) setSnapshotName(db, { sessionDbId: own, toolUseId, path, name: file.backup });
  }
  if (toolUseDbId === undefined) return;
  markStale(db, batch, main, promptNumber);
  if (own === main) continueTurn(db, batch, main, promptNumber, at);
  const project_id = sessions.projectId;
  batch.toolUses.push({
    id: toolUseDbId,
    project_id,
    name,
    input: activity.input,
    output: output ?? null,
    created_at: at,
  });
  for (const commit of commitsMade(activity)) insertCommit(db, { ...commit, sessionDbId: main, promptNumber, at });
}

/** If the event's folder is in another project, makes the path relative to the root of the session's project. */
function pathInProject(db: Db, batch: Batch, path: string, { project }: CapturedEvent, sessions: Sessions): string {
  if (!sessions.isInOtherProject) return path;
  const isRelative = !/^(?:\/|[A-Za-z]:|\\)/.test(path);
  return pathFromRoot(isRelative ? `${project.root}/${path}` : path, rootOf(db, batch, sessions.projectId));
}

/** Finds the commits that git printed in a shell command's output: "[main 1a2b3c4] Subject", "[detached HEAD 1a2b3c4] …". */
function commitsMade({ name, input, output = "" }: ToolUse): { sha: string; branch: string; subject: string }[] {
  const command = name === "Bash" ? (input as { command?: unknown } | null)?.command : undefined;
  if (typeof command !== "string" || !/\bcommit\b|\bcherry-pick\b|\brevert\b|\bmerge\b/.test(command)) return [];
  const lines = output.matchAll(
    /^\[(detached HEAD|[^\]\s]{1,200})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,300})$/gm,
  );
  return Array.from(lines, ([, branch = "", sha = "", subject = ""]) => ({ sha, branch, subject }));
}
