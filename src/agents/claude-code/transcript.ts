// Reads a Claude Code transcript line by line into the same events that the hooks give.
import { dirname } from "node:path";
import type { AgentEvent } from "../../core/event.ts";
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
} from "../../core/json.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { readWhole } from "../agent-files.ts";
import { defined, ownValue } from "../fields.ts";
import { countUnknown, ignored, type LineReader, type TranscriptFile } from "../transcript.ts";
import { beginTurn, emit, endOfTurn, markTurn, startTurn, type Turn } from "../turn.ts";
import { withoutOriginalFile } from "./original-file.ts";
import { addBackup, type Backups, newlyTracked, readSnapshot, trackedTouch } from "./file-history.ts";
import { closeMessage, heldMessage, readAssistant, readResult } from "./message.ts";
import { isInterruption, isWakeUp, promptText } from "./prompt.ts";
import { emitQueued, enqueue, readDequeued, takeQueuedTime } from "./queue.ts";
import { type ClaudeCodeState, lineId } from "./state.ts";
import { addRecent, readHeads, titleFromHeads, titleOfRecent } from "./summary-titles.ts";

export const claudeCodeReader: LineReader<ClaudeCodeState> = {
  kind: "lines",
  start: (file) => ({
    turn: startSession(file),
    line: 0,
    calls: [],
    early: [],
    hasCustomTitle: false,
    queue: [],
    backups: [],
    privatePromptIds: [],
  }),
  // These lines are most of a transcript's bytes. The text matched around the type occurs in no tool input.
  skipped:
    /\{"type":"(?:api-request(?:-shape|-blob)?|last-prompt)"|"type":"progress","data":\{|"attachment":\{"type":"(?:hook_|(?:prompt_snapshot|skill_listing)")/,
  cut: withoutOriginalFile,
  read(state, json, notes) {
    state.line += 1;
    const line = asObject(json) ?? {};
    const read = ownValue(READERS, asString(line["type"]));
    if (read === undefined) countUnknown(notes, line["type"]);
    return read?.(state, line) ?? [];
  },
  flush: (state) => [
    ...emitQueued(structuredClone(state.queue), state.turn),
    ...heldMessage(state),
    ...endOfTurn(state.turn),
  ],
};

/** Reads a subagent's type from the small file beside its transcript. */
function startSession(file: TranscriptFile): Turn {
  const turn = startTurn(file);
  readHeads(dirname(file.path));
  const meta = file.isSubagent ? readWhole(file.path.replace(/\.jsonl$/, ".meta.json")) : undefined;
  const agentType = asId(asObject(parseJson(meta))?.["agentType"]);
  if (agentType !== undefined) turn.header.agentType = agentType;
  return turn;
}

type Read = (state: ClaudeCodeState, line: JsonObject) => AgentEvent[];

const READERS: Readonly<Record<string, Read>> = {
  assistant: readConversation,
  user: readConversation,
  system: readConversation,
  "queue-operation": readQueue,
  attachment: readAttachment,
  "file-history-snapshot": (state, line) => trackFiles(state, readSnapshot(line) ?? state.backups),
  "file-history-delta": (state, line) => trackFiles(state, addBackup(state.backups, line)),
  "custom-title": (state, line) => readTitle(state, asString(line["customTitle"]), true),
  summary: (state, line) => readSummaryTitle(state, titleOfRecent(state.recent ?? [], line)),
  "ai-title": (state, line) => readTitle(state, asString(line["aiTitle"]), false),
  // Lines without conversation: copies of requests, and Claude Code's own notes.
  ...ignored(
    "agent-name api-request api-request-blob api-request-shape atis-latch cost-state last-prompt mode permission-mode pr-link " +
      "progress tag tools-used",
  ),
};

/**
 * Emits each file once: when it is first listed, or after the first prompt if it is listed before. After a private
 * prompt, new files are dropped: they may belong to that turn.
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
  return emit(turn, { kind: "file-snapshot", promptId: turn.promptId, files });
}

function readQueue(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  const { operation } = line;
  if (operation === "enqueue") return enqueue(state.queue, state.turn, line) === "private" ? enterPrivate(state) : [];
  if (operation === "remove") return readDequeued(state.queue, state.turn, line);
  // popAll: the user took the waiting prompts back to edit them.
  if (operation === "popAll") state.queue = state.queue.filter(({ isTold }) => isTold);
  return [];
}

/** Reads a prompt handed over from the queue. A fork has only this line of the prompt, not the lines of the queue. */
function readAttachment(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  const attachment = asObject(line["attachment"]);
  if (attachment?.["type"] !== "queued_command") return [];
  if (isWhollyPrivate(asString(attachment["prompt"]) ?? "")) return enterPrivate(state);
  return readDequeued(state.queue, state.turn, line);
}

/**
 * Call for a private prompt during a turn. The rest of the turn, and its subagents' work, may be for that prompt and is
 * skipped. A message that began before that prompt ends here.
 */
function enterPrivate(state: ClaudeCodeState): AgentEvent[] {
  const { turn } = state;
  const events = turn.isPrivate ? [] : closeMessage(state);
  turn.isPrivate = true;
  turn.wasPrivate = true;
  const { promptId } = turn;
  if (promptId !== undefined && !state.privatePromptIds.includes(promptId)) {
    state.privatePromptIds = [...state.privatePromptIds, promptId].slice(-MAX_PRIVATE_PROMPTS);
  }
  return events;
}

/** Limit per session; the oldest are dropped. */
const MAX_PRIVATE_PROMPTS = 1_000;

function readConversation(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  readHeader(state.turn, line);
  state.firstFolder ||= state.turn.header.cwd;
  addRecent((state.recent ??= []), line);
  const title = titleFromHeads(dirname(state.turn.header.transcriptPath ?? ""), line);
  const events = [...takeTitle(state), ...readSummaryTitle(state, title)];
  const message = asObject(line["message"]);
  if (line["type"] === "system") events.push(...readNote(state, line));
  else if (message === undefined || line["isMeta"] === true) return events;
  else if (line["type"] === "assistant") events.push(...readAssistant(state, line, message));
  else events.push(...readUser(state, line, message));
  // Snapshots and the origin are emitted only with other events: alone they are no session.
  if (events.length > 0 && state.turn.promptId !== undefined) events.push(...takeTracked(state));
  if (events.length > 0 && !state.hasOrigin) events.push(...readOrigin(state, line));
  return events;
}

/** The origin of a session: the plan that it shares with the session that wrote the plan, or the original of a fork. */
function readOrigin(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  const plan = asId(line["slug"]);
  const from = copiedFrom(line);
  const forkedFrom = from ?? state.forkedFrom;
  if (plan === undefined && forkedFrom === undefined) return [];
  // Emitted again at the first line that is not a copy: the events of copied lines may be left out later.
  if (from !== undefined && state.forkedFrom !== undefined) return [];
  if (from !== undefined) state.forkedFrom = from;
  else state.hasOrigin = true;
  return emit(state.turn, { kind: "origin", plan, forkedFrom });
}

function readHeader(turn: Turn, line: JsonObject): void {
  turn.header = defined<Turn["header"]>({
    ...turn.header,
    cwd: asString(line["cwd"]) ?? turn.header.cwd,
    at: asTime(line["timestamp"]) ?? turn.header.at,
    branch: asString(line["gitBranch"]) ?? "",
    version: asString(line["version"]),
    agentId: asId(line["agentId"]),
    copiedFrom: copiedFrom(line),
  });
}

/** Every copied line of a fork names the original session. */
function copiedFrom(line: JsonObject): string | undefined {
  return asId(asObject(line["forkedFrom"])?.["sessionId"]);
}

function readTitle(state: ClaudeCodeState, title: string | undefined, isCustom: boolean): AgentEvent[] {
  if (title === undefined || title.trim() === "" || (state.hasCustomTitle && !isCustom)) return [];
  state.hasCustomTitle ||= isCustom;
  state.hasTitle = true;
  state.title = title;
  return state.turn.header.at > 0 ? takeTitle(state) : [];
}

function readSummaryTitle(state: ClaudeCodeState, title: string | undefined): AgentEvent[] {
  if (title === undefined || state.hasTitle || state.turn.header.agentId !== undefined) return [];
  state.title = title;
  return takeTitle(state);
}

/** Emits the waiting title at the first line that has a time and a folder and is not a copy. */
function takeTitle(state: ClaudeCodeState): AgentEvent[] {
  const { title, turn } = state;
  const mayWait = turn.header.copiedFrom !== undefined && !turn.wasPrivate;
  if (title === undefined || mayWait) return [];
  delete state.title;
  return emit(turn, { kind: "title", title });
}

/** Of Claude Code's notes only two matter: the end of a turn, and the recap for a user who was away. */
function readNote(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  const { turn } = state;
  // turn_duration ends a turn, even if its last message had no text.
  if (line["subtype"] === "turn_duration" && turn.end === undefined) markTurn(turn, "ended");
  const text = asString(line["content"])?.replace(/\s*\(disable recaps in \/config\)\s*$/, "");
  if (line["subtype"] !== "away_summary" || !text) return [];
  const uuid = asId(line["uuid"]) ?? lineId(state);
  const parentUuid = asId(line["parentUuid"]);
  return emit(turn, { kind: "message", uuid, parentUuid, promptId: turn.promptId, role: "system", text });
}

function readUser(state: ClaudeCodeState, line: JsonObject, message: JsonObject): AgentEvent[] {
  const { turn } = state;
  const { content } = message;
  if (line["isCompactSummary"] === true) return readSummary(state, line, content);
  const ownPromptId = asId(line["promptId"]);
  // A subagent's "prompt" is no prompt: it is the task from the Agent call.
  const isSubagent = turn.header.agentId !== undefined || line["isSidechain"] === true;
  if (isSubagent && ownPromptId !== undefined) {
    turn.promptId = ownPromptId;
    turn.isPrivate = state.privatePromptIds.includes(ownPromptId);
  }
  const results = asObjects(content).filter((block) => block["type"] === "tool_result");
  if (isInterruption(content)) markTurn(turn, "interrupted");
  else if (results.length > 0 || isWakeUp(content)) markTurn(turn, "working");
  if (results.length > 0) return results.flatMap((block) => readResult(state, line, block));
  const text = promptText(content);
  if (text === undefined || isSubagent) return [];
  const promptId = ownPromptId ?? asId(line["uuid"]) ?? lineId(state);
  const at = takeQueuedTime(state.queue, text);
  const events = [...closeMessage(state), ...emitQueued(state.queue, turn), ...beginTurn(turn, promptId, text, at)];
  // A fork does not show where in the turn the private prompt was, so the whole turn is private.
  const isForked = asObject(line["forkedFrom"]) !== undefined && state.privatePromptIds.includes(promptId);
  if (turn.isPrivate || isForked) enterPrivate(state);
  return events;
}

function readSummary(state: ClaudeCodeState, line: JsonObject, content: Json | undefined): AgentEvent[] {
  const summary = contentText(content);
  if (summary === undefined || summary.trim() === "") return [];
  const uuid = asId(line["uuid"]) ?? lineId(state);
  return [...closeMessage(state), ...emit(state.turn, { kind: "compaction", uuid, summary })];
}
