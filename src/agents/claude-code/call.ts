// Calls of tools in a transcript and their results, which may stand before them.
import type { Activity, AgentEvent, FileTouch } from "../../core/event.ts";
import { keepCall, takeCall } from "../pending-calls.ts";
import { stripLineNumbers } from "../line-numbers.ts";
import { emit } from "../turn.ts";
import { asId, asObject, contentText, type Json, type JsonObject } from "../../core/json.ts";
import { exitCode } from "./event.ts";
import { backupOf } from "./file-history.ts";
import type { Call, ClaudeCodeState, EarlyResult } from "./state.ts";
import { toolOutput, touchedFiles } from "./tool.ts";

/** They come right after; what no call follows is not waited for long, and may be large. */
const MAX_EARLY_RESULTS = 8;

export function readCall(state: ClaudeCodeState, call: Call): AgentEvent[] {
  const early = takeCall(state.early, call.id);
  // What waits is stored between runs: nothing of a private turn may.
  if (early === undefined && !state.turn.isPrivate) keepCall(state.calls, call);
  return early === undefined ? [] : toolUse(state, call, early);
}

export function readResult(state: ClaudeCodeState, line: JsonObject, block: JsonObject): AgentEvent[] {
  const id = asId(block["tool_use_id"]);
  if (id === undefined) return [];
  const call = takeCall(state.calls, id);
  const result: EarlyResult = { id, header: state.turn.header, line, block };
  if (call !== undefined) return toolUse(state, call, result);
  const { promptId = null, toolUseResult = null } = line;
  // A late result of a private turn waits for a call that was never noted.
  const isPrivate = state.turn.isPrivate || state.privatePromptIds.includes(asId(promptId) ?? "");
  if (!isPrivate) state.early.push({ ...result, line: { promptId, toolUseResult } });
  state.early = state.early.slice(-MAX_EARLY_RESULTS);
  return [];
}

function toolUse(state: ClaudeCodeState, call: Call, { header, line, block }: EarlyResult): AgentEvent[] {
  const promptId = asId(line["promptId"]) ?? state.turn.promptId;
  if (promptId !== undefined && state.privatePromptIds.includes(promptId)) return [];
  const failed = block["is_error"] === true;
  const structured = line["toolUseResult"];
  const output = resultText(call.name, block, failed ? undefined : structured);
  const code = call.name === "Bash" ? exitCode(output, failed) : undefined;
  const activity: Activity = {
    kind: "tool-use",
    toolUseId: call.id,
    ...(promptId !== undefined && { promptId }),
    name: call.name,
    input: call.input,
    ...(output !== undefined && { output }),
    isError: failed,
    ...(code !== undefined && { exitCode: code }),
    files: failed ? [] : touchedFiles(call.name, call.input, structured).map((file) => withBackup(state, file)),
  };
  return emit({ ...state.turn, header }, activity);
}

function withBackup({ backups }: ClaudeCodeState, file: FileTouch): FileTouch {
  const backup = file.kind === "edit" ? backupOf(backups, file.path) : undefined;
  return backup === undefined ? file : { ...file, backup };
}

/** Subagents' files have only the text the model was shown; for a file that is its lines with their numbers. */
function resultText(name: string, block: JsonObject, structured: Json | undefined): string | undefined {
  if (asObject(structured) !== undefined) return toolOutput(name, structured);
  const text = contentText(block["content"]);
  return name === "Read" && text !== undefined && block["is_error"] !== true ? stripLineNumbers(text) : text;
}
