// Reads a Gemini CLI chat, a JSON file or its newer form in lines, as a whole: messages are written anew as they grow.
import { dirname } from "node:path";
import type { Activity, AgentEvent, TokenCounts } from "../../core/event.ts";
import { readWhole } from "../agent-files.ts";
import { countUnknown } from "../notes.ts";
import type { DocumentReader, ReadNotes, TranscriptFile } from "../transcript.ts";
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
import { asCount, asId, asObject, asObjects, asString, asTime, type JsonObject } from "../../core/json.ts";
import { type Chat, parseChat, promptOfMessage } from "./chat.ts";
import { isStartedInPrivate } from "./private.ts";
import { projectFolder } from "./project.ts";
import { partsText } from "./text.ts";
import { geminiToolUse } from "./tool.ts";

export const geminiReader: DocumentReader = {
  kind: "document",
  read(file, notes, text = readWhole(file.path)) {
    const chat = parseChat(text ?? "", notes);
    return readChat(file, chat, notes);
  },
};

function readChat(file: TranscriptFile, chat: Chat, notes: ReadNotes): AgentEvent[] {
  const turn = startTurn(file);
  const { header } = turn;
  const ownId = asId(chat.meta["sessionId"]);
  const isSubagent = file.isSubagent || chat.meta["kind"] === "subagent";
  turn.isPrivate = file.isSubagent && isStartedInPrivate(file, chat);
  if (file.isSubagent && ownId !== undefined) header.agentId = ownId;
  else header.sessionId = ownId ?? header.sessionId;
  header.cwd = projectFolder(chatsProject(file), asString(chat.meta["projectHash"]), chat.messages);
  header.at = asTime(chat.meta["startTime"]) ?? 0;
  const events = chat.messages.flatMap((message, index) => {
    header.at = asTime(message["timestamp"]) ?? header.at;
    return readMessage(turn, message, { index, isSubagent }, notes);
  });
  // Gemini sums a session up in a sentence and shows it in its list.
  const title = asString(chat.meta["summary"])?.trim();
  if (title) events.push(...emit(turn, { kind: "title", title }));
  return [...events, ...endOfTurn(turn)];
}

/** `tmp/<project>`: above `chats`, and for a subagent above its session's folder too. */
function chatsProject(file: TranscriptFile): string {
  const chats = dirname(file.path);
  return dirname(file.isSubagent ? dirname(chats) : chats);
}

interface Place {
  index: number;
  isSubagent: boolean;
}

function readMessage(turn: Turn, message: JsonObject, place: Place, notes: ReadNotes): AgentEvent[] {
  const id = asId(message["id"]) ?? `${turn.header.agentId ?? turn.header.sessionId}:${place.index}`;
  switch (message["type"]) {
    case "user":
      return readUser(turn, id, message, place);
    case "gemini":
      return readGemini(turn, id, message);
    case "info":
    case "warning":
    case "error":
      if (/^Request cancelled\b/i.test(partsText(message["content"]).trim())) markInterrupted(turn);
      return [];
    default:
      countUnknown(notes, message["type"]);
      return [];
  }
}

function readUser(turn: Turn, id: string, message: JsonObject, { isSubagent }: Place): AgentEvent[] {
  const sent = partsText(message["content"]);
  // The summary that takes the place of what was compressed.
  if (/^\s*<state_snapshot>/.test(sent)) return emit(turn, { kind: "compaction", uuid: id, summary: sent });
  const text = promptOfMessage(message);
  return text === undefined || isSubagent ? [] : beginTurn(turn, id, text);
}

function readGemini(turn: Turn, id: string, message: JsonObject): AgentEvent[] {
  const text = partsText(message["content"]);
  const thinking = asObjects(message["thoughts"])
    .map((thought) => [asString(thought["subject"]), asString(thought["description"])].filter(Boolean).join(": "))
    .join("\n\n");
  const model = asString(message["model"]);
  const tokens = tokenCounts(asObject(message["tokens"]));
  const { at } = turn.header;
  if (text.trim() !== "") turn.response = { text, at };
  const activity: Activity = {
    kind: "message",
    uuid: id,
    ...promptOf(turn),
    role: "assistant",
    text,
    ...(thinking !== "" && { thinking }),
    ...(model !== undefined && { model }),
    ...(tokens !== undefined && { tokens }),
  };
  const isEmpty = text.trim() === "" && thinking === "" && tokens === undefined;
  const calls = asObjects(message["toolCalls"]);
  // The user stops a turn while a tool runs, or by refusing a call.
  if (calls.at(-1)?.["status"] === "cancelled") markInterrupted(turn);
  else if (calls.length > 0 || text.trim() === "") markWorking(turn);
  else markEnded(turn);
  const uses = calls.flatMap((call) => {
    const use = geminiToolUse(call, turn.header.cwd);
    return use === undefined ? [] : emit(turn, { ...use, ...promptOf(turn) }, asTime(call["timestamp"]) ?? at);
  });
  return [...(isEmpty ? [] : emit(turn, activity)), ...uses];
}

/** Gemini counts the cached tokens into the input, and thinking apart from the output. */
function tokenCounts(tokens: JsonObject | undefined): TokenCounts | undefined {
  const input = asCount(tokens?.["input"]);
  const output = asCount(tokens?.["output"]);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = Math.min(input, asCount(tokens?.["cached"]) ?? 0);
  return { input: input - cacheRead, output: output + (asCount(tokens?.["thoughts"]) ?? 0), cacheRead };
}
