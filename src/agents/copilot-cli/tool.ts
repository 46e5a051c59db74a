// Converts Copilot CLI's tool calls and results to the names, inputs and outputs that all agents share.
import type { FileTouch } from "../../core/event.ts";
import { asInteger, asObject, asString, type Json, type JsonObject } from "../../core/json.ts";
import { ownValue } from "../fields.ts";
import { patchFiles, stripLineNumbers, touchedFile, withAbsolutePaths } from "../tool-use.ts";

/** Names of tools and of operations: in older versions, one tool had the operation in its field `command`. */
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

export const FILE_TOOLS: ReadonlySet<string> = new Set(["Read", "Write", "Edit"]);

export interface CopilotCall {
  id: string;
  name: string;
  input: Json;
  at: number;
}

export function copilotCall(id: string, at: number, data: JsonObject): CopilotCall {
  const input = data["arguments"] ?? {};
  const fields = asObject(input);
  const server = asString(data["mcpServerName"]);
  const tool = asString(data["mcpToolName"]);
  if (server !== undefined && tool !== undefined) return { id, at, name: `mcp__${server}__${tool}`, input };
  const ownName = asString(data["toolName"]) ?? "unknown";
  const operation = ownName === "str_replace_editor" ? (asString(fields?.["command"]) ?? ownName) : ownName;
  const name = ownValue(NAMES, operation) ?? ownName;
  const path = FILE_TOOLS.has(name) ? asString(fields?.["path"]) : undefined;
  return { id, at, name, input: path === undefined ? input : { file_path: path, ...fields } };
}

interface CopilotResult {
  output?: string | undefined;
  exitCode?: number | undefined;
  files: FileTouch[];
}

export function copilotResult(call: CopilotCall, data: JsonObject, cwd: string): CopilotResult {
  const result = asObject(data["result"]);
  const hasFailed = data["success"] === false;
  const shown = asString(result?.["content"])?.replace(GUIDANCE, "");
  const text = hasFailed ? asString(asObject(data["error"])?.["message"]) : shown;
  if (call.name === "Bash") {
    const exitCode = asInteger(asObject(data["shellExecution"])?.["exitCode"]);
    return { files: [], exitCode, ...shellResult(text) };
  }
  if (hasFailed) return { files: [], output: text };
  const detail = asString(result?.["detailedContent"]);
  const diff = detail !== undefined && /^@@ /m.test(detail) ? detail.trimStart() : undefined;
  const output = call.name === "Edit" ? (diff ?? text) : call.name === "Read" ? stripLineNumbers(text ?? "") : text;
  const isFolder = asObject(asObject(data["toolTelemetry"])?.["properties"])?.["viewType"] === "directory";
  return { output, files: isFolder ? [] : withAbsolutePaths(touchedFiles(call, diff), cwd) };
}

/** Matches text that hooks, including C-Mem's, injected after the result. */
const GUIDANCE = /\n\nTool "[^"\n]{1,256}" \w{1,20}\. Additional guidance from \w{1,40} hooks:\n[\s\S]*$/;

/** Splits off the last line of a shell result, which has the exit code. */
function shellResult(text: string | undefined): Pick<CopilotResult, "output" | "exitCode"> {
  if (text === undefined) return {};
  const end = /\n?<(?:shellId: \S{1,40} completed|exited) with exit code (-?\d{1,10})>\s*$/.exec(text);
  return end === null ? { output: text } : { output: text.slice(0, end.index), exitCode: Number(end[1]) };
}

function touchedFiles({ name, input }: CopilotCall, diff: string | undefined): FileTouch[] {
  const fields = asObject(input);
  const path = asString(fields?.["path"]);
  const patch = asString(input) ?? asString(fields?.["input"]) ?? asString(fields?.["patch"]) ?? "";
  if (name === "Edit" && patch.includes("*** Begin Patch")) return patchFiles(patch);
  if (name === "Write") return touchedFile(name, path, { isNew: true, after: asString(fields?.["file_text"]) });
  const [before, after] = [fields?.["old_str"], fields?.["new_str"]].map((text) => asString(text) ?? "");
  return touchedFile(name, path, { diff, before, after });
}
