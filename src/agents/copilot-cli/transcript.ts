// Reads a Copilot CLI session line by line into events.
import type { AgentEvent } from "../../core/event.ts";
import { asArray, asCount, asId, asObject, asString, asTime, type JsonObject } from "../../core/json.ts";
import { ownValue } from "../fields.ts";
import { addCall, takeCall, toolUse } from "../tool-use.ts";
import { countUnknown, type LineReader } from "../transcript.ts";
import { beginTurn, emit, emitMessage, endOfTurn, markTurn, setResponse, startTurn, type Turn } from "../turn.ts";
import { type CopilotCall, copilotCall, copilotResult } from "./tool.ts";

export interface CopilotState {
  turn: Turn;
  line: number;
  model?: string;
  calls: CopilotCall[];
  /** The subagents seen so far. Their lines are in the file of the session that started them. */
  agents: { id: string; type: string }[];
}

export const copilotReader: LineReader<CopilotState> = {
  kind: "lines",
  start: (file) => ({ turn: startTurn(file), line: 0, calls: [], agents: [] }),
  skipped: /\{"type":"(?:hook\.start|hook\.end|system\.message)"/,
  read(state, json, notes) {
    state.line += 1;
    const line = asObject(json) ?? {};
    state.turn.header.at = asTime(line["timestamp"]) ?? state.turn.header.at;
    const type = asString(line["type"]);
    const read = ownValue(READERS, type);
    if (read === undefined && (type === undefined || !KNOWN.test(type))) countUnknown(notes, type);
    const data = asObject(line["data"]) ?? {};
    // Newer versions name the subagent in each line, older ones the call that started it.
    const agentId = asId(line["agentId"]) ?? asId(data["parentToolCallId"]);
    return read?.({ state, turn: state.turn, line, data, agentId }) ?? [];
  },
  flush: (state) => endOfTurn(state.turn),
};

/** Prefixes of known event types. A known type without a reader is not conversation. */
const KNOWN =
  /^(?:session|user|assistant|tool|system|hook|permission|subagent|skill|abort|model|pending_messages|user_input|elicitation|sampling|mcp|mcp_app|external_tool|command|commands|exit_plan_mode|auto_mode|capabilities|custom)(?:[._]|$)/;

interface Line {
  state: CopilotState;
  turn: Turn;
  line: JsonObject;
  data: JsonObject;
  /** The subagent that wrote the line. */
  agentId: string | undefined;
}

const READERS: Readonly<Record<string, (line: Line) => AgentEvent[] | undefined | void>> = {
  "session.start": readSession,
  "session.resume": readSession,
  "session.context_changed": ({ turn, data }) => readFolder(turn, data),
  "session.model_change"({ state, data }) {
    state.model = asString(data["newModel"]) ?? state.model ?? "";
  },
  "session.title_changed"({ turn, data }) {
    const title = asString(data["title"])?.trim();
    return title ? emit(turn, { kind: "title", title }) : undefined;
  },
  "session.compaction_complete"(line) {
    const summary = asString(line.data["summaryContent"]) ?? "";
    return summary.trim() === ""
      ? undefined
      : ofSubagent(line, emit(line.turn, { kind: "compaction", uuid: lineId(line), summary }));
  },
  "session.shutdown": ({ turn, data }) =>
    emit(turn, { kind: "session-end", reason: asString(data["shutdownType"]) ?? "other" }),
  "user.message": readPrompt,
  "assistant.message": readMessage,
  abort: ({ turn, agentId }) => (agentId === undefined ? markTurn(turn, "interrupted") : undefined),
  "subagent.started": readSubagent,
  "subagent.completed": readSubagentEnd,
  "subagent.failed": readSubagentEnd,
  "tool.execution_start": readCall,
  "tool.execution_complete": readResult,
};

function readSession({ state, turn, data }: Line): void {
  turn.header.sessionId = asId(data["sessionId"]) ?? turn.header.sessionId;
  const version = asString(data["copilotVersion"]);
  if (version !== undefined) turn.header.version = version;
  const model = asString(data["selectedModel"]);
  if (model !== undefined) state.model = model;
  readFolder(turn, asObject(data["context"]) ?? {});
}

function readFolder({ header }: Turn, context: JsonObject): void {
  header.cwd = asString(context["cwd"]) ?? header.cwd;
  header.branch = asString(context["branch"]) ?? "";
}

function readPrompt(line: Line): AgentEvent[] {
  const { content, source, isAutopilotContinuation } = line.data;
  const text = asString(content) ?? "";
  const isMachine = (source ?? "user") !== "user" || isAutopilotContinuation === true;
  return text.trim() === "" || isMachine || line.agentId !== undefined ? [] : beginTurn(line.turn, lineId(line), text);
}

function readMessage(line: Line): AgentEvent[] {
  const { state, turn, data } = line;
  const text = asString(data["content"]) ?? "";
  if (line.agentId === undefined) {
    if (text.trim() !== "") setResponse(turn, text);
    markTurn(turn, text.trim() === "" || asArray(data["toolRequests"]).length > 0 ? "working" : "ended");
  }
  // Input tokens are not in the transcript.
  const output = asCount(data["outputTokens"]);
  const message = emitMessage(turn, {
    uuid: asId(data["messageId"]) ?? lineId(line),
    parentUuid: asId(line.line["parentId"]),
    text,
    thinking: asString(data["reasoningText"]),
    model: (asString(data["model"]) ?? state.model) || undefined,
    tokens: output === undefined ? undefined : { input: 0, output },
  });
  return ofSubagent(line, message);
}

function readCall({ state, turn, data }: Line): void {
  const id = asId(data["toolCallId"]);
  if (asId(data["parentToolCallId"]) === undefined) markTurn(turn, "working");
  // Calls that wait for a result are stored between runs, so private ones are dropped.
  if (id !== undefined && !turn.isPrivate) addCall(state.calls, copilotCall(id, turn.header.at, data));
}

function readResult(line: Line): AgentEvent[] {
  const { state, turn, data } = line;
  const call = takeCall(state.calls, asId(data["toolCallId"]));
  if (call === undefined) return [];
  const use = toolUse({
    toolUseId: call.id,
    promptId: turn.promptId,
    name: call.name,
    input: call.input,
    ...copilotResult(call, data, turn.header.cwd),
    hasFailed: data["success"] === false,
    durationMs: asCount(turn.header.at - call.at),
  });
  return ofSubagent(line, emit(turn, use));
}

/** Limit of subagents per session whose types are kept; the oldest are dropped. */
const MAX_AGENTS = 500;

function readSubagent({ state, line, data }: Line): void {
  const type = asId(data["agentName"]);
  const ids = [asId(line["agentId"]), asId(data["toolCallId"])].filter((id) => id !== undefined);
  if (type !== undefined) state.agents = [...state.agents, ...ids.map((id) => ({ id, type }))].slice(-MAX_AGENTS);
}

function readSubagentEnd(line: Line): AgentEvent[] {
  const { turn, data, agentId } = line;
  if (agentId === undefined && asId(data["toolCallId"]) === undefined) return [];
  return ofSubagent(line, emit(turn, { kind: "turn-end", promptId: turn.promptId }));
}

function ofSubagent({ state, agentId }: Line, events: AgentEvent[]): AgentEvent[] {
  if (agentId === undefined) return events;
  const agentType = state.agents.findLast((agent) => agent.id === agentId)?.type;
  return events.map((event) => ({ ...event, agentId, ...(agentType !== undefined && { agentType }) }));
}

function lineId({ state, line }: Line): string {
  return asId(line["id"]) ?? `${state.turn.header.sessionId}:${state.line}`;
}
