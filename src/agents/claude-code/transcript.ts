// Reads a Claude Code transcript, line by line, into the same events the hooks give.
import type { Activity, AgentEvent, FileTouch, TokenCounts } from "../../core/event.ts";
import { keepCall, takeCall } from "../calls.ts";
import { readWhole } from "../files.ts";
import { stripLineNumbers } from "../line-numbers.ts";
import { countUnknown } from "../notes.ts";
import type { LineReader, ReadNotes, TranscriptFile } from "../transcript.ts";
import { beginTurn, emit, endOfTurn, promptOf, startTurn, type Turn } from "../turn.ts";
import {
  asCount,
  asId,
  asObject,
  asObjects,
  asString,
  asTime,
  blocksText,
  type Json,
  type JsonObject,
  parseJson,
  present,
} from "../wire.ts";
import { exitCode } from "./event.ts";
import { addBackup, backupOf, type Backups, readSnapshot } from "./file-history.ts";
import { promptText } from "./prompt.ts";
import { enqueue, forgetQueued, type QueuedPrompt, takeQueued, tellQueued, typedAt } from "./queue.ts";
import { toolOutput, touchedFiles } from "./tool.ts";

interface Call {
  id: string;
  name: string;
  input: Json;
}

/** A result that stands in the file before its call. */
interface EarlyResult {
  id: string;
  header: Turn["header"];
  line: JsonObject;
  block: JsonObject;
}

/** They come right after; what no call follows is not waited for long, and may be large. */
const MAX_EARLY_RESULTS = 8;

type Message = Extract<Activity, { kind: "message" }>;

export interface ClaudeCodeState {
  turn: Turn;
  line: number;
  calls: Call[];
  early: EarlyResult[];
  /** A message comes one block a line, with tool results in between: it is held back until another one begins. */
  message?: AgentEvent & { activity: Message };
  /** A title met before the first line that says when and where. */
  title?: string;
  hasCustomTitle: boolean;
  /** It was said what the session goes on with. */
  hasOrigin?: boolean;
  queue: QueuedPrompt[];
  backups: Backups;
  /**
   * Prompts that are wholly private, with all that was done for them. A session's subagents work for the same prompts
   * but have files of their own: who reads them puts the ids of the session's state here, at the start or later.
   */
  privatePromptIds: string[];
}

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
  skipBytes: [
    '{"type":"api-request"',
    '{"type":"api-request-shape"',
    '{"type":"api-request-blob"',
    '{"type":"last-prompt"',
    '"type":"progress","data":{',
    '"attachment":{"type":"hook_',
    '"attachment":{"type":"prompt_snapshot"',
    '"attachment":{"type":"skill_listing"',
  ],
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
      return asObject(line?.["attachment"])?.["type"] === "queued_command"
        ? takeQueued(state.queue, state.turn, line ?? {})
        : [];
    case "file-history-snapshot":
      state.backups = readSnapshot(line ?? {}) ?? state.backups;
      return [];
    case "file-history-delta":
      state.backups = addBackup(state.backups, line ?? {});
      return [];
    case "custom-title":
      return readTitle(state, asString(line?.["customTitle"]), true);
    case "ai-title":
      return readTitle(state, asString(line?.["aiTitle"]), false);
    default:
      if (typeof type !== "string" || !IGNORED.has(type)) countUnknown(notes, type);
      return [];
  }
}

function readQueue(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  switch (line["operation"]) {
    case "enqueue":
      if (enqueue(state.queue, state.turn, line) !== undefined) enterPrivate(state);
      return [];
    case "remove":
      return takeQueued(state.queue, state.turn, line);
    case "popAll":
      state.queue = forgetQueued(state.queue);
      return [];
    default:
      return [];
  }
}

/** A private prompt in the middle of a turn: what follows may be for it, also what subagents do under the turn's id. */
function enterPrivate(state: ClaudeCodeState): void {
  const { turn } = state;
  turn.isPrivate = true;
  turn.wasPrivate = true;
  if (turn.promptId !== undefined) rememberPrivate(state, turn.promptId);
}

function readConversation(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  readHeader(state.turn, line);
  const events = state.title === undefined ? [] : emit(state.turn, { kind: "title", title: state.title });
  delete state.title;
  const message = asObject(line["message"]);
  if (line["type"] === "system") events.push(...readNote(state, line));
  else if (message === undefined || line["isMeta"] === true) return events;
  else if (line["type"] === "assistant") events.push(...readAssistant(state, line, message));
  else events.push(...readUser(state, line, message));
  // Beside something that happened: a file of nothing else is no session.
  if (events.length > 0 && !state.hasOrigin) events.push(...readOrigin(state, line));
  return events;
}

/** A plan's name goes from the session that made it to the one that carries it out; a fork copies lines and says whose they were. */
function readOrigin(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
  const plan = asId(line["slug"]);
  const forkedFrom = asId(asObject(line["forkedFrom"])?.["sessionId"]);
  if (plan === undefined && forkedFrom === undefined) return [];
  state.hasOrigin = true;
  return emit(state.turn, {
    kind: "origin",
    ...(plan !== undefined && { plan }),
    ...(forkedFrom !== undefined && { forkedFrom }),
  });
}

function readHeader(turn: Turn, line: JsonObject): void {
  const agentId = asId(line["agentId"]);
  const version = asString(line["version"]);
  const { agentId: _agentId, version: _version, ...rest } = turn.header;
  turn.header = {
    ...rest,
    cwd: asString(line["cwd"]) ?? rest.cwd,
    at: asTime(line["timestamp"]) ?? rest.at,
    branch: asString(line["gitBranch"]) ?? "",
    ...(version !== undefined && { version }),
    ...(agentId !== undefined && { agentId }),
  };
}

function readTitle(state: ClaudeCodeState, title: string | undefined, isCustom: boolean): AgentEvent[] {
  if (title === undefined || title.trim() === "" || (state.hasCustomTitle && !isCustom)) return [];
  state.hasCustomTitle ||= isCustom;
  if (state.turn.header.at > 0) return emit(state.turn, { kind: "title", title });
  state.title = title;
  return [];
}

/** Of the client's own notes only the recap it shows somebody who was away says something about the work. */
function readNote(state: ClaudeCodeState, line: JsonObject): AgentEvent[] {
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

function readAssistant(state: ClaudeCodeState, line: JsonObject, message: JsonObject): AgentEvent[] {
  const { turn } = state;
  const uuid = asId(message["id"]) ?? asId(line["uuid"]) ?? lineId(state);
  const events = state.message?.activity.uuid === uuid ? [] : closeMessage(state);
  if (!turn.isPrivate) state.message ??= { ...turn.header, activity: emptyMessage(turn, uuid, line, message) };
  const held = state.message?.activity;
  for (const block of asObjects(message["content"])) {
    const id = asId(block["id"]);
    const text = asString(block["text"]);
    const thinking = asString(block["thinking"]);
    if (block["type"] === "tool_use" && id !== undefined) {
      events.push(...readCall(state, { id, name: asId(block["name"]) ?? "unknown", input: block["input"] ?? {} }));
    } else if (block["type"] === "text" && text) {
      turn.response = { text, at: turn.header.at };
      if (held !== undefined) held.text = join(held.text, text);
    } else if (block["type"] === "thinking" && thinking && held !== undefined) {
      held.thinking = join(held.thinking ?? "", thinking);
    }
  }
  // The usage is repeated on every line of a message, and only the last one is final.
  const tokens = tokenCounts(asObject(message["usage"]));
  if (held !== undefined && tokens !== undefined) held.tokens = tokens;
  return events;
}

function emptyMessage(turn: Turn, uuid: string, line: JsonObject, message: JsonObject): Message {
  const model = asString(message["model"]);
  const isNote = line["isApiErrorMessage"] === true || model === "<synthetic>";
  return {
    kind: "message",
    uuid,
    ...present("parentUuid", asId(line["parentUuid"])),
    ...promptOf(turn),
    role: isNote ? "system" : "assistant",
    text: "",
    ...(model !== undefined && !isNote && { model }),
  };
}

function tokenCounts(usage: JsonObject | undefined): TokenCounts | undefined {
  const input = asCount(usage?.["input_tokens"]);
  const output = asCount(usage?.["output_tokens"]);
  if (usage === undefined || input === undefined || output === undefined) return undefined;
  const cacheRead = asCount(usage["cache_read_input_tokens"]);
  const cacheWrite = asCount(usage["cache_creation_input_tokens"]);
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

function closeMessage(state: ClaudeCodeState): AgentEvent[] {
  const events = heldMessage(state);
  delete state.message;
  return events;
}

/** A message that only calls tools has no words, but it has its cost. */
function heldMessage(state: ClaudeCodeState): AgentEvent[] {
  const message = state.message?.activity;
  const isEmpty = !message?.text && !message?.thinking && !message?.tokens;
  return state.message === undefined || isEmpty ? [] : [structuredClone(state.message)];
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
  if (results.length > 0) return results.flatMap((block) => readResult(state, line, block));
  const text = promptText(content);
  if (text === undefined || isSubagent) return [];
  const promptId = ownPromptId ?? asId(line["uuid"]) ?? lineId(state);
  const at = typedAt(state.queue, text);
  const events = [...closeMessage(state), ...tellQueued(state.queue, turn), ...beginTurn(turn, promptId, text, at)];
  if (turn.isPrivate) rememberPrivate(state, promptId);
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

function readCall(state: ClaudeCodeState, call: Call): AgentEvent[] {
  const early = takeCall(state.early, call.id);
  // What waits is stored between runs: nothing of a private turn may.
  if (early === undefined && !state.turn.isPrivate) keepCall(state.calls, call);
  return early === undefined ? [] : toolUse(state, call, early);
}

function readResult(state: ClaudeCodeState, line: JsonObject, block: JsonObject): AgentEvent[] {
  const id = asId(block["tool_use_id"]);
  if (id === undefined) return [];
  const call = takeCall(state.calls, id);
  const result: EarlyResult = { id, header: state.turn.header, line, block };
  if (call !== undefined) return toolUse(state, call, result);
  const { promptId = null, toolUseResult = null } = line;
  if (!state.turn.isPrivate) state.early.push({ ...result, line: { promptId, toolUseResult } });
  state.early = state.early.slice(-MAX_EARLY_RESULTS);
  return [];
}

function toolUse(state: ClaudeCodeState, call: Call, { header, line, block }: EarlyResult): AgentEvent[] {
  const promptId = asId(line["promptId"]) ?? state.turn.promptId;
  if (promptId !== undefined && state.privatePromptIds.includes(promptId)) return [];
  const failed = block["is_error"] === true;
  const structured = line["toolUseResult"];
  const output = resultText(call.name, block, failed ? undefined : structured);
  const code = call.name === "Bash" ? exitCode(output, failed) : undefined;
  const activity: Activity = {
    kind: "tool-use",
    toolUseId: call.id,
    ...(promptId !== undefined && { promptId }),
    name: call.name,
    input: call.input,
    ...(output !== undefined && { output }),
    isError: failed,
    ...(code !== undefined && { exitCode: code }),
    files: failed ? [] : touchedFiles(call.name, call.input, structured).map((file) => withBackup(state, file)),
  };
  return emit({ ...state.turn, header }, activity);
}

function withBackup({ backups }: ClaudeCodeState, file: FileTouch): FileTouch {
  const backup = file.kind === "edit" ? backupOf(backups, file.path) : undefined;
  return backup === undefined ? file : { ...file, backup };
}

/** Subagents' files have only the text the model was shown; for a file that is its lines with their numbers. */
function resultText(name: string, block: JsonObject, structured: Json | undefined): string | undefined {
  if (asObject(structured) !== undefined) return toolOutput(name, structured);
  const text = contentText(block["content"]);
  return name === "Read" && text !== undefined && block["is_error"] !== true ? stripLineNumbers(text) : text;
}

function contentText(content: Json | undefined): string | undefined {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? blocksText(content) : undefined;
}

function lineId(state: ClaudeCodeState): string {
  return `${state.turn.header.sessionId}:${state.line}`;
}

function join(before: string, text: string): string {
  return before === "" ? text : `${before}\n\n${text}`;
}
