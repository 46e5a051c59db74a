// Reads a Gemini CLI chat file: its metadata and the newest version of each message.
import { basename, dirname, join } from "node:path";
import { asId, asObject, asObjects, asString, asTime, type Json, type JsonObject, parseJson } from "../../core/json.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { listFolder } from "../../platform/read-file.ts";
import { readWhole } from "../agent-files.ts";
import { countUnknown, type ReadNotes, type TranscriptFile } from "../transcript.ts";

export interface Chat {
  meta: JsonObject;
  messages: JsonObject[];
}

/** Until early 2026 a chat was one JSON document; since then it has a line per message and per change. */
export function parseChat(text: string, notes: ReadNotes): Chat {
  const whole = asObject(parseJson(text));
  if (whole !== undefined && Array.isArray(whole["messages"])) {
    return { meta: whole, messages: asObjects(whole["messages"]) };
  }
  const chat: Chat = { meta: {}, messages: [] };
  const indexById = new Map<string, number>();
  for (const line of text.split("\n")) if (line.trim() !== "") addLine(chat, indexById, parseJson(line), notes);
  return chat;
}

function addLine(chat: Chat, indexById: Map<string, number>, json: Json | undefined, notes: ReadNotes): void {
  const line = asObject(json);
  if (line === undefined) return countUnknown(notes, "(no JSON)");
  const { messages, ...meta } = asObject(line["$set"]) ?? {};
  if (asObject(line["$set"]) !== undefined) {
    chat.meta = { ...chat.meta, ...meta };
    // Compression writes the whole history again: only messages with a new id are added.
    for (const message of asObjects(messages)) addMessage(chat, indexById, message, false);
  } else if (asId(line["id"]) !== undefined && line["type"] !== undefined) {
    addMessage(chat, indexById, line, true);
  } else if (asId(line["sessionId"]) !== undefined) {
    chat.meta = { ...chat.meta, ...line };
  } else if (line["$rewindTo"] === undefined) {
    countUnknown(notes, line["type"]);
  }
}

function addMessage(chat: Chat, indexById: Map<string, number>, message: JsonObject, replaces: boolean): void {
  const id = asId(message["id"]);
  const index = id === undefined ? undefined : indexById.get(id);
  if (index === undefined) {
    if (id !== undefined) indexById.set(id, chat.messages.length);
    chat.messages.push(message);
  } else if (replaces) {
    chat.messages[index] = message;
  }
}

/** Gemini's content is a string, a part, or a list of both. */
export function partsText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    return content
      .map(partsText)
      .filter((text) => text !== "")
      .join("\n");
  }
  const part = asObject(content);
  return part?.["thought"] === true ? "" : (asString(part?.["text"]) ?? "");
}

/** Removes text that hooks injected, including C-Mem's. */
export function withoutHookContext(text: string): string {
  return text.replace(
    /^<hook_context>[\s\S]*?<\/hook_context>\n\n|(?:\n\n|\n)?<hook_context>[\s\S]*?<\/hook_context>/g,
    "",
  );
}

/** Matches Gemini CLI's own first message in a new chat. */
const SETUP = /^\s*(?:<session_context>|This is the Gemini CLI\. We are setting up the context)/;

/** The prompt that a person typed, or undefined if the message is something else. */
export function promptOfMessage(message: JsonObject): string | undefined {
  if (message["type"] !== "user") return undefined;
  const text = withoutHookContext(partsText(message["displayContent"]) || partsText(message["content"]));
  return text.trim() === "" || SETUP.test(text) ? undefined : text;
}

/** True if a wholly private prompt started this subagent. Its file does not name the prompt, so times are compared. */
export function isStartedInPrivate(file: TranscriptFile, chat: Chat): boolean {
  const startedAt = asTime(chat.meta["startTime"]) ?? asTime(chat.messages[0]?.["timestamp"]);
  return parentChats(file).some((parent) => {
    const prompts = parent.messages.flatMap((message) => {
      const text = promptOfMessage(message);
      return text === undefined ? [] : [{ at: asTime(message["timestamp"]) ?? 0, isPrivate: isWhollyPrivate(text) }];
    });
    // Without a start time any private prompt may have started it.
    if (startedAt === undefined) return prompts.some(({ isPrivate }) => isPrivate);
    const before = prompts.filter(({ at }) => at <= startedAt);
    return before.toSorted((a, b) => a.at - b.at).at(-1)?.isPrivate ?? false;
  });
}

/** A subagent's folder has the session's id as its name; the session's file name has the first 8 characters of it. */
function parentChats(file: TranscriptFile): Chat[] {
  const sessionId = basename(dirname(file.path));
  const chats = dirname(dirname(file.path));
  return listFolder(chats)
    .filter((name) => name.startsWith("session-") && name.includes(sessionId.slice(0, 8)))
    .map((name) => parseChat(readWhole(join(chats, name)) ?? "", { unknown: {} }))
    .filter((chat) => chat.meta["sessionId"] === sessionId);
}
