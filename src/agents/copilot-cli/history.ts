// Reads a session of the first versions of Copilot CLI: one JSON file with the messages as they were sent to the model.
import { dirname } from "node:path";
import type { AgentEvent } from "../../core/event.ts";
import { keepCall, takeCall } from "../pending-calls.ts";
import { readWhole } from "../agent-files.ts";
import { countUnknown } from "../notes.ts";
import type { DocumentReader, ReadNotes } from "../transcript.ts";
import { beginTurn, emit, endOfTurn, markEnded, markWorking, promptOf, startTurn, type Turn } from "../turn.ts";
import { asId, asObject, asObjects, asString, asTime, type JsonObject, parseJson } from "../../core/json.ts";
import { type CopilotCall, copilotCall, copilotResult } from "./tool.ts";

export const copilotHistoryReader: DocumentReader = {
  kind: "document",
  read(file, notes, text = readWhole(file.path)) {
    const session = asObject(parseJson(text));
    if (session === undefined) countUnknown(notes, "(no JSON)");
    const turn = startTurn(file);
    const { header } = turn;
    header.sessionId = asId(session?.["sessionId"]) ?? header.sessionId;
    // Neither where the session took place is written down nor when each message came, only in which order.
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

function readMessage(
  turn: Turn,
  calls: CopilotCall[],
  message: JsonObject,
  id: string,
  notes: ReadNotes,
): AgentEvent[] {
  const text = asString(message["content"]) ?? "";
  switch (message["role"]) {
    case "user": {
      const typed = text.replace(/^\s*(?:<(current_datetime|reminder)>[\s\S]*?<\/\1>\s*)+/, "");
      return typed.trim() === "" ? [] : beginTurn(turn, id, typed);
    }
    case "assistant":
      return readAssistant(turn, calls, message, text, id);
    case "tool":
      return readResult(turn, calls, asId(message["tool_call_id"]), text);
    case "system":
      return [];
    default:
      countUnknown(notes, message["role"]);
      return [];
  }
}

function readAssistant(
  turn: Turn,
  calls: CopilotCall[],
  message: JsonObject,
  text: string,
  uuid: string,
): AgentEvent[] {
  const requested = asObjects(message["tool_calls"]);
  if (requested.length > 0 || text.trim() === "") markWorking(turn);
  else markEnded(turn);
  for (const call of requested) {
    const tool = asObject(call["function"]);
    const id = asId(call["id"]);
    const input = parseJson(asString(tool?.["arguments"])) ?? {};
    if (id !== undefined) {
      keepCall(calls, copilotCall(id, turn.header.at, { toolName: tool?.["name"], arguments: input }));
    }
  }
  if (text.trim() === "") return [];
  turn.response = { text, at: turn.header.at };
  return emit(turn, { kind: "message", uuid, ...promptOf(turn), role: "assistant", text });
}

function readResult(turn: Turn, calls: CopilotCall[], id: string | undefined, text: string): AgentEvent[] {
  const call = id === undefined ? undefined : takeCall(calls, id);
  if (call === undefined) return [];
  const { output, exitCode, files } = copilotResult(call, { result: { content: text } }, "");
  const isError = exitCode !== undefined && exitCode !== 0;
  return emit(turn, {
    kind: "tool-use",
    toolUseId: call.id,
    ...promptOf(turn),
    name: call.name,
    input: call.input,
    ...(output !== undefined && { output }),
    isError,
    ...(exitCode !== undefined && { exitCode }),
    files: isError ? [] : files,
  });
}
