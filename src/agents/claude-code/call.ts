// Tool calls in a transcript and their results, which may come first.
import type { AgentEvent, FileTouch } from "../../core/event.ts";
import { asId, asObject, contentText, type Json, type JsonObject } from "../../core/json.ts";
import { addCall, stripLineNumbers, takeCall, toolUse } from "../tool-use.ts";
import { emit } from "../turn.ts";
import { exitCode } from "./event.ts";
import { backupOf } from "./file-history.ts";
import type { Call, ClaudeCodeState, EarlyResult } from "./state.ts";
import { toolOutput, touchedFiles } from "./tool.ts";

/** Their calls come right after. Results may be large, so only a few wait. */
const MAX_EARLY_RESULTS = 8;

export function readCall(state: ClaudeCodeState, call: Call): AgentEvent[] {
  const early = takeCall(state.early, call.id);
  // Waiting calls are stored between runs: private ones must not be.
  if (early === undefined && !state.turn.isPrivate) addCall(state.calls, call);
  return early === undefined ? [] : emitToolUse(state, call, early);
}

export function readResult(state: ClaudeCodeState, line: JsonObject, block: JsonObject): AgentEvent[] {
  const id = asId(block["tool_use_id"]);
  if (id === undefined) return [];
  const call = takeCall(state.calls, id);
  const result: EarlyResult = { id, header: state.turn.header, line, block };
  if (call !== undefined) return emitToolUse(state, call, result);
  const { promptId = null, toolUseResult = null } = line;
  // The call of a late result of a private turn was never stored.
  const isPrivate = state.turn.isPrivate || state.privatePromptIds.includes(asId(promptId) ?? "");
  if (!isPrivate) state.early.push({ ...result, line: { promptId, toolUseResult } });
  state.early = state.early.slice(-MAX_EARLY_RESULTS);
  return [];
}

function emitToolUse(state: ClaudeCodeState, call: Call, { header, line, block }: EarlyResult): AgentEvent[] {
  const { id, name, input } = call;
  const promptId = asId(line["promptId"]) ?? state.turn.promptId;
  if (promptId !== undefined && state.privatePromptIds.includes(promptId)) return [];
  const hasFailed = block["is_error"] === true;
  const structured = line["toolUseResult"];
  const output = resultText(name, block, hasFailed ? undefined : structured);
  const use = toolUse({
    toolUseId: id,
    promptId,
    name,
    input,
    output,
    hasFailed,
    exitCode: name === "Bash" ? exitCode(output, hasFailed) : undefined,
    files: touchedFiles(name, input, structured).map((file) => withBackup(state, file)),
  });
  return emit({ ...state.turn, header }, use);
}

function withBackup({ backups }: ClaudeCodeState, file: FileTouch): FileTouch {
  const backup = file.kind === "edit" ? backupOf(backups, file.path) : undefined;
  return backup === undefined ? file : { ...file, backup };
}

/** Subagents' transcripts have only the text for the model; the text of a file has line numbers. */
function resultText(name: string, block: JsonObject, structured: Json | undefined): string | undefined {
  if (asObject(structured) !== undefined) return toolOutput(name, structured);
  const text = contentText(block["content"]);
  return name === "Read" && text !== undefined && block["is_error"] !== true ? stripLineNumbers(text) : text;
}
