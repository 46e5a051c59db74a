// Converts Codex's tool calls and results to the names, inputs and outputs that all agents share. A call is logged in
// several steps: the model's request, events of its run, its result.
import type { FileTouch } from "../../core/event.ts";
import { absolutePath } from "../agent-files.ts";
import type { Loose } from "../fields.ts";
import {
  asArray,
  asCount,
  asId,
  asInteger,
  asObject,
  asString,
  blocksText,
  type Json,
  type JsonObject,
  parseJson,
} from "../../core/json.ts";
import { diffCounts, lineCount, patchFiles, withAbsolutePaths, toolUse, type ToolUse } from "../tool-use.ts";

interface CodexTool {
  name: string;
  input: Json;
  files: FileTouch[];
}

/** `args`: the arguments that the model wrote, as JSON or plain text. */
export function codexTool(name: string, namespace: string | undefined, args: Json | undefined, cwd: string): CodexTool {
  const parsed = typeof args === "string" ? (parseJson(args) ?? args) : args;
  const input = asObject(parsed);
  switch (name) {
    case "shell":
    case "local_shell":
    case "container.exec":
    case "shell_command":
    case "exec_command":
      return shellTool(input, cwd);
    case "apply_patch":
      return patchTool(asString(parsed) ?? asString(input?.["input"]) ?? asString(input?.["patch"]) ?? "", cwd);
    case "view_image": {
      const path = asString(input?.["path"]);
      const files: FileTouch[] = path ? [{ path: absolutePath(path, cwd), kind: "read" }] : [];
      return { name: "Read", input: { ...input, ...(path !== undefined && { file_path: path }) }, files };
    }
    default: {
      // A tool of an MCP server has the server as its namespace, and its name may begin with the separator.
      const fullName = namespace ? `${namespace}__${name.replace(/^_+/, "")}` : name;
      return { name: fullName, input: parsed ?? {}, files: [] };
    }
  }
}

function shellTool(input: JsonObject | undefined, cwd: string): CodexTool {
  const argv = input?.["command"] ?? input?.["cmd"];
  const workdir = asString(input?.["workdir"]) ?? asString(input?.["working_directory"]);
  const command = Array.isArray(argv) ? commandOf(argv.map((part) => asString(part) ?? "")) : (asString(argv) ?? "");
  // Older models ran apply_patch as a shell command.
  if (/^\s*(?:cd\s+\S+\s*&&\s*)?apply_patch\b/.test(command) && command.includes("*** Begin Patch")) {
    return patchTool(command, workdir === undefined ? cwd : absolutePath(workdir, cwd));
  }
  return { name: "Bash", input: { command, ...(workdir !== undefined && { workdir }) }, files: [] };
}

/** `["bash", "-lc", "ls"]` -> `ls`; another list is a command with its arguments. */
function commandOf(argv: readonly string[]): string {
  const [shell = "", flag = "", script] = argv;
  const isShell = /(?:^|[/\\])(?:(?:ba|z|da|fi)?sh|powershell|pwsh|cmd)(?:\.exe)?$/i.test(shell);
  if (isShell && /^[-/]\w+$/.test(flag) && script !== undefined) return argv.at(-1) ?? script;
  return argv.map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`)).join(" ");
}

function patchTool(patch: string, cwd: string): CodexTool {
  const files = withAbsolutePaths(patchFiles(patch), cwd);
  const [only, second] = files;
  return {
    name: editName(files),
    input: { ...(only !== undefined && second === undefined && { file_path: only.path }), patch },
    files,
  };
}

/** A patch that only creates files is a Write, any other an Edit. */
function editName(files: readonly FileTouch[]): string {
  return files.length > 0 && files.every((file) => file.kind === "create") ? "Write" : "Edit";
}

/** The changes that Codex logs after applying a patch, which are more exact than the patch itself. */
function changedFiles(changes: JsonObject | undefined, cwd: string): FileTouch[] {
  return Object.entries(changes ?? {}).map(([name, change]) => {
    const { type, ...detail } = asObject(change) ?? {};
    const content = asString(detail["content"]);
    const path = absolutePath(asString(detail["move_path"]) ?? name, cwd);
    if (type === "add") return { path, kind: "create", added: lineCount(content ?? ""), removed: 0 };
    if (type === "delete") return { path, kind: "edit", added: 0, removed: lineCount(content ?? "") };
    return { path, kind: "edit", ...diffCounts(asString(detail["unified_diff"]) ?? "") };
  });
}

interface CodexResult {
  output?: string | undefined;
  exitCode?: number | undefined;
  durationMs?: number | undefined;
  failed: boolean;
}

/** A result is JSON with metadata, text after a few header lines, content blocks, or plain text. */
export function codexResult(output: Json | undefined): CodexResult {
  if (Array.isArray(output)) return { output: blocksText(output), failed: false };
  const text = asString(output);
  // JSON of another form is the output of a command.
  const object = asObject(output) ?? asObject(parseJson(text?.startsWith('{"output":') ? text : undefined));
  if (object !== undefined && ("metadata" in object || "content" in object || "output" in object)) {
    return structuredResult(object);
  }
  return text === undefined ? { failed: false } : textResult(text);
}

function structuredResult(object: JsonObject): CodexResult {
  const metadata = asObject(object["metadata"]);
  const seconds = metadata?.["duration_seconds"];
  const content = object["output"] ?? object["content"];
  return {
    output: Array.isArray(content) ? blocksText(content) : asString(content),
    exitCode: asInteger(metadata?.["exit_code"]),
    durationMs: typeof seconds === "number" ? asInteger(seconds * 1000) : undefined,
    failed: object["success"] === false,
  };
}

function textResult(text: string): CodexResult {
  const marker = /(?:^|\n)Output:\n?/.exec(text.slice(0, MAX_HEADER_CHARS));
  const isHeaded = marker !== null && /^(?:Command: |Chunk ID: |Wall time: |Exit code: |Process )/.test(text);
  if (!isHeaded) return { output: text, failed: FAILED.test(text) };
  const head = text.slice(0, marker.index + 1);
  const code = /^(?:Exit code: |Process exited with code )(-?\d{1,10})\s*$/m.exec(head)?.[1];
  const seconds = /^Wall time: ([\d.]{1,20}) seconds$/m.exec(head)?.[1];
  return {
    output: text.slice(marker.index + marker[0].length),
    exitCode: code === undefined ? undefined : Number(code),
    durationMs: asInteger(Number(seconds) * 1000),
    failed: false,
  };
}

/** Limit of the header, which contains the command. */
const MAX_HEADER_CHARS = 20_000;

/** The beginning of the output if a call could not run. */
const FAILED =
  /^(?:apply_patch verification failed|failed to parse function arguments|write_stdin failed|exec_command failed|exec error|execution error|unsupported call|aborted by user|aborted$|tool call error|patch rejected|err: )/i;

export interface CodexCall extends CodexTool {
  id: string;
  exitCode?: number;
  durationMs?: number;
  failed?: boolean;
}

/** Tool names of calls that have only a type. */
const NAMES: Readonly<Record<string, string>> = { local_shell_call: "local_shell", tool_search_call: "ToolSearch" };

export function codexCall(item: JsonObject, cwd: string): CodexCall | undefined {
  const id = asId(item["call_id"]) ?? asId(item["id"]);
  if (id === undefined) return undefined;
  const type = asString(item["type"]) ?? "";
  const args = type === "local_shell_call" ? item["action"] : (item["arguments"] ?? item["input"]);
  return { id, ...codexTool(NAMES[type] ?? asId(item["name"]) ?? "unknown", asId(item["namespace"]), args, cwd) };
}

/** Reads how a call ended, which Codex logs before the result: as an event, in newer versions as a completed item. */
export function noteEnd(call: CodexCall, event: JsonObject, cwd: string): void {
  switch (event["type"]) {
    case "patch_apply_end":
      return notePatch(call, event, event["success"] === false, cwd);
    case "FileChange":
      return notePatch(call, event, event["status"] === "failed" || event["status"] === "declined", cwd);
    case "exec_command_end":
    case "CommandExecution": {
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

function notePatch(call: CodexCall, event: JsonObject, hasFailed: boolean, cwd: string): void {
  call.failed = hasFailed;
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

export function finishCall(call: CodexCall, item: JsonObject): Loose<ToolUse> {
  const isSearch = item["type"] === "tool_search_output";
  const names = () => asArray(item["tools"]).map((tool) => asString(asObject(tool)?.["name"]) ?? "");
  const { output, failed, exitCode, durationMs } = codexResult(isSearch ? names().join("\n") : item["output"]);
  return toolUse({
    toolUseId: call.id,
    name: call.name,
    input: call.input,
    output,
    hasFailed: failed || call.failed === true,
    exitCode: exitCode ?? call.exitCode,
    durationMs: durationMs ?? call.durationMs,
    files: call.files,
  });
}

/** A web search runs at the provider and has no result line. */
export function webSearch(item: JsonObject, id: string): Loose<ToolUse> {
  const action = asObject(item["action"]);
  return toolUse({
    toolUseId: asId(item["id"]) ?? id,
    name: action?.["url"] === undefined ? "WebSearch" : "WebFetch",
    input: action ?? {},
    hasFailed: item["status"] === "failed",
    files: [],
  });
}
