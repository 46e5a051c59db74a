// Follows a Codex tool call from what the model asked, over what Codex notes while it runs, to its result.
import type { Activity } from "../../core/event.ts";
import { asArray, asCount, asId, asInteger, asObject, asString, type Json, type JsonObject } from "../../core/json.ts";
import { changedFiles, codexResult, type CodexTool, codexTool, editName } from "./tool.ts";

export interface CodexCall extends CodexTool {
  id: string;
  exitCode?: number;
  durationMs?: number;
  failed?: boolean;
}

type ToolUse = Extract<Activity, { kind: "tool-use" }>;

/** Undefined for items that are no calls with a result to wait for. */
export function codexCall(item: JsonObject, cwd: string): CodexCall | undefined {
  const id = asId(item["call_id"]) ?? asId(item["id"]);
  if (id === undefined) return undefined;
  const namespace = asId(item["namespace"]);
  switch (item["type"]) {
    case "function_call":
    case "custom_tool_call":
      return { id, ...codexTool(asId(item["name"]) ?? "unknown", namespace, item["arguments"] ?? item["input"], cwd) };
    case "local_shell_call":
      return { id, ...codexTool("local_shell", namespace, item["action"], cwd) };
    case "tool_search_call":
      return { id, ...codexTool("ToolSearch", namespace, item["arguments"], cwd) };
    default:
      return undefined;
  }
}

/** Codex notes how a call ended before the model is told. */
export function noteEnd(call: CodexCall, event: JsonObject, cwd: string): void {
  switch (event["type"]) {
    case "patch_apply_end":
      return notePatch(call, event, cwd);
    case "exec_command_end": {
      const exitCode = asInteger(event["exit_code"]);
      if (exitCode !== undefined) call.exitCode = exitCode;
      return noteDuration(call, event);
    }
    case "mcp_tool_call_end": {
      const result = asObject(event["result"]);
      call.failed = result?.["Err"] !== undefined || asObject(result?.["Ok"])?.["isError"] === true;
      return noteDuration(call, event);
    }
  }
}

/** The same, as newer versions write it. */
export function noteItem(call: CodexCall, item: JsonObject, cwd: string): void {
  switch (item["type"]) {
    case "CommandExecution":
      return noteEnd(call, { ...item, type: "exec_command_end" }, cwd);
    case "FileChange":
      return notePatch(call, { ...item, success: item["status"] !== "failed" && item["status"] !== "declined" }, cwd);
  }
}

function notePatch(call: CodexCall, event: JsonObject, cwd: string): void {
  call.failed = event["success"] === false;
  const files = changedFiles(asObject(event["changes"]), cwd);
  if (files.length === 0) return;
  call.files = files;
  call.name = editName(files);
}

function noteDuration(call: CodexCall, event: JsonObject): void {
  const duration = asObject(event["duration"]);
  const ms = (asCount(duration?.["secs"]) ?? Number.NaN) * 1000 + (asCount(duration?.["nanos"]) ?? 0) / 1e6;
  const durationMs = asCount(ms);
  if (durationMs !== undefined) call.durationMs = durationMs;
}

export function finishCall(call: CodexCall, item: JsonObject): ToolUse {
  const raw = item["type"] === "tool_search_output" ? toolNames(item["tools"]) : item["output"];
  const result = codexResult(raw);
  const exitCode = result.exitCode ?? call.exitCode;
  const durationMs = result.durationMs ?? call.durationMs;
  const isError = result.failed || call.failed === true || (exitCode !== undefined && exitCode !== 0);
  return {
    kind: "tool-use",
    toolUseId: call.id,
    name: call.name,
    input: call.input,
    ...(result.output !== undefined && { output: result.output }),
    isError,
    ...(exitCode !== undefined && { exitCode }),
    ...(durationMs !== undefined && { durationMs }),
    // A tool that failed touched nothing.
    files: isError ? [] : call.files,
  };
}

function toolNames(tools: Json | undefined): string {
  return asArray(tools)
    .map((tool) => asString(asObject(tool)?.["name"]) ?? "")
    .join("\n");
}

/** A search on the web runs at the provider: there is no result to wait for. */
export function webSearch(item: JsonObject, id: string): ToolUse {
  const action = asObject(item["action"]);
  return {
    kind: "tool-use",
    toolUseId: asId(item["id"]) ?? id,
    name: action?.["url"] === undefined ? "WebSearch" : "WebFetch",
    input: action ?? {},
    isError: item["status"] === "failed",
    files: [],
  };
}
