// Reduces Cursor's tool calls to the names, inputs and outputs all agents share.
import type { Activity, FileTouch } from "../../core/event.ts";
import { absolutePath } from "../agent-files.ts";
import { lineCount, replacementCounts } from "../patch.ts";
import { asCount, asId, asInteger, asObject, asString, type JsonObject, parseJson, present } from "../../core/json.ts";

const NAMES: Readonly<Record<string, string>> = { Shell: "Bash" };

/** Cursor names the tool of an MCP server, but not the server. When in doubt it is ours: memory must not feed on itself. */
const MEMORY_TOOLS = /^MCP:(?=(?:search|timeline|get_observations|file_history|find_fix|remember|forget)$)/;

type ToolUse = Extract<Activity, { kind: "tool-use" }>;

export function cursorToolUse(payload: JsonObject, failed: boolean, cwd: string): ToolUse | undefined {
  const own = asId(payload["tool_name"]);
  if (own === undefined) return undefined;
  const name = Object.hasOwn(NAMES, own)
    ? (NAMES[own] ?? own)
    : own.replace(MEMORY_TOOLS, "c-mem__").replace(/^MCP:/, "mcp__");
  const given = payload["tool_input"];
  const input = asObject(given) ?? asObject(parseJson(asString(given))) ?? {};
  const path = asString(input["file_path"]) ?? asString(input["path"]) ?? asString(input["target_file"]);
  const { output, exitCode } = resultOf(name, payload, failed);
  return {
    kind: "tool-use",
    ...present("toolUseId", asId(payload["tool_use_id"])),
    name,
    input: path === undefined ? input : { ...input, file_path: path },
    ...present("output", output),
    isError: failed,
    ...present("exitCode", exitCode),
    ...present("durationMs", asCount(payload["duration"])),
    files: failed || path === undefined ? [] : touched(name, absolutePath(path, cwd), input),
  };
}

/** The output is JSON in a text, a shell's with its exit code; a command that failed comes with its output alone. */
function resultOf(name: string, payload: JsonObject, failed: boolean): { output?: string; exitCode?: number } {
  const text = asString(failed ? payload["error_message"] : payload["tool_output"]);
  if (failed) {
    const code = /exit code (\d{1,3})\b/i.exec(text ?? "")?.[1];
    return { ...present("output", text), ...(name === "Bash" && { exitCode: code === undefined ? 1 : Number(code) }) };
  }
  const parsed = asObject(parseJson(text));
  const output = asString(parsed?.["output"]) ?? asString(parsed?.["content"]) ?? text;
  const exitCode = name === "Bash" ? (asInteger(parsed?.["exitCode"]) ?? 0) : undefined;
  return { ...present("output", output), ...present("exitCode", exitCode) };
}

function touched(name: string, path: string, input: JsonObject): FileTouch[] {
  if (name === "Read") return [{ path, kind: "read" }];
  if (!["Write", "Edit", "StrReplace", "Delete"].includes(name)) return [];
  const before = asString(input["old_string"]);
  const after = asString(input["new_string"]);
  if (before !== undefined && after !== undefined) return [{ path, kind: "edit", ...replacementCounts(before, after) }];
  const content = asString(input["content"]) ?? asString(input["contents"]);
  // Whether the file was there before is not said.
  return [{ path, kind: "edit", ...(content !== undefined && { added: lineCount(content) }) }];
}
