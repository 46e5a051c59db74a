// What the assistant says in a transcript: one block a line, put together again into messages.
import type { AgentEvent, TokenCounts } from "../../core/event.ts";
import { markEnded, markWorking, promptOf, type Turn } from "../turn.ts";
import { asCount, asId, asObject, asObjects, asString, type Json, type JsonObject, present } from "../../core/json.ts";
import { readCall } from "./call.ts";
import { type ClaudeCodeState, lineId, type Message } from "./state.ts";

export function readAssistant(state: ClaudeCodeState, line: JsonObject, message: JsonObject): AgentEvent[] {
  const { turn } = state;
  const uuid = asId(message["id"]) ?? asId(line["uuid"]) ?? lineId(state);
  const events = state.message?.activity.uuid === uuid ? [] : closeMessage(state);
  if (!turn.isPrivate) state.message ??= { ...turn.header, activity: emptyMessage(turn, uuid, line, message) };
  const held = state.message?.activity;
  const blocks = asObjects(message["content"]);
  // Many versions write no stop reason: words without a call after them end the turn until more follows.
  if (isFinal(blocks, message["stop_reason"])) markEnded(turn);
  else markWorking(turn);
  for (const block of blocks) {
    const id = asId(block["id"]);
    const text = asString(block["text"]);
    const thinking = asString(block["thinking"]);
    if (block["type"] === "tool_use" && id !== undefined) {
      events.push(...readCall(state, { id, name: asId(block["name"]) ?? "unknown", input: block["input"] ?? {} }));
    } else if (block["type"] === "text" && text) {
      turn.response = { text, at: turn.header.at, ...present("copiedFrom", turn.header.copiedFrom) };
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

function isFinal(blocks: readonly JsonObject[], stopReason: Json | undefined): boolean {
  if (stopReason === "tool_use" || blocks.some((block) => block["type"] === "tool_use")) return false;
  return blocks.some((block) => block["type"] === "text" && block["text"]);
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

export function closeMessage(state: ClaudeCodeState): AgentEvent[] {
  const events = heldMessage(state);
  delete state.message;
  return events;
}

/** A message that only calls tools has no words, but it has its cost. */
export function heldMessage(state: ClaudeCodeState): AgentEvent[] {
  const message = state.message?.activity;
  const isEmpty = !message?.text && !message?.thinking && !message?.tokens;
  return state.message === undefined || isEmpty ? [] : [{ ...state.message, activity: { ...state.message.activity } }];
}

function join(before: string, text: string): string {
  return before === "" ? text : `${before}\n\n${text}`;
}
