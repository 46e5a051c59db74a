// Reduces Copilot CLI's tool calls and their results to the names, inputs and outputs all agents share.
import type { FileTouch } from "../../core/event.ts";
import { absolutePath } from "../agent-files.ts";
import { stripLineNumbers } from "../line-numbers.ts";
import { diffCounts, lineCount, patchFiles, replacementCounts } from "../patch.ts";
import { asInteger, asObject, asString, type Json, type JsonObject, present } from "../../core/json.ts";

/** Copilot's names for what every agent has; the older editor was one tool with a command. */
const NAMES: Readonly<Record<string, string>> = {
  bash: "Bash",
  powershell: "Bash",
  view: "Read",
  create: "Write",
  edit: "Edit",
  str_replace: "Edit",
  insert: "Edit",
  apply_patch: "Edit",
};

export interface CopilotCall {
  id: string;
  name: string;
  input: Json;
  at: number;
}

export function copilotCall(id: string, at: number, data: JsonObject): CopilotCall {
  const input = data["arguments"] ?? {};
  const server = asString(data["mcpServerName"]);
  const tool = asString(data["mcpToolName"]);
  if (server !== undefined && tool !== undefined) return { id, at, name: `mcp__${server}__${tool}`, input };
  const own = asString(data["toolName"]) ?? "unknown";
  const spelled = own === "str_replace_editor" ? (asString(asObject(input)?.["command"]) ?? own) : own;
  const name = Object.hasOwn(NAMES, spelled) ? (NAMES[spelled] ?? own) : own;
  return { id, at, name, input: ["Read", "Write", "Edit"].includes(name) ? withFilePath(input) : input };
}

/** Where all agents have it, so that one look finds it. */
function withFilePath(input: Json): Json {
  const path = asString(asObject(input)?.["path"]);
  return path === undefined ? input : { file_path: path, ...asObject(input) };
}

export interface CopilotResult {
  output?: string;
  exitCode?: number;
  files: FileTouch[];
}

export function copilotResult(call: CopilotCall, data: JsonObject, cwd: string): CopilotResult {
  const result = asObject(data["result"]);
  const shown = asString(result?.["content"])?.replace(GUIDANCE, "");
  const detail = asString(result?.["detailedContent"]);
  const text = data["success"] === false ? asString(asObject(data["error"])?.["message"]) : shown;
  if (call.name === "Bash") {
    const exitCode = asInteger(asObject(data["shellExecution"])?.["exitCode"]);
    return { files: [], ...present("exitCode", exitCode), ...shellResult(text) };
  }
  if (data["success"] === false) return { files: [], ...(text !== undefined && { output: text }) };
  const diff = detail !== undefined && /^@@ /m.test(detail) ? detail.trimStart() : undefined;
  const output = call.name === "Edit" ? (diff ?? text) : call.name === "Read" ? stripLineNumbers(text ?? "") : text;
  const isFolder = asObject(asObject(data["toolTelemetry"])?.["properties"])?.["viewType"] === "directory";
  return {
    ...(output !== undefined && { output }),
    files: isFolder ? [] : touchedFiles(call, diff).map((file) => ({ ...file, path: absolutePath(file.path, cwd) })),
  };
}

/** What hooks have told the model stands behind the result, ours as well. */
const GUIDANCE = /\n\nTool "[^"\n]{1,256}" \w{1,20}\. Additional guidance from \w{1,40} hooks:\n[\s\S]*$/;

/** The shell's own last line says how the command ended. */
function shellResult(text: string | undefined): Pick<CopilotResult, "output" | "exitCode"> {
  if (text === undefined) return {};
  const end = /\n?<(?:shellId: \S{1,40} completed|exited) with exit code (-?\d{1,10})>\s*$/.exec(text);
  return end === null ? { output: text } : { output: text.slice(0, end.index), exitCode: Number(end[1]) };
}

function touchedFiles(call: CopilotCall, diff: string | undefined): FileTouch[] {
  const input = asObject(call.input);
  const path = asString(input?.["path"]);
  const patch = asString(call.input) ?? asString(input?.["input"]) ?? asString(input?.["patch"]) ?? "";
  if (call.name === "Edit" && patch.includes("*** Begin Patch")) return patchFiles(patch);
  if (path === undefined || path === "") return [];
  switch (call.name) {
    case "Read":
      return [{ path, kind: "read" }];
    case "Write":
      return [{ path, kind: "create", added: lineCount(asString(input?.["file_text"]) ?? ""), removed: 0 }];
    case "Edit": {
      const before = asString(input?.["old_str"]) ?? "";
      const after = asString(input?.["new_str"]) ?? "";
      const counts = diff === undefined ? replacementCounts(before, after) : diffCounts(diff);
      return [{ path, kind: "edit", ...counts }];
    }
    default:
      return [];
  }
}
