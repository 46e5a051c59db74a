// A Gemini CLI chat as it stands on disk: what is known of it, and its messages as they were last.
import { countUnknown } from "../notes.ts";
import type { ReadNotes } from "../transcript.ts";
import { asId, asObject, asObjects, type JsonObject, parseJson } from "../../core/json.ts";
import { partsText, withoutHookContext } from "./text.ts";

export interface Chat {
  meta: JsonObject;
  messages: JsonObject[];
}

/** Whole JSON up to early 2026; since then a line each for the session, for messages, and for changes to both. */
export function parseChat(text: string, notes: ReadNotes): Chat {
  const whole = asObject(parseJson(text));
  if (whole !== undefined && Array.isArray(whole["messages"])) {
    return { meta: whole, messages: asObjects(whole["messages"]) };
  }
  const chat: Chat = { meta: {}, messages: [] };
  const places = new Map<string, number>();
  for (const line of text.split("\n")) if (line.trim() !== "") addLine(chat, places, asObject(parseJson(line)), notes);
  return chat;
}

function addLine(chat: Chat, places: Map<string, number>, line: JsonObject | undefined, notes: ReadNotes): void {
  const set = asObject(line?.["$set"]);
  if (line === undefined) return countUnknown(notes, "(no JSON)");
  if (set !== undefined) {
    const { messages, ...meta } = set;
    chat.meta = { ...chat.meta, ...meta };
    // After compression the history is set anew. What was said before was said; only what is new is added.
    for (const message of asObjects(messages)) addMessage(chat, places, message, false);
  } else if (asId(line["id"]) !== undefined && line["type"] !== undefined) {
    addMessage(chat, places, line, true);
  } else if (asId(line["sessionId"]) !== undefined) {
    chat.meta = { ...chat.meta, ...line };
  } else if (line["$rewindTo"] === undefined) {
    countUnknown(notes, line["type"]);
  }
}

function addMessage(chat: Chat, places: Map<string, number>, message: JsonObject, isNewer: boolean): void {
  const id = asId(message["id"]);
  const place = id === undefined ? undefined : places.get(id);
  if (place === undefined) {
    if (id !== undefined) places.set(id, chat.messages.length);
    chat.messages.push(message);
  } else if (isNewer) {
    chat.messages[place] = message;
  }
}

/** What the client itself says first to a new chat. */
const SETUP = /^\s*(?:<session_context>|This is the Gemini CLI\. We are setting up the context)/;

/** What a person typed, if this is a message of theirs. */
export function promptOfMessage(message: JsonObject): string | undefined {
  if (message["type"] !== "user") return undefined;
  const text = withoutHookContext(partsText(message["displayContent"]) || partsText(message["content"]));
  return text.trim() === "" || SETUP.test(text) ? undefined : text;
}
