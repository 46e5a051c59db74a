// Reads an OpenCode session, from its files or its database, into our events.
import { basename } from "node:path";
import type { Activity, AgentEvent, TokenCounts } from "../../core/event.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
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
import { asCount, asId, asObject, asString, asTime, type JsonObject, present } from "../../core/json.ts";
import { isStartedInPrivate, textOf, typedText } from "./prompt.ts";
import { loadSession, originalOf, type Session } from "./store.ts";
import { openCodeToolUse } from "./tool.ts";

export const openCodeReader: DocumentReader = {
  kind: "document",
  isSpread: true,
  read(file, notes) {
    const session = loadSession(file.path);
    if (session !== undefined) return readSession(file, session, notes);
    countUnknown(notes, "(no session)");
    return [];
  },
};

/** What a session is called before anything was said in it. */
const NO_TITLE = /^(?:New|Child) session - \d{4}-/;

function readSession(file: TranscriptFile, { info, messages }: Session, notes: ReadNotes): AgentEvent[] {
  const turn = startTurn(file);
  const { header } = turn;
  turn.isPrivate = isStartedInPrivate(file.path, { info, messages });
  const isSubagent = file.isSubagent || asId(info["parentID"]) !== undefined;
  const ownId = asId(info["id"]) ?? basename(file.path, ".json");
  if (isSubagent) header.agentId = ownId;
  header.cwd = asString(info["directory"]) ?? "";
  header.at = asTime(asObject(info["time"])?.["created"]) ?? 0;
  const version = asString(info["version"]);
  if (version !== undefined) header.version = version;
  const title = asString(info["title"])?.trim();
  // A fork begins with a copy of the messages of the session it was made from, under new ids but with their old times.
  const original = originalOf(file.path, { info, messages });
  const forkedAt = header.at;
  const events = messages.flatMap(({ info: message, parts }) => {
    header.at = asTime(asObject(message["time"])?.["created"]) ?? header.at;
    for (const part of parts) countPart(part, notes);
    if (header.at < forkedAt && original?.times.has(header.at)) return passOver(turn, message, parts);
    if (header.at < forkedAt && original === undefined) header.copiedFrom = "";
    else delete header.copiedFrom;
    if (message["role"] === "user") return readUser(turn, message, parts, isSubagent);
    if (message["role"] === "assistant") return readAssistant(turn, message, parts, isSubagent);
    countUnknown(notes, message["role"]);
    return [];
  });
  // Beside something that happened: a fork nobody has gone on with is no session.
  if (title && !NO_TITLE.test(title) && events.length > 0) events.push(...emit(turn, { kind: "title", title }));
  if (original !== undefined && events.length > 0)
    events.push(...emit(turn, { kind: "origin", forkedFrom: original.id }));
  return [...events, ...endOfTurn(turn)];
}

/** What is copied is told by the session it is of; but what sums the fork up may tell of what was private there. */
function passOver(turn: Turn, message: JsonObject, parts: readonly JsonObject[]): [] {
  const text = message["role"] === "user" ? typedText(parts) : undefined;
  if (text !== undefined) turn.isPrivate = isWhollyPrivate(text);
  turn.wasPrivate ||= turn.isPrivate;
  return [];
}

const PARTS = new Set(
  "text reasoning tool file agent subtask compaction retry step-start step-finish snapshot patch".split(" "),
);

function countPart(part: JsonObject, notes: ReadNotes): void {
  const type = part["type"];
  if (typeof type !== "string" || !PARTS.has(type)) countUnknown(notes, type);
}

function readUser(turn: Turn, message: JsonObject, parts: readonly JsonObject[], isSubagent: boolean): AgentEvent[] {
  const text = typedText(parts);
  return text === undefined || isSubagent ? [] : beginTurn(turn, idOf(message), text);
}

function readAssistant(
  turn: Turn,
  message: JsonObject,
  parts: readonly JsonObject[],
  isSubagent: boolean,
): AgentEvent[] {
  const { header } = turn;
  header.cwd = asString(asObject(message["path"])?.["cwd"]) ?? header.cwd;
  const agentType = asId(message["agent"]) ?? asId(message["mode"]);
  if (isSubagent && agentType !== undefined) header.agentType = agentType;
  const text = textOf(parts, "text", "\n\n");
  if (message["summary"] === true) {
    return text.trim() === "" ? [] : emit(turn, { kind: "compaction", uuid: idOf(message), summary: text });
  }
  if (text.trim() !== "") turn.response = { text, at: header.at, ...present("copiedFrom", header.copiedFrom) };
  noteOutcome(turn, message, parts, text);
  const uses = parts.flatMap((part) => {
    const found = part["type"] === "tool" ? openCodeToolUse(part, header.cwd) : undefined;
    return found === undefined ? [] : emit(turn, { ...found.use, ...promptOf(turn) }, found.at ?? header.at);
  });
  return [...messageEvents(turn, message, text, textOf(parts, "reasoning", "\n\n")), ...uses];
}

/** A turn ends with a message that calls no tool, or with one that was aborted. */
function noteOutcome(turn: Turn, message: JsonObject, parts: readonly JsonObject[], text: string): void {
  const finish = asString(message["finish"]);
  const hasCalls = parts.some((part) => part["type"] === "tool");
  if (asObject(message["error"])?.["name"] === "MessageAbortedError") markInterrupted(turn);
  else if (finish === undefined ? hasCalls || text.trim() === "" : finish === "tool-calls" || finish === "unknown")
    markWorking(turn);
  else markEnded(turn);
}

function messageEvents(turn: Turn, message: JsonObject, text: string, thinking: string): AgentEvent[] {
  const model = asString(message["modelID"]);
  const tokens = tokenCounts(asObject(message["tokens"]));
  const activity: Activity = {
    kind: "message",
    uuid: idOf(message),
    ...present("parentUuid", asId(message["parentID"])),
    ...promptOf(turn),
    role: "assistant",
    text,
    ...(thinking.trim() !== "" && { thinking }),
    ...(model !== undefined && { model }),
    ...(tokens !== undefined && { tokens }),
  };
  const isEmpty = text.trim() === "" && thinking.trim() === "" && tokens === undefined;
  return isEmpty ? [] : emit(turn, activity);
}

function tokenCounts(tokens: JsonObject | undefined): TokenCounts | undefined {
  const input = asCount(tokens?.["input"]);
  const output = asCount(tokens?.["output"]);
  if (input === undefined || output === undefined || input + output === 0) return undefined;
  const cache = asObject(tokens?.["cache"]);
  return { input, output, cacheRead: asCount(cache?.["read"]) ?? 0, cacheWrite: asCount(cache?.["write"]) ?? 0 };
}

/** Files and rows are named by their ids, so there always is one. */
function idOf(message: JsonObject): string {
  return asId(message["id"]) ?? "unknown";
}
