// Reads an OpenCode session from its files or its database into events.
import { basename } from "node:path";
import type { AgentEvent, TokenCounts } from "../../core/event.ts";
import { asCount, asId, asObject, asString, type JsonObject } from "../../core/json.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { countUnknown, type DocumentReader, type ReadNotes, type TranscriptFile } from "../transcript.ts";
import { beginTurn, emit, emitMessage, endOfTurn, markTurn, setResponse, startTurn, type Turn } from "../turn.ts";

import { createdAt, isStartedInPrivate, loadSession, originalOf, type Session, textOf, typedText } from "./store.ts";
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

/** Matches the title of a session before its first prompt. */
const NO_TITLE = /^(?:New|Child) session - \d{4}-/;

function readSession(file: TranscriptFile, session: Session, notes: ReadNotes): AgentEvent[] {
  const { info, messages } = session;
  const turn = startTurn(file);
  const { header } = turn;
  turn.isPrivate = isStartedInPrivate(file.path, session);
  const isSubagent = file.isSubagent || asId(info["parentID"]) !== undefined;
  if (isSubagent) header.agentId = asId(info["id"]) ?? basename(file.path, ".json");
  header.cwd = asString(info["directory"]) ?? "";
  header.at = createdAt(info);
  const version = asString(info["version"]);
  if (version !== undefined) header.version = version;
  const title = asString(info["title"])?.trim();
  // A fork begins with copies of the original's messages, which have new ids but the old times.
  const original = originalOf(file.path, session);
  const forkedAt = header.at;
  const events = messages.flatMap(({ info: message, parts }) => {
    header.at = createdAt(message) || header.at;
    for (const { type } of parts) if (!PARTS.has(asString(type) ?? "")) countUnknown(notes, type);
    if (header.at < forkedAt && original?.times.has(header.at)) return skipCopied(turn, message, parts);
    // "": copied from a session that was not found.
    if (header.at < forkedAt && original === undefined) header.copiedFrom = "";
    else delete header.copiedFrom;
    if (message["role"] === "user") return readUser(turn, message, parts, isSubagent);
    if (message["role"] === "assistant") return readAssistant(turn, message, parts, isSubagent);
    countUnknown(notes, message["role"]);
    return [];
  });
  // A fork of a known session without new messages has no events and is not recorded.
  if (events.length > 0) {
    if (title && !NO_TITLE.test(title)) events.push(...emit(turn, { kind: "title", title }));
    if (original !== undefined) events.push(...emit(turn, { kind: "origin", forkedFrom: original.id }));
  }
  return [...events, ...endOfTurn(turn)];
}

/** Copied messages are read in the original session. Here they only show whether the current turn is private. */
function skipCopied(turn: Turn, message: JsonObject, parts: readonly JsonObject[]): [] {
  const text = message["role"] === "user" ? typedText(parts) : undefined;
  if (text !== undefined) turn.isPrivate = isWhollyPrivate(text);
  turn.wasPrivate ||= turn.isPrivate;
  return [];
}

const PARTS = new Set(
  "text reasoning tool file agent subtask compaction retry step-start step-finish snapshot patch".split(" "),
);

function readUser(turn: Turn, message: JsonObject, parts: readonly JsonObject[], isSubagent: boolean): AgentEvent[] {
  const text = typedText(parts);
  return text === undefined || isSubagent ? [] : beginTurn(turn, idOf(message), text);
}

function readAssistant(turn: Turn, message: JsonObject, parts: readonly JsonObject[], isSubagent: boolean) {
  const { header } = turn;
  const uuid = idOf(message);
  header.cwd = asString(asObject(message["path"])?.["cwd"]) ?? header.cwd;
  const agentType = asId(message["agent"]) ?? asId(message["mode"]);
  if (isSubagent && agentType !== undefined) header.agentType = agentType;
  const text = textOf(parts, "text", "\n\n");
  if (message["summary"] === true) {
    return text.trim() === "" ? [] : emit(turn, { kind: "compaction", uuid, summary: text });
  }
  if (text.trim() !== "") setResponse(turn, text);
  markOutcome(turn, message, parts, text);
  const thinking = textOf(parts, "reasoning", "\n\n");
  const events = emitMessage(turn, {
    uuid,
    parentUuid: asId(message["parentID"]),
    text,
    thinking: thinking.trim() === "" ? undefined : thinking,
    model: asString(message["modelID"]),
    tokens: tokenCounts(asObject(message["tokens"])),
  });
  const uses = parts.flatMap((part) => {
    const found = part["type"] === "tool" ? openCodeToolUse(part, header.cwd) : undefined;
    return found === undefined ? [] : emit(turn, { ...found.use, promptId: turn.promptId }, found.at ?? header.at);
  });
  return [...events, ...uses];
}

/** A turn ends with a message that calls no tool or was aborted. */
function markOutcome(turn: Turn, message: JsonObject, parts: readonly JsonObject[], text: string): void {
  const finish = asString(message["finish"]);
  const isUnfinished =
    finish === undefined
      ? text.trim() === "" || parts.some((part) => part["type"] === "tool")
      : finish === "tool-calls" || finish === "unknown";
  const isAborted = asObject(message["error"])?.["name"] === "MessageAbortedError";
  markTurn(turn, isAborted ? "interrupted" : isUnfinished ? "working" : "ended");
}

function tokenCounts(tokens: JsonObject | undefined): TokenCounts | undefined {
  const input = asCount(tokens?.["input"]);
  const output = asCount(tokens?.["output"]);
  if (input === undefined || output === undefined || input + output === 0) return undefined;
  const cache = asObject(tokens?.["cache"]);
  return { input, output, cacheRead: asCount(cache?.["read"]) ?? 0, cacheWrite: asCount(cache?.["write"]) ?? 0 };
}

/** Every message has an id; "unknown" replaces one that is too long. */
function idOf(message: JsonObject): string {
  return asId(message["id"]) ?? "unknown";
}
