// Reads a session of the first Copilot CLI versions: a JSON file with the messages that were sent to the model.
import { dirname } from "node:path";
import type { AgentEvent } from "../../core/event.ts";
import { asId, asObject, asObjects, asString, asTime, type JsonObject, parseJson } from "../../core/json.ts";
import { readWhole } from "../agent-files.ts";
import { addCall, takeCall, toolUse } from "../tool-use.ts";
import { countUnknown, type DocumentReader, type ReadNotes } from "../transcript.ts";
import { beginTurn, emit, emitMessage, endOfTurn, markTurn, setResponse, startTurn, type Turn } from "../turn.ts";
import { type CopilotCall, copilotCall, copilotResult } from "./tool.ts";

export const copilotHistoryReader: DocumentReader = {
  kind: "document",
  read(file, notes, text = readWhole(file.path)) {
    const session = asObject(parseJson(text));
    if (session === undefined) countUnknown(notes, "(no JSON)");
    const turn = startTurn(file);
    const { header } = turn;
    header.sessionId = asId(session?.["sessionId"]) ?? header.sessionId;
    // The file has neither the folder nor the times of messages, only their order.
    header.cwd = dirname(file.path);
    header.at = asTime(session?.["startTime"]) ?? Math.round(file.modifiedAt);
    const calls: CopilotCall[] = [];
    const events = asObjects(session?.["chatMessages"]).flatMap((message, index) => {
      header.at += 1;
      return readMessage(turn, calls, message, `${header.sessionId}:${index}`, notes);
    });
    return [...events, ...endOfTurn(turn)];
  },
};

function readMessage(turn: Turn, calls: CopilotCall[], message: JsonObject, id: string, notes: ReadNotes) {
  const text = asString(message["content"]) ?? "";
  switch (message["role"]) {
    case "user": {
      const typed = text.replace(/^\s*(?:<(current_datetime|reminder)>[\s\S]*?<\/\1>\s*)+/, "");
      return typed.trim() === "" ? [] : beginTurn(turn, id, typed);
    }
    case "assistant":
      return readAssistant(turn, calls, message, text, id);
    case "tool":
      return readResult(turn, takeCall(calls, asId(message["tool_call_id"])), text);
    case "system":
      return [];
    default:
      countUnknown(notes, message["role"]);
      return [];
  }
}

function readAssistant(turn: Turn, calls: CopilotCall[], message: JsonObject, text: string, uuid: string) {
  const requests = asObjects(message["tool_calls"]);
  markTurn(turn, requests.length > 0 || text.trim() === "" ? "working" : "ended");
  for (const request of requests) {
    const { name: toolName, arguments: json } = asObject(request["function"]) ?? {};
    const id = asId(request["id"]);
    const input = parseJson(asString(json)) ?? {};
    if (id !== undefined) addCall(calls, copilotCall(id, turn.header.at, { toolName, arguments: input }));
  }
  if (text.trim() !== "") setResponse(turn, text);
  return emitMessage(turn, { uuid, text });
}

function readResult(turn: Turn, call: CopilotCall | undefined, text: string): AgentEvent[] {
  if (call === undefined) return [];
  const { id: toolUseId, name, input } = call;
  const result = copilotResult(call, { result: { content: text } }, "");
  return emit(turn, toolUse({ toolUseId, promptId: turn.promptId, name, input, ...result, hasFailed: false }));
}
