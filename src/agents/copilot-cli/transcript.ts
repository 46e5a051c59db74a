// Reads a Copilot CLI session, line by line, into our events.
import type { AgentEvent } from "../../core/event.ts";
import { keepCall, takeCall } from "../pending-calls.ts";
import { countUnknown } from "../notes.ts";
import type { LineReader, ReadNotes } from "../transcript.ts";
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
import { asArray, asCount, asId, asObject, asString, asTime, type JsonObject, present } from "../../core/json.ts";
import { type CopilotCall, copilotCall, copilotResult } from "./tool.ts";

export interface CopilotState {
  turn: Turn;
  line: number;
  model?: string;
  calls: CopilotCall[];
  /** The subagents seen so far: they write into the file of the session that started them. */
  agents: { id: string; type: string }[];
}

export const copilotReader: LineReader<CopilotState> = {
  kind: "lines",
  start: (file) => ({ turn: startTurn(file), line: 0, calls: [], agents: [] }),
  skipped: /\{"type":"(?:hook\.start|hook\.end|system\.message)"/,
  read(state, line, notes) {
    state.line += 1;
    const object = asObject(line);
    const at = asTime(object?.["timestamp"]);
    if (at !== undefined) state.turn.header.at = at;
    return readEvent(state, object ?? {}, asObject(object?.["data"]) ?? {}, notes);
  },
  flush: (state) => endOfTurn(state.turn),
};

/** The families of the event schema; what else they hold is no conversation. */
const KNOWN =
  /^(?:session|user|assistant|tool|system|hook|permission|subagent|skill|abort|model|pending_messages|user_input|elicitation|sampling|mcp|mcp_app|external_tool|command|commands|exit_plan_mode|auto_mode|capabilities|custom)(?:[._]|$)/;

function readEvent(state: CopilotState, line: JsonObject, data: JsonObject, notes: ReadNotes): AgentEvent[] {
  const type = asString(line["type"]);
  switch (type) {
    case "session.start":
    case "session.resume":
      readSession(state, data);
      return [];
    case "session.context_changed":
      readPlace(state, data);
      return [];
    case "session.model_change":
      state.model = asString(data["newModel"]) ?? state.model ?? "";
      return [];
    case "session.title_changed":
      return readTitle(state, data);
    case "session.compaction_complete":
      return readCompaction(state, line, data);
    case "user.message":
      return readPrompt(state, line, data);
    case "assistant.message":
      return readMessage(state, line, data);
    case "abort":
      if (agentOf(line, data) === undefined) markInterrupted(state.turn);
      return [];
    case "session.shutdown":
      return emit(state.turn, { kind: "session-end", reason: asString(data["shutdownType"]) ?? "other" });
    case "subagent.started":
      readSubagent(state, line, data);
      return [];
    case "subagent.completed":
    case "subagent.failed":
      return agentOf(line, data) === undefined && asId(data["toolCallId"]) === undefined
        ? []
        : asSubagent(state, line, data, () => emit(state.turn, { kind: "turn-end", ...promptOf(state.turn) }));
    case "tool.execution_start":
      readCall(state, data);
      return [];
    case "tool.execution_complete":
      return readResult(state, line, data);
    default:
      if (type === undefined || !KNOWN.test(type)) countUnknown(notes, type);
      return [];
  }
}

function readSession(state: CopilotState, data: JsonObject): void {
  const { header } = state.turn;
  header.sessionId = asId(data["sessionId"]) ?? header.sessionId;
  const version = asString(data["copilotVersion"]);
  if (version !== undefined) header.version = version;
  const model = asString(data["selectedModel"]);
  if (model !== undefined) state.model = model;
  readPlace(state, asObject(data["context"]) ?? {});
}

function readPlace(state: CopilotState, place: JsonObject): void {
  const { header } = state.turn;
  header.cwd = asString(place["cwd"]) ?? header.cwd;
  header.branch = asString(place["branch"]) ?? "";
}

function readTitle(state: CopilotState, data: JsonObject): AgentEvent[] {
  const title = asString(data["title"])?.trim();
  return title ? emit(state.turn, { kind: "title", title }) : [];
}

function readCompaction(state: CopilotState, line: JsonObject, data: JsonObject): AgentEvent[] {
  const summary = asString(data["summaryContent"]) ?? "";
  if (summary.trim() === "") return [];
  return asSubagent(state, line, data, () =>
    emit(state.turn, { kind: "compaction", uuid: asId(line["id"]) ?? lineId(state), summary }),
  );
}

function readPrompt(state: CopilotState, line: JsonObject, data: JsonObject): AgentEvent[] {
  const text = asString(data["content"]);
  const source = data["source"] ?? "user";
  const isMachine = source !== "user" || data["isAutopilotContinuation"] === true;
  if (text === undefined || text.trim() === "" || isMachine || agentOf(line, data) !== undefined) return [];
  return beginTurn(state.turn, asId(line["id"]) ?? lineId(state), text);
}

function readMessage(state: CopilotState, line: JsonObject, data: JsonObject): AgentEvent[] {
  const { turn } = state;
  const text = asString(data["content"]) ?? "";
  const thinking = asString(data["reasoningText"]);
  const model = asString(data["model"]) ?? state.model;
  // What went in is not written down with a message.
  const output = asCount(data["outputTokens"]);
  const isMain = agentOf(line, data) === undefined;
  if (text.trim() !== "" && isMain) turn.response = { text, at: turn.header.at };
  if (isMain && (text.trim() === "" || asArray(data["toolRequests"]).length > 0)) markWorking(turn);
  else if (isMain) markEnded(turn);
  if (text.trim() === "" && !thinking && output === undefined) return [];
  return asSubagent(state, line, data, () =>
    emit(turn, {
      kind: "message",
      uuid: asId(data["messageId"]) ?? asId(line["id"]) ?? lineId(state),
      ...present("parentUuid", asId(line["parentId"])),
      ...promptOf(turn),
      role: "assistant",
      text,
      ...(thinking && { thinking }),
      ...(model && { model }),
      ...(output !== undefined && { tokens: { input: 0, output } }),
    }),
  );
}

function readCall(state: CopilotState, data: JsonObject): void {
  const id = asId(data["toolCallId"]);
  if (asId(data["parentToolCallId"]) === undefined) markWorking(state.turn);
  // What waits is stored between runs: nothing of a private turn may.
  if (id !== undefined && !state.turn.isPrivate) keepCall(state.calls, copilotCall(id, state.turn.header.at, data));
}

function readResult(state: CopilotState, line: JsonObject, data: JsonObject): AgentEvent[] {
  const { turn } = state;
  const id = asId(data["toolCallId"]);
  const call = id === undefined ? undefined : takeCall(state.calls, id);
  if (call === undefined) return [];
  const { output, exitCode, files } = copilotResult(call, data, turn.header.cwd);
  const isError = data["success"] === false || (exitCode !== undefined && exitCode !== 0);
  const durationMs = asCount(turn.header.at - call.at);
  return asSubagent(state, line, data, () =>
    emit(turn, {
      kind: "tool-use",
      toolUseId: call.id,
      ...promptOf(turn),
      name: call.name,
      input: call.input,
      ...(output !== undefined && { output }),
      isError,
      ...(exitCode !== undefined && { exitCode }),
      ...(durationMs !== undefined && { durationMs }),
      files: isError ? [] : files,
    }),
  );
}

/** More subagents than this in one session: the oldest lose their type. */
const MAX_AGENTS = 500;

function readSubagent(state: CopilotState, line: JsonObject, data: JsonObject): void {
  const type = asId(data["agentName"]);
  const ids = [asId(line["agentId"]), asId(data["toolCallId"])].filter((id) => id !== undefined);
  if (type !== undefined) state.agents = [...state.agents, ...ids.map((id) => ({ id, type }))].slice(-MAX_AGENTS);
}

/** Newer lines name the agent, older ones the call that started it. */
function agentOf(line: JsonObject, data: JsonObject): string | undefined {
  return asId(line["agentId"]) ?? asId(data["parentToolCallId"]);
}

function asSubagent(state: CopilotState, line: JsonObject, data: JsonObject, events: () => AgentEvent[]): AgentEvent[] {
  const agentId = agentOf(line, data);
  if (agentId === undefined) return events();
  const agentType = state.agents.findLast((agent) => agent.id === agentId)?.type;
  return events().map((event) => ({ ...event, agentId, ...(agentType !== undefined && { agentType }) }));
}

function lineId(state: CopilotState): string {
  return `${state.turn.header.sessionId}:${state.line}`;
}
