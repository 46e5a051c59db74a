// Assembles an assistant message from its lines (one per block) and joins tool calls with their results.
import type { AgentEvent, FileTouch, TokenCounts } from "../../core/event.ts";
import {
  asCount,
  asId,
  asObject,
  asObjects,
  asString,
  contentText,
  type Json,
  type JsonObject,
} from "../../core/json.ts";
import { defined } from "../fields.ts";
import { addCall, stripLineNumbers, takeCall, toolUse } from "../tool-use.ts";
import { emit, markTurn, setResponse, type Turn } from "../turn.ts";
import { exitCode } from "./event.ts";
import { backupOf } from "./file-history.ts";
import { type Call, type ClaudeCodeState, type EarlyResult, lineId, type Message } from "./state.ts";
import { toolOutput, touchedFiles } from "./tool.ts";

export function readAssistant(state: ClaudeCodeState, line: JsonObject, message: JsonObject): AgentEvent[] {
  const { turn } = state;
  const uuid = asId(message["id"]) ?? asId(line["uuid"]) ?? lineId(state);
  const events = state.message?.activity.uuid === uuid ? [] : closeMessage(state);
  if (!turn.isPrivate) state.message ??= { ...turn.header, activity: emptyMessage(turn, uuid, line, message) };
  const held = state.message?.activity;
  const blocks = asObjects(message["content"]);
  markTurn(turn, isFinal(blocks, message["stop_reason"]) ? "ended" : "working");
  for (const block of blocks) {
    const id = asId(block["id"]);
    const text = asString(block["text"]);
    const thinking = asString(block["thinking"]);
    if (block["type"] === "tool_use" && id !== undefined) {
      events.push(...readCall(state, { id, name: asId(block["name"]) ?? "unknown", input: block["input"] ?? {} }));
    } else if (block["type"] === "text" && text) {
      setResponse(turn, text);
      if (held !== undefined) held.text = join(held.text, text);
    } else if (block["type"] === "thinking" && thinking && held !== undefined) {
      held.thinking = join(held.thinking ?? "", thinking);
    }
  }
  // Every line of a message has token counts; those of the last line are final.
  const tokens = tokenCounts(asObject(message["usage"]));
  if (held !== undefined && tokens !== undefined) held.tokens = tokens;
  return events;
}

/** Many versions write no stop reason: a text without a tool call counts as the turn's end until more lines follow. */
function isFinal(blocks: readonly JsonObject[], stopReason: Json | undefined): boolean {
  if (stopReason === "tool_use" || blocks.some((block) => block["type"] === "tool_use")) return false;
  return blocks.some((block) => block["type"] === "text" && block["text"]);
}

function emptyMessage(turn: Turn, uuid: string, line: JsonObject, message: JsonObject): Message {
  const model = asString(message["model"]);
  const isNote = line["isApiErrorMessage"] === true || model === "<synthetic>";
  return defined<Message>({
    kind: "message",
    uuid,
    parentUuid: asId(line["parentUuid"]),
    promptId: turn.promptId,
    role: isNote ? "system" : "assistant",
    text: "",
    model: isNote ? undefined : model,
  });
}

function tokenCounts(usage: JsonObject | undefined): TokenCounts | undefined {
  const input = asCount(usage?.["input_tokens"]);
  const output = asCount(usage?.["output_tokens"]);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = asCount(usage?.["cache_read_input_tokens"]);
  const cacheWrite = asCount(usage?.["cache_creation_input_tokens"]);
  return defined<TokenCounts>({ input, output, cacheRead, cacheWrite });
}

export function closeMessage(state: ClaudeCodeState): AgentEvent[] {
  const events = heldMessage(state);
  delete state.message;
  return events;
}

/** Emits the held message without closing it. A message that only calls tools has no text, but token counts. */
export function heldMessage({ message }: ClaudeCodeState): AgentEvent[] {
  const { text, thinking, tokens } = message?.activity ?? {};
  const isEmpty = !text && !thinking && !tokens;
  return message === undefined || isEmpty ? [] : [{ ...message, activity: { ...message.activity } }];
}

function join(before: string, text: string): string {
  return before === "" ? text : `${before}\n\n${text}`;
}

/** Limit of results waiting for their call, which is on one of the next lines. Low, because results may be large. */
const MAX_EARLY_RESULTS = 8;

function readCall(state: ClaudeCodeState, call: Call): AgentEvent[] {
  const early = takeCall(state.early, call.id);
  // Calls that wait for a result are stored between runs, so private ones are dropped.
  if (early === undefined && !state.turn.isPrivate) addCall(state.calls, call);
  return early === undefined ? [] : emitToolUse(state, call, early);
}

export function readResult(state: ClaudeCodeState, line: JsonObject, block: JsonObject): AgentEvent[] {
  const id = asId(block["tool_use_id"]);
  if (id === undefined) return [];
  const call = takeCall(state.calls, id);
  const result: EarlyResult = { id, header: state.turn.header, line, block };
  if (call !== undefined) return emitToolUse(state, call, result);
  const { promptId = null, toolUseResult = null } = line;
  // No result is kept in a private turn: its call was dropped.
  const isPrivate = state.turn.isPrivate || state.privatePromptIds.includes(asId(promptId) ?? "");
  if (!isPrivate) state.early.push({ ...result, line: { promptId, toolUseResult } });
  state.early = state.early.slice(-MAX_EARLY_RESULTS);
  return [];
}

function emitToolUse(state: ClaudeCodeState, call: Call, { header, line, block }: EarlyResult): AgentEvent[] {
  const { id, name, input } = call;
  const promptId = asId(line["promptId"]) ?? state.turn.promptId;
  if (promptId !== undefined && state.privatePromptIds.includes(promptId)) return [];
  const hasFailed = block["is_error"] === true;
  const structured = line["toolUseResult"];
  const output = resultText(name, block, hasFailed ? undefined : structured);
  const use = toolUse({
    toolUseId: id,
    promptId,
    name,
    input,
    output,
    hasFailed,
    exitCode: name === "Bash" ? exitCode(output, hasFailed) : undefined,
    files: touchedFiles(name, input, structured).map((file) => withBackup(state, file)),
  });
  return emit({ ...state.turn, header }, use);
}

function withBackup({ backups }: ClaudeCodeState, file: FileTouch): FileTouch {
  const backup = file.kind === "edit" ? backupOf(backups, file.path) : undefined;
  return backup === undefined ? file : { ...file, backup };
}

/** A subagent's transcript has only the text that the model read, where file contents have line numbers. */
function resultText(name: string, block: JsonObject, structured: Json | undefined): string | undefined {
  if (asObject(structured) !== undefined) return toolOutput(name, structured);
  const text = contentText(block["content"]);
  return name === "Read" && text !== undefined && block["is_error"] !== true ? stripLineNumbers(text) : text;
}
