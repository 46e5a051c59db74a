// Reads a Gemini CLI chat from its beginning each time, because Gemini rewrites messages as they grow.
import { dirname, join } from "node:path";
import type { AgentEvent, TokenCounts } from "../../core/event.ts";
import { asCount, asId, asObject, asObjects, asString, asTime, type JsonObject, parseJson } from "../../core/json.ts";
import { readWhole } from "../agent-files.ts";
import { countUnknown, type DocumentReader, type ReadNotes } from "../transcript.ts";
import { beginTurn, emit, emitMessage, endOfTurn, markTurn, setResponse, startTurn, type Turn } from "../turn.ts";
import { isStartedInPrivate, parseChat, partsText, promptOfMessage } from "./chat.ts";
import { geminiToolUse } from "./tool.ts";

export const geminiReader: DocumentReader = {
  kind: "document",
  read(file, notes, text = readWhole(file.path)) {
    const chat = parseChat(text ?? "", notes);
    const turn = startTurn(file);
    const { header } = turn;
    const ownId = asId(chat.meta["sessionId"]);
    const isSubagent = file.isSubagent || chat.meta["kind"] === "subagent";
    turn.isPrivate = file.isSubagent && isStartedInPrivate(file, chat);
    if (file.isSubagent && ownId !== undefined) header.agentId = ownId;
    else header.sessionId = ownId ?? header.sessionId;
    // The path is `tmp/<project>/chats/<chat>`, for a subagent `tmp/<project>/chats/<session>/<chat>`.
    const chats = file.isSubagent ? dirname(dirname(file.path)) : dirname(file.path);
    header.cwd = projectFolder(dirname(chats), asString(chat.meta["projectHash"]), chat.messages);
    header.at = asTime(chat.meta["startTime"]) ?? 0;
    const events = chat.messages.flatMap((message, index) => {
      header.at = asTime(message["timestamp"]) ?? header.at;
      const id = asId(message["id"]) ?? `${header.agentId ?? header.sessionId}:${index}`;
      return readMessage(turn, id, message, isSubagent, notes);
    });
    // `summary` is the sentence that Gemini shows in its session list.
    const title = asString(chat.meta["summary"])?.trim();
    if (title) events.push(...emit(turn, { kind: "title", title }));
    return [...events, ...endOfTurn(turn)];
  },
};

function readMessage(turn: Turn, id: string, message: JsonObject, isSubagent: boolean, notes: ReadNotes): AgentEvent[] {
  const text = partsText(message["content"]);
  switch (message["type"]) {
    case "user": {
      // A state_snapshot is the summary that replaces compressed messages.
      if (/^\s*<state_snapshot>/.test(text)) return emit(turn, { kind: "compaction", uuid: id, summary: text });
      const prompt = promptOfMessage(message);
      return prompt === undefined || isSubagent ? [] : beginTurn(turn, id, prompt);
    }
    case "gemini":
      return readGemini(turn, id, message, text);
    case "info":
    case "warning":
    case "error":
      if (/^Request cancelled\b/i.test(text.trim())) markTurn(turn, "interrupted");
      return [];
    default:
      countUnknown(notes, message["type"]);
      return [];
  }
}

function readGemini(turn: Turn, uuid: string, message: JsonObject, text: string): AgentEvent[] {
  const thinking = asObjects(message["thoughts"])
    .map((thought) => [asString(thought["subject"]), asString(thought["description"])].filter(Boolean).join(": "))
    .join("\n\n");
  const calls = asObjects(message["toolCalls"]);
  if (text.trim() !== "") setResponse(turn, text);
  // A call is cancelled if the user stops the turn while it runs or refuses it.
  if (calls.at(-1)?.["status"] === "cancelled") markTurn(turn, "interrupted");
  else markTurn(turn, calls.length > 0 || text.trim() === "" ? "working" : "ended");
  const tokens = tokenCounts(asObject(message["tokens"]));
  const uses = calls.flatMap((call) => {
    const use = geminiToolUse(call, turn.header.cwd);
    const at = asTime(call["timestamp"]) ?? turn.header.at;
    return use === undefined ? [] : emit(turn, { ...use, promptId: turn.promptId }, at);
  });
  return [...emitMessage(turn, { uuid, text, thinking, model: asString(message["model"]), tokens }), ...uses];
}

/** Gemini's input count includes cached tokens, and its output count does not include thinking. */
function tokenCounts(tokens: JsonObject | undefined): TokenCounts | undefined {
  const input = asCount(tokens?.["input"]);
  const output = asCount(tokens?.["output"]);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = Math.min(input, asCount(tokens?.["cached"]) ?? 0);
  return { input: input - cacheRead, output: output + (asCount(tokens?.["thoughts"]) ?? 0), cacheRead };
}

/**
 * Newer versions store the project's path beside the chats. Older ones store only its hash, which is compared with
 * the folders that Gemini has registered and those of files in tool calls. Falls back to the folder of the chats.
 */
function projectFolder(chatsProject: string, projectHash: string | undefined, messages: readonly JsonObject[]): string {
  const path = readWhole(join(chatsProject, ".project_root"))?.trim();
  if (path) return path;
  const registry = asObject(parseJson(readWhole(join(dirname(dirname(chatsProject)), "projects.json"))));
  const registered = Object.keys(asObject(registry?.["projects"]) ?? {});
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hasHash = (folder: string) => createHash("sha256").update(folder).digest("hex") === projectHash;
  return registered.find(hasHash) ?? foldersOfFiles(messages).find(hasHash) ?? chatsProject;
}

/** Limit of paths to try: they are all in the same few folders. */
const MAX_PATHS = 200;

/** The absolute paths in tool calls and all folders above them. */
function foldersOfFiles(messages: readonly JsonObject[]): string[] {
  const folders = new Set<string>();
  const values = messages
    .flatMap((message) => asObjects(message["toolCalls"]))
    .flatMap((call) => Object.values(asObject(call["args"]) ?? {}))
    .flatMap((value) => asString(value) ?? []);
  const paths = values.filter((value) => value.length < 4096 && /^(?:\/|[A-Za-z]:[\\/])/.test(value));
  for (const path of paths.slice(0, MAX_PATHS)) {
    for (let folder = path; !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  return [...folders];
}
