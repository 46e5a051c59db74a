// Reads a Claude Code transcript, line by line, into the same events the hooks give.
import type { AgentEvent } from "../../core/event.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { readWhole } from "../agent-files.ts";
import { countUnknown } from "../notes.ts";
import type { LineReader, ReadNotes, TranscriptFile } from "../transcript.ts";
import {
  beginTurn,
  emit,
  endOfTurn,
  markEnded,
  markInterrupted,
  markWorking,
  promptOf,
  startTurn,
  type Turn,
} from "../turn.ts";
import {
  asId,
  asObject,
  asObjects,
  asString,
  asTime,
  contentText,
  type Json,
  type JsonObject,
  parseJson,
  present,
} from "../../core/json.ts";
import { withoutOriginalFile } from "./bulk.ts";
import { readResult } from "./call.ts";
import { addBackup, type Backups, newlyTracked, readSnapshot, trackedTouch } from "./file-history.ts";
import { closeMessage, heldMessage, readAssistant } from "./message.ts";
import { isInterruption, isWakeUp, promptText } from "./prompt.ts";
import { enqueue, forgetQueued, takeQueued, tellQueued, typedAt } from "./queue.ts";
import { type ClaudeCodeState, lineId } from "./state.ts";

interface ClaudeCodeReader extends LineReader<ClaudeCodeState> {
  start(file: TranscriptFile, privatePromptIds?: readonly string[]): ClaudeCodeState;
}

export const claudeCodeReader: ClaudeCodeReader = {
  kind: "lines",
  start: (file, privatePromptIds = []) => ({
    turn: startSession(file),
    line: 0,
    calls: [],
    early: [],
    hasCustomTitle: false,
    queue: [],
    backups: [],
    privatePromptIds: [...privatePromptIds],
  }),
  // Most bytes of a transcript. With their neighbours in the line, so that nothing a tool was given looks like them.
  skipped:
    /\{"type":"(?:api-request(?:-shape|-blob)?|last-prompt)"|"type":"progress","data":\{|"attachment":\{"type":"(?:hook_|(?:prompt_snapshot|skill_listing)")/,
  cut: withoutOriginalFile,
  read(state, line, notes) {
    state.line += 1;
    return readLine(state, asObject(line), notes);
  },
  flush: (state) => [
    ...tellQueued(structuredClone(state.queue), state.turn),
    ...heldMessage(state),
    ...endOfTurn(state.turn),
  ],
};

/** What kind of agent a subagent is stands in a small file beside its transcript. */
function startSession(file: TranscriptFile): Turn {
  const turn = startTurn(file);
  const meta = file.isSubagent ? readWhole(file.path.replace(/\.jsonl$/, ".meta.json")) : undefined;
  const agentType = asId(asObject(parseJson(meta))?.["agentType"]);
  if (agentType !== undefined) turn.header.agentType = agentType;
  return turn;
}

/** Known, and no conversation: copies of requests, notes of the client. */
const IGNORED = new Set(
  (
    "agent-name api-request api-request-blob api-request-shape atis-latch cost-state " +
    "last-prompt mode permission-mode pr-link progress summary tag tools-used"
  ).split(" "),
);

function readLine(state: ClaudeCodeState, line: JsonObject | undefined, notes: ReadNotes): AgentEvent[] {
  const type = line?.["type"];
  switch (line === undefined ? undefined : type) {
    case "assistant":
    case "user":
    case "system":
      return readConversation(state, line ?? {});
    case "queue-operation":
      return readQueue(state, line ?? {});
    case "attachment":
      return asObject(line?.["attachment"])?.["type"] === "queued_command" ? readHandedOver(state, line ?? {}) : [];
    case "file-history-snapshot":
      return trackFiles(state, readSnapshot(line ?? {}) ?? state.backups);
    case "file-history-delta":
      return trackFiles(state, addBackup(state.backups, line ?? {}));
    case "custom-title":
      return readTitle(state, asString(line?.["customTitle"]), true);
    case "ai-title":
      return readTitle(state, asString(line?.["aiTitle"]), false);
    default:
      if (typeof type !== "string" || !IGNORED.has(type)) countUnknown(notes, type);
      return [];
  }
}

/**
 * Each file is told of once, when it is first tracked; before the first prompt it waits. After a private prompt new files
 * may be that turn's: their names are not kept.
 */
function trackFiles(state: ClaudeCodeState, backups: Backups): AgentEvent[] {
  const { turn } = state;
  const fresh = newlyTracked(state.backups, backups);
  const isPrivate = turn.isPrivate || turn.wasPrivate;
  state.backups = isPrivate ? backups.filter((file) => !fresh.includes(file)) : backups;
  if (fresh.length === 0 || isPrivate) return [];
  state.tracked = [...(state.tracked ?? []), ...fresh];
  return turn.promptId === undefined ? [] : takeTracked(state);
}

function takeTracked(state: ClaudeCodeState): AgentEvent[] {
  const { tracked = [], turn } = state;
  delete state.tracked;
  if (tracked.length === 0) return [];
  const files = tracked.map((file) => trackedTouch(file, state.firstFolder || turn.header.cwd));
  return emit(turn, { kind: "file-snapshot", ...promptOf(turn), files });
}

function readQueue(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  switch (line["operation"]) {
    case "enqueue":
      return enqueue(state.queue, state.turn, line) === undefined ? [] : enterPrivate(state);
    case "remove":
      return takeQueued(state.queue, state.turn, line);
    case "popAll":
      state.queue = forgetQueued(state.queue);
      return [];
    default:
      return [];
  }
}

/** In a fork this is all that says of a prompt from the queue: the lines of the queue are not copied. */
function readHandedOver(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  const prompt = asString(asObject(line["attachment"])?.["prompt"]) ?? "";
  return isWhollyPrivate(prompt) ? enterPrivate(state) : takeQueued(state.queue, state.turn, line);
}

/**
 * A private prompt in the middle of a turn: what follows may be for it, also what subagents do under the turn's id. What was said
 * before it is told now: of a message that goes on no more is taken in.
 */
function enterPrivate(state: ClaudeCodeState): AgentEvent[] {
  const { turn } = state;
  const events = turn.isPrivate ? [] : closeMessage(state);
  turn.isPrivate = true;
  turn.wasPrivate = true;
  if (turn.promptId !== undefined) rememberPrivate(state, turn.promptId);
  return events;
}

function readConversation(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  readHeader(state.turn, line);
  state.firstFolder ||= state.turn.header.cwd;
  const events = takeTitle(state);
  const message = asObject(line["message"]);
  if (line["type"] === "system") events.push(...readNote(state, line));
  else if (message === undefined || line["isMeta"] === true) return events;
  else if (line["type"] === "assistant") events.push(...readAssistant(state, line, message));
  else events.push(...readUser(state, line, message));
  if (events.length > 0 && state.turn.promptId !== undefined) events.push(...takeTracked(state));
  // Beside something that happened: a file of nothing else is no session.
  if (events.length > 0 && !state.hasOrigin) events.push(...readOrigin(state, line));
  return events;
}

/** A plan's name goes from the session that made it to the one that carries it out; a fork copies lines and says whose they were. */
function readOrigin(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  const plan = asId(line["slug"]);
  const from = copiedFrom(line);
  const forkedFrom = from ?? state.forkedFrom;
  if (plan === undefined && forkedFrom === undefined) return [];
  // What was copied may be left out: with the first thing that is its own it is said again.
  if (from !== undefined && state.forkedFrom !== undefined) return [];
  if (from !== undefined) state.forkedFrom = from;
  else state.hasOrigin = true;
  return emit(state.turn, {
    kind: "origin",
    ...(plan !== undefined && { plan }),
    ...(forkedFrom !== undefined && { forkedFrom }),
  });
}

function readHeader(turn: Turn, line: JsonObject): void {
  const agentId = asId(line["agentId"]);
  const version = asString(line["version"]);
  const { agentId: _agentId, version: _version, copiedFrom: _copiedFrom, ...rest } = turn.header;
  turn.header = {
    ...rest,
    cwd: asString(line["cwd"]) ?? rest.cwd,
    at: asTime(line["timestamp"]) ?? rest.at,
    branch: asString(line["gitBranch"]) ?? "",
    ...(version !== undefined && { version }),
    ...(agentId !== undefined && { agentId }),
    ...present("copiedFrom", copiedFrom(line)),
  };
}

/** A fork stamps every line it copies with whose it was. */
function copiedFrom(line: JsonObject): string | undefined {
  return asId(asObject(line["forkedFrom"])?.["sessionId"]);
}

function readTitle(state: ClaudeCodeState, title: string | undefined, isCustom: boolean): AgentEvent[] {
  if (title === undefined || title.trim() === "" || (state.hasCustomTitle && !isCustom)) return [];
  state.hasCustomTitle ||= isCustom;
  state.title = title;
  return state.turn.header.at > 0 ? takeTitle(state) : [];
}

/** The title that waits for a line that says when and where, and is no copy. */
function takeTitle(state: ClaudeCodeState): AgentEvent[] {
  const { title, turn } = state;
  const mayWait = turn.header.copiedFrom !== undefined && !turn.wasPrivate;
  if (title === undefined || mayWait) return [];
  delete state.title;
  return emit(turn, { kind: "title", title });
}

/** Of the client's own notes only the recap it shows somebody who was away says something about the work. */
function readNote(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  // Written by the client when a turn is over, also where its last message had no words.
  if (line["subtype"] === "turn_duration" && state.turn.end === undefined) markEnded(state.turn);
  const text = asString(line["content"])?.replace(/\s*\(disable recaps in \/config\)\s*$/, "");
  if (line["subtype"] !== "away_summary" || !text) return [];
  const uuid = asId(line["uuid"]) ?? lineId(state);
  return emit(state.turn, {
    kind: "message",
    uuid,
    ...present("parentUuid", asId(line["parentUuid"])),
    ...promptOf(state.turn),
    role: "system",
    text,
  });
}

function readUser(state: ClaudeCodeState, line: JsonObject, message: JsonObject): AgentEvent[] {
  const { turn } = state;
  const content = message["content"];
  if (line["isCompactSummary"] === true) return readSummary(state, line, content);
  const ownPromptId = asId(line["promptId"]);
  // A subagent's own "prompt" is the Agent call of the session that started it.
  const isSubagent = turn.header.agentId !== undefined || line["isSidechain"] === true;
  if (isSubagent && ownPromptId !== undefined) {
    turn.promptId = ownPromptId;
    turn.isPrivate = state.privatePromptIds.includes(ownPromptId);
  }
  const results = asObjects(content).filter((block) => block["type"] === "tool_result");
  if (results.length > 0) markWorking(turn);
  if (isInterruption(content)) markInterrupted(turn);
  else if (isWakeUp(content)) markWorking(turn);
  if (results.length > 0) return results.flatMap((block) => readResult(state, line, block));
  const text = promptText(content);
  if (text === undefined || isSubagent) return [];
  const promptId = ownPromptId ?? asId(line["uuid"]) ?? lineId(state);
  const at = typedAt(state.queue, text);
  const events = [...closeMessage(state), ...tellQueued(state.queue, turn), ...beginTurn(turn, promptId, text, at)];
  // Where in the turn its private prompt came, a fork may not tell.
  const isForked = asObject(line["forkedFrom"]) !== undefined && state.privatePromptIds.includes(promptId);
  if (turn.isPrivate || isForked) enterPrivate(state);
  return events;
}

/** A session with more private prompts than this forgets the oldest. */
const MAX_PRIVATE_PROMPTS = 1_000;

function rememberPrivate(state: ClaudeCodeState, promptId: string): void {
  if (state.privatePromptIds.includes(promptId)) return;
  state.privatePromptIds = [...state.privatePromptIds, promptId].slice(-MAX_PRIVATE_PROMPTS);
}

function readSummary(state: ClaudeCodeState, line: JsonObject, content: Json | undefined): AgentEvent[] {
  const summary = contentText(content);
  if (summary === undefined || summary.trim() === "") return [];
  const uuid = asId(line["uuid"]) ?? lineId(state);
  return [...closeMessage(state), ...emit(state.turn, { kind: "compaction", uuid, summary })];
}
