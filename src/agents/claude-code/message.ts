// Assembles an assistant's message from the lines of a transcript: each line has one block of it.
import type { AgentEvent, TokenCounts } from "../../core/event.ts";
import { asCount, asId, asObject, asObjects, asString, type Json, type JsonObject } from "../../core/json.ts";
import { defined } from "../fields.ts";
import { markTurn, setResponse, type Turn } from "../turn.ts";
import { readCall } from "./call.ts";
import { type ClaudeCodeState, lineId, type Message } from "./state.ts";

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
  // Every line of a message has the usage; only the last one is final.
  const tokens = tokenCounts(asObject(message["usage"]));
  if (held !== undefined && tokens !== undefined) held.tokens = tokens;
  return events;
}

/** Many versions write no stop reason: text without a call after it ends the turn until more follows. */
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

/** A message that only calls tools has no text, but it has token counts. */
export function heldMessage({ message }: ClaudeCodeState): AgentEvent[] {
  const { text, thinking, tokens } = message?.activity ?? {};
  const isEmpty = !text && !thinking && !tokens;
  return message === undefined || isEmpty ? [] : [{ ...message, activity: { ...message.activity } }];
}

function join(before: string, text: string): string {
  return before === "" ? text : `${before}\n\n${text}`;
}
