// Reads a Codex CLI rollout, line by line, into our events.
import type { Activity, AgentEvent, TokenCounts } from "../../core/event.ts";
import { findCall, keepCall, takeCall } from "../pending-calls.ts";
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
import { asCount, asId, asObject, asObjects, asString, asTime, type Json, type JsonObject } from "../../core/json.ts";
import { codexCall, type CodexCall, finishCall, noteEnd, noteItem, webSearch } from "./call.ts";
import { environmentCwd, typedText } from "./prompt.ts";

type Message = Extract<Activity, { kind: "message" }>;

export interface CodexState {
  turn: Turn;
  line: number;
  hasSession: boolean;
  /** This file's own thread; `turn.header.sessionId` is the parent's in a subagent. */
  threadId: string;
  /** What is read is the history of the thread this one was forked from: it has a file of its own. */
  isReplay: boolean;
  /** Nobody types to a subagent. */
  isMachine: boolean;
  /** How this file tells of prompts: as an event of their own, or as an item that is complete. The first form counts. */
  promptForm?: string;
  turnId?: string;
  model?: string;
  calls: CodexCall[];
  thinking: string;
  /** Held back until its token counts come. */
  message?: AgentEvent & { activity: Message };
  /** Of requests that only called tools; they count with the next message. */
  tokens?: TokenCounts;
  totalTokens?: number;
  /**
   * Threads that were started for a wholly private prompt. They have files of their own: who reads those puts the ids
   * of the state of the session that started them here, at the start or later.
   */
  privateThreadIds: string[];
}

interface CodexReader extends LineReader<CodexState> {
  start(file: TranscriptFile, privateThreadIds?: readonly string[]): CodexState;
}

/** A session that starts more threads in private than this forgets the oldest. */
const MAX_PRIVATE_THREADS = 1_000;

export const codexReader: CodexReader = {
  kind: "lines",
  start: (file, privateThreadIds = []) => ({
    turn: startTurn(file),
    line: 0,
    hasSession: false,
    threadId: file.sessionId,
    isReplay: false,
    isMachine: file.isSubagent,
    calls: [],
    thinking: "",
    privateThreadIds: [...privateThreadIds],
  }),
  read(state, line, notes) {
    state.line += 1;
    const object = asObject(line);
    const at = asTime(object?.["timestamp"]);
    if (at !== undefined) state.turn.header.at = at;
    return object === undefined ? unknown(notes, undefined) : readLine(state, object, notes);
  },
  flush: (state) => [...heldMessage(state), ...endOfTurn(state.turn)],
};

function readLine(state: CodexState, line: JsonObject, notes: ReadNotes): AgentEvent[] {
  const payload = asObject(line["payload"]);
  // Until September 2025 lines had no envelope: the first was the session, the others items.
  if (payload === undefined) return readBareLine(state, line, notes);
  switch (line["type"]) {
    case "session_meta":
      return readSession(state, payload);
    case "turn_context":
      readContext(state, payload);
      return [];
    case "response_item":
      return state.isReplay ? [] : readItem(state, payload, notes);
    case "event_msg":
      return readEvent(state, payload);
    case "compacted":
      return state.isReplay ? [] : readCompaction(state, payload);
    case "world_state":
    case "token_usage_record":
    case "inter_agent_communication":
    case "inter_agent_communication_metadata":
      return [];
    default:
      return unknown(notes, line["type"]);
  }
}

function readBareLine(state: CodexState, line: JsonObject, notes: ReadNotes): AgentEvent[] {
  if (line["record_type"] === "state") return [];
  if (line["type"] === undefined && asId(line["id"]) !== undefined) {
    return readSession(state, line);
  }
  if (line["type"] === "message" && line["role"] === "user") return readPrompt(state, itemText(line));
  return readItem(state, line, notes);
}

function readSession(state: CodexState, meta: JsonObject): AgentEvent[] {
  const id = asId(meta["id"]) ?? state.threadId;
  // A fork begins with a copy of the history it was forked from, the first line of that included.
  if (state.hasSession) {
    if (id === state.threadId || state.isReplay) return [];
    state.isReplay = true;
    return state.isMachine ? [] : emit(state.turn, { kind: "origin", forkedFrom: id });
  }
  state.hasSession = true;
  const { header } = state.turn;
  const subagent = asObject(meta["source"])?.["subagent"];
  const spawn = asObject(asObject(subagent)?.["thread_spawn"]);
  const root = asId(meta["session_id"]);
  const parent = asId(spawn?.["parent_thread_id"]) ?? asId(meta["parent_thread_id"]);
  const agentType = asId(spawn?.["agent_role"]) ?? asId(meta["agent_role"]) ?? asId(subagent);
  const isSubagent = parent !== undefined && parent !== id;
  state.threadId = id;
  // All a private prompt's thread does is private, and so are the threads it starts.
  state.turn.isPrivate = isSubagent && state.privateThreadIds.includes(id);
  state.isMachine = subagent !== undefined || isSubagent;
  // Where a nested subagent names the session at the root, that is the one people know.
  header.sessionId = isSubagent ? (root !== id && root) || parent : id;
  if (isSubagent) header.agentId = id;
  if (agentType !== undefined && isSubagent) header.agentType = agentType;
  header.cwd = asString(meta["cwd"]) ?? header.cwd;
  const version = asString(meta["cli_version"]);
  if (version !== undefined) header.version = version;
  header.branch = asString(asObject(meta["git"])?.["branch"]) ?? "";
  return [];
}

function readContext(state: CodexState, context: JsonObject): void {
  state.turn.header.cwd = asString(context["cwd"]) ?? state.turn.header.cwd;
  const model = asString(context["model"]);
  if (model !== undefined) state.model = model;
  readTurnId(state, asId(context["turn_id"]));
}

/** Thread and turn ids are UUIDv7, so they sort by time: a turn older than its thread came with the copied history. */
function readTurnId(state: CodexState, turnId: string | undefined): void {
  // Old versions counted their turns; such a number names nothing outside of its file.
  const isUnique = turnId !== undefined && turnId.length >= MIN_UUID_CHARS;
  state.isReplay &&= isUnique && turnId < state.threadId;
  if (isUnique) state.turnId = turnId;
}

const MIN_UUID_CHARS = 32;

function readEvent(state: CodexState, event: JsonObject): AgentEvent[] {
  if (event["type"] === "task_started" || event["type"] === "turn_started") readTurnId(state, asId(event["turn_id"]));
  if (state.isReplay) return [];
  readThread(state, asId(event["agent_thread_id"]) ?? asId(event["new_thread_id"]));
  const id = asId(event["call_id"]);
  const call = id === undefined ? undefined : findCall(state.calls, id);
  if (call !== undefined) noteEnd(call, event, state.turn.header.cwd);
  switch (event["type"]) {
    case "user_message":
      // For a while the surroundings came as such an event too, under another kind.
      return event["kind"] === undefined || event["kind"] === "plain"
        ? readPromptOnce(state, "event", asString(event["message"]))
        : [];
    case "task_complete":
    case "turn_complete":
      markEnded(state.turn);
      return [];
    case "turn_aborted":
      // Another reason is that the next prompt took its place.
      if ((asString(event["reason"]) ?? "interrupted") === "interrupted") markInterrupted(state.turn);
      return [];
    case "item_completed":
      return readCompleted(state, asObject(event["item"]) ?? {});
    case "token_count":
      return readTokens(state, asObject(event["info"]));
    case "thread_name_updated": {
      const title = asString(event["thread_name"])?.trim();
      return title ? emit(state.turn, { kind: "title", title }) : [];
    }
    default:
      // Everything else a client shows is also an item, or says nothing about the work.
      return [];
  }
}

/** Newer versions write what a client shows as items instead. */
function readCompleted(state: CodexState, item: JsonObject): AgentEvent[] {
  if (item["type"] === "UserMessage") return readPromptOnce(state, "item", itemText(item));
  const id = asId(item["id"]);
  const call = id === undefined ? undefined : findCall(state.calls, id);
  if (call !== undefined) noteItem(call, item, state.turn.header.cwd);
  return [];
}

function readPromptOnce(state: CodexState, form: string, said: string | undefined): AgentEvent[] {
  state.promptForm ??= form;
  return state.promptForm === form ? readPrompt(state, said) : [];
}

function readThread(state: CodexState, threadId: string | undefined): void {
  const { turn, privateThreadIds } = state;
  if (threadId === undefined || !turn.isPrivate || privateThreadIds.includes(threadId)) return;
  state.privateThreadIds = [...privateThreadIds, threadId].slice(-MAX_PRIVATE_THREADS);
}

function readPrompt(state: CodexState, said: string | undefined): AgentEvent[] {
  const { turn } = state;
  const cwd = environmentCwd(said ?? "");
  if (cwd !== undefined && turn.header.cwd === "") turn.header.cwd = cwd;
  const text = typedText(said ?? "");
  if (text === undefined || state.isMachine) return [];
  // What is typed while a turn runs belongs to it but is a prompt of its own.
  const isNewTurn = state.turnId !== undefined && turn.promptId?.split(":")[0] !== state.turnId;
  const promptId = isNewTurn && state.turnId !== undefined ? state.turnId : lineId(state, state.turnId);
  const events = closeMessage(state);
  state.thinking = "";
  return [...events, ...beginTurn(turn, promptId, text)];
}

function readItem(state: CodexState, item: JsonObject, notes: ReadNotes): AgentEvent[] {
  switch (item["type"]) {
    case "message":
      return item["role"] === "assistant" ? readMessage(state, item) : [];
    case "reasoning":
      readReasoning(state, item);
      return [];
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
    case "tool_search_call": {
      markWorking(state.turn);
      const call = codexCall(item, state.turn.header.cwd);
      // What waits is stored between runs: nothing of a private turn may.
      if (call !== undefined && !state.turn.isPrivate) keepCall(state.calls, call);
      return [];
    }
    case "function_call_output":
    case "custom_tool_call_output":
    case "tool_search_output": {
      const id = asId(item["call_id"]);
      const call = id === undefined ? undefined : takeCall(state.calls, id);
      return call === undefined ? [] : emit(state.turn, { ...finishCall(call, item), ...promptOf(state.turn) });
    }
    case "web_search_call":
      markWorking(state.turn);
      return emit(state.turn, { ...webSearch(item, lineId(state, state.threadId)), ...promptOf(state.turn) });
    case "ghost_snapshot":
    case "compaction":
    case "compaction_summary":
    case "compaction_trigger":
    case "context_compaction":
    case "image_generation_call":
    case "agent_message":
    case "other":
      return [];
    default:
      return unknown(notes, item["type"]);
  }
}

function readMessage(state: CodexState, item: JsonObject): AgentEvent[] {
  const { turn } = state;
  const text = itemText(item) ?? "";
  const events = closeMessage(state);
  const { thinking } = state;
  state.thinking = "";
  if (text.trim() === "" && thinking === "") return events;
  if (text.trim() !== "") turn.response = { text, at: turn.header.at };
  // Versions without a phase do not tell: words without a call after them end the turn until more follows.
  if (text.trim() === "" || item["phase"] === "commentary") markWorking(turn);
  else markEnded(turn);
  if (turn.isPrivate) return events;
  const activity: Message = {
    kind: "message",
    uuid: asId(item["id"]) ?? lineId(state, state.threadId),
    ...promptOf(turn),
    role: "assistant",
    text,
    ...(thinking !== "" && { thinking }),
    ...(state.model !== undefined && { model: state.model }),
  };
  state.message = { ...turn.header, activity };
  return events;
}

function readReasoning(state: CodexState, item: JsonObject): void {
  const parts = [...asObjects(item["summary"]), ...asObjects(item["content"])];
  const text = parts
    .map((part) => asString(part["text"]) ?? "")
    .filter((part) => part !== "")
    .join("\n\n");
  if (text !== "") state.thinking = state.thinking === "" ? text : `${state.thinking}\n\n${text}`;
}

/** Sent again with new rate limits while nothing was used: only a changed total is a request. */
function readTokens(state: CodexState, info: JsonObject | undefined): AgentEvent[] {
  const last = asObject(info?.["last_token_usage"]);
  const total = asCount(asObject(info?.["total_token_usage"])?.["total_tokens"]);
  const input = asCount(last?.["input_tokens"]);
  const output = asCount(last?.["output_tokens"]);
  if (input === undefined || output === undefined || (total !== undefined && total === state.totalTokens)) return [];
  if (total !== undefined) state.totalTokens = total;
  const cacheRead = Math.min(input, asCount(last?.["cached_input_tokens"]) ?? 0);
  const before = state.tokens;
  state.tokens = {
    input: (before?.input ?? 0) + input - cacheRead,
    output: (before?.output ?? 0) + output,
    cacheRead: (before?.cacheRead ?? 0) + cacheRead,
  };
  return closeMessage(state);
}

function closeMessage(state: CodexState): AgentEvent[] {
  const events = heldMessage(state);
  if (events.length > 0) delete state.tokens;
  delete state.message;
  return events;
}

function heldMessage(state: CodexState): AgentEvent[] {
  const { message, tokens } = state;
  if (message === undefined) return [];
  return [{ ...message, activity: { ...message.activity, ...(tokens !== undefined && { tokens: { ...tokens } }) } }];
}

function readCompaction(state: CodexState, payload: JsonObject): AgentEvent[] {
  // Newer versions keep their summary encrypted; then there is nothing to tell.
  const summary = asString(payload["message"]) ?? "";
  if (summary.trim() === "") return [];
  const uuid = asId(payload["window_id"]) ?? lineId(state, state.threadId);
  return [...closeMessage(state), ...emit(state.turn, { kind: "compaction", uuid, summary })];
}

function itemText(item: JsonObject): string | undefined {
  const content = item["content"];
  if (typeof content === "string") return content;
  const texts = asObjects(content).map((part) => asString(part["text"]) ?? "");
  return texts.filter((text) => text !== "").join("\n");
}

function lineId(state: CodexState, of: string | undefined): string {
  return `${of ?? state.threadId}:${state.line}`;
}

function unknown(notes: ReadNotes, type: Json | undefined): AgentEvent[] {
  countUnknown(notes, type);
  return [];
}
