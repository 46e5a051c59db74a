// Reads a Codex CLI rollout line by line into events.
import type { Activity, AgentEvent, TokenCounts } from "../../core/event.ts";
import { asCount, asId, asObject, asObjects, asString, asTime, type JsonObject } from "../../core/json.ts";
import { defined, type Loose, ownValue } from "../fields.ts";
import { addCall, findCall, takeCall } from "../tool-use.ts";
import { countUnknown, ignored, type LineReader, type ReadNotes } from "../transcript.ts";
import { beginTurn, emit, endOfTurn, markTurn, setResponse, startTurn, type Turn } from "../turn.ts";
import { threadName } from "./thread-names.ts";
import { codexCall, type CodexCall, finishCall, noteEnd, webSearch } from "./tool.ts";
import { environmentCwd, isTurnUuid, typedText } from "./prompt.ts";

type Message = Extract<Activity, { kind: "message" }>;

export interface CodexState {
  turn: Turn;
  line: number;
  hasSession: boolean;
  /** The id of this file's thread; in a subagent's file, `turn.header.sessionId` is the parent's. */
  threadId: string;
  /** True while reading history copied from the thread that this one was forked from, which has its own file. */
  isReplay: boolean;
  /** True for a subagent, whose prompts are not typed by a person. */
  isMachine: boolean;
  /** A file has its prompts as events, as completed items or as both. The form of the first prompt is read. */
  promptForm?: string;
  turnId?: string;
  model?: string;
  calls: CodexCall[];
  thinking: string;
  /** The newest message, held until its token counts are read. */
  message?: AgentEvent & { activity: Message };
  /** Token counts of requests that only called tools; they are added to the next message. */
  tokens?: TokenCounts;
  totalTokens?: number;
  /**
   * Ids of threads started by wholly private prompts. Those threads' files need them, too: the caller adds them from
   * the parent session's state.
   */
  privateThreadIds: string[];
}

/** Limit per session; the oldest are dropped. */
const MAX_PRIVATE_THREADS = 1_000;

export const codexReader: LineReader<CodexState> = {
  kind: "lines",
  start: (file) => ({
    turn: startTurn(file),
    line: 0,
    hasSession: false,
    threadId: file.sessionId,
    isReplay: false,
    isMachine: file.isSubagent,
    calls: [],
    thinking: "",
    privateThreadIds: [],
  }),
  read(state, json, notes) {
    state.line += 1;
    const line = asObject(json) ?? {};
    state.turn.header.at = asTime(line["timestamp"]) ?? state.turn.header.at;
    return readLine(state, line, notes);
  },
  flush: (state) => [...heldMessage(state), ...endOfTurn(state.turn), ...threadTitle(state)],
};

/** The thread's name, which newer versions write into another file. A subagent's thread is no session of its own. */
function threadTitle({ turn, threadId, isMachine, hasSession }: CodexState): AgentEvent[] {
  if (!hasSession || isMachine || turn.header.transcriptPath === undefined) return [];
  const title = threadName(turn.header.transcriptPath, threadId);
  return title === undefined ? [] : emit(turn, { kind: "title", title });
}

/** Reads one type of line. Returns undefined or nothing if it has no events. */
type Read = (state: CodexState, payload: JsonObject) => AgentEvent[] | undefined | void;
type Readers = Readonly<Record<string, Read>>;

function readWith(readers: Readers, state: CodexState, payload: JsonObject, type: unknown, notes: ReadNotes) {
  const read = ownValue(readers, asString(type));
  if (read === undefined) countUnknown(notes, type);
  return read?.(state, payload) ?? [];
}

function readLine(state: CodexState, line: JsonObject, notes: ReadNotes): AgentEvent[] {
  const { type } = line;
  const payload = asObject(line["payload"]);
  if (type === "response_item" && payload !== undefined) {
    return state.isReplay ? [] : readWith(ITEMS, state, payload, payload["type"], notes);
  }
  if (payload !== undefined) return readWith(LINES, state, payload, type, notes);
  // Until September 2025, lines had no envelope: the first line is the session, the others are items.
  if (line["record_type"] === "state") return [];
  if (type === undefined && asId(line["id"]) !== undefined) return readSession(state, line);
  if (type === "message" && line["role"] === "user") return readPrompt(state, itemText(line));
  return readWith(ITEMS, state, line, type, notes);
}

const LINES: Readers = {
  session_meta: readSession,
  turn_context: readContext,
  event_msg: readEvent,
  compacted: (state, payload) => (state.isReplay ? [] : readCompaction(state, payload)),
  ...ignored("world_state token_usage_record inter_agent_communication inter_agent_communication_metadata"),
};

const ITEMS: Readers = {
  message: (state, item) => (item["role"] === "assistant" ? readMessage(state, item) : undefined),
  reasoning: readReasoning,
  function_call: readCall,
  custom_tool_call: readCall,
  local_shell_call: readCall,
  tool_search_call: readCall,
  function_call_output: readOutput,
  custom_tool_call_output: readOutput,
  tool_search_output: readOutput,
  web_search_call(state, item) {
    markTurn(state.turn, "working");
    return emit(state.turn, { ...webSearch(item, lineId(state)), promptId: state.turn.promptId });
  },
  ...ignored(
    "ghost_snapshot compaction compaction_summary compaction_trigger context_compaction image_generation_call agent_message other",
  ),
};

/** All other events are repeated as items or are not about the work. */
const EVENTS: Readers = {
  // Some versions also sent the environment as a user message, of another kind.
  user_message: (state, { kind = "plain", message }) =>
    kind === "plain" ? readPromptOnce(state, "event", asString(message)) : undefined,
  task_complete: ({ turn }) => markTurn(turn, "ended"),
  turn_complete: ({ turn }) => markTurn(turn, "ended"),
  turn_aborted({ turn }, event) {
    // With any other reason, a new prompt has replaced the turn.
    if ((asString(event["reason"]) ?? "interrupted") === "interrupted") markTurn(turn, "interrupted");
  },
  item_completed(state, event) {
    const item = asObject(event["item"]) ?? {};
    if (item["type"] === "UserMessage") return readPromptOnce(state, "item", itemText(item));
    const call = findCall(state.calls, asId(item["id"]));
    if (call !== undefined) noteEnd(call, item, state.turn.header.cwd);
    return undefined;
  },
  token_count: (state, event) => readTokens(state, asObject(event["info"])),
  thread_name_updated({ turn }, event) {
    const title = asString(event["thread_name"])?.trim();
    return title ? emit(turn, { kind: "title", title }) : undefined;
  },
};

function readSession(state: CodexState, meta: JsonObject): AgentEvent[] {
  const id = asId(meta["id"]) ?? state.threadId;
  // A fork begins with a copy of the original's history, including its first line.
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
  // A thread started by a private prompt is private, and so are the threads it starts.
  state.turn.isPrivate = isSubagent && state.privateThreadIds.includes(id);
  state.isMachine = subagent !== undefined || isSubagent;
  // A nested subagent belongs to the root session, which is the one that a person sees.
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

/** Thread and turn ids are UUIDv7 and sort by time: a turn older than its thread is copied history. */
function readTurnId(state: CodexState, turnId: string | undefined): void {
  state.isReplay &&= isTurnUuid(turnId) && turnId < state.threadId;
  if (isTurnUuid(turnId)) state.turnId = turnId;
}

function readEvent(state: CodexState, event: JsonObject): ReturnType<Read> {
  const { turn, privateThreadIds } = state;
  const type = asString(event["type"]);
  if (type === "task_started" || type === "turn_started") readTurnId(state, asId(event["turn_id"]));
  if (state.isReplay) return [];
  const threadId = asId(event["agent_thread_id"]) ?? asId(event["new_thread_id"]);
  if (threadId !== undefined && turn.isPrivate && !privateThreadIds.includes(threadId)) {
    state.privateThreadIds = [...privateThreadIds, threadId].slice(-MAX_PRIVATE_THREADS);
  }
  const call = findCall(state.calls, asId(event["call_id"]));
  if (call !== undefined) noteEnd(call, event, turn.header.cwd);
  return ownValue(EVENTS, type)?.(state, event);
}

function readPromptOnce(state: CodexState, form: string, text: string | undefined): AgentEvent[] {
  state.promptForm ??= form;
  return state.promptForm === form ? readPrompt(state, text) : [];
}

function readPrompt(state: CodexState, sent: string | undefined): AgentEvent[] {
  const { turn, turnId } = state;
  const cwd = environmentCwd(sent ?? "");
  if (cwd !== undefined && turn.header.cwd === "") turn.header.cwd = cwd;
  const text = typedText(sent ?? "");
  if (text === undefined || state.isMachine) return [];
  // A prompt typed during a turn has that turn's id, so C-Mem gives it another.
  const isNewTurn = turnId !== undefined && turn.promptId?.split(":")[0] !== turnId;
  const events = closeMessage(state);
  state.thinking = "";
  return [...events, ...beginTurn(turn, isNewTurn ? turnId : lineId(state, turnId), text)];
}

function readCall(state: CodexState, item: JsonObject): void {
  markTurn(state.turn, "working");
  const call = codexCall(item, state.turn.header.cwd);
  // Calls that wait for a result are stored between runs, so private ones are dropped.
  if (call !== undefined && !state.turn.isPrivate) addCall(state.calls, call);
}

function readOutput({ calls, turn }: CodexState, item: JsonObject): AgentEvent[] {
  const call = takeCall(calls, asId(item["call_id"]));
  return call === undefined ? [] : emit(turn, { ...finishCall(call, item), promptId: turn.promptId });
}

function readMessage(state: CodexState, item: JsonObject): AgentEvent[] {
  const { turn, thinking, model } = state;
  const text = itemText(item) ?? "";
  const events = closeMessage(state);
  state.thinking = "";
  if (text.trim() === "" && thinking === "") return events;
  if (text.trim() !== "") setResponse(turn, text);
  // In versions without phases, a text counts as the turn's end until more lines follow.
  markTurn(turn, text.trim() === "" || item["phase"] === "commentary" ? "working" : "ended");
  if (turn.isPrivate) return events;
  const uuid = asId(item["id"]) ?? lineId(state);
  const { promptId } = turn;
  const message: Loose<Message> = { kind: "message", uuid, promptId, role: "assistant", text, model };
  state.message = { ...turn.header, activity: defined<Message>({ ...message, thinking: thinking || undefined }) };
  return events;
}

function readReasoning(state: CodexState, item: JsonObject): void {
  const parts = [...asObjects(item["summary"]), ...asObjects(item["content"])].map((part) => asString(part["text"]));
  state.thinking = [state.thinking, ...parts].filter(Boolean).join("\n\n");
}

/** Codex repeats token counts when rate limits change: only a changed total is a new request. */
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

function heldMessage({ message, tokens }: CodexState): AgentEvent[] {
  if (message === undefined) return [];
  return [{ ...message, activity: { ...message.activity, ...(tokens !== undefined && { tokens: { ...tokens } }) } }];
}

function readCompaction(state: CodexState, payload: JsonObject): AgentEvent[] {
  // Newer versions encrypt the summary and leave the text empty.
  const summary = asString(payload["message"]) ?? "";
  if (summary.trim() === "") return [];
  const uuid = asId(payload["window_id"]) ?? lineId(state);
  return [...closeMessage(state), ...emit(state.turn, { kind: "compaction", uuid, summary })];
}

function itemText({ content }: JsonObject): string | undefined {
  if (typeof content === "string") return content;
  return asObjects(content)
    .map((part) => asString(part["text"]))
    .filter(Boolean)
    .join("\n");
}

function lineId(state: CodexState, prefix = state.threadId): string {
  return `${prefix}:${state.line}`;
}
