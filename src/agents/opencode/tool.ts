// Converts OpenCode's tool parts to the names, inputs and outputs that all agents share.
import type { FileTouch } from "../../core/event.ts";
import { asCount, asId, asInteger, asObject, asObjects, asString, asTime, type JsonObject } from "../../core/json.ts";
import { defined, ownValue } from "../fields.ts";
import { patchFiles, stripLineNumbers, toolUse, type ToolUse, touchedFile, withAbsolutePaths } from "../tool-use.ts";

const NAMES: Readonly<Record<string, string>> = {
  bash: "Bash",
  shell: "Bash",
  edit: "Edit",
  multiedit: "Edit",
  patch: "Edit",
  apply_patch: "Edit",
  write: "Write",
  read: "Read",
};

/** Undefined for a part that is pending or running: OpenCode rewrites it when the call has ended. */
export function openCodeToolUse(part: JsonObject, cwd: string): { use: ToolUse; at: number | undefined } | undefined {
  const state = asObject(part["state"]) ?? {};
  const ownName = asId(part["tool"]);
  const hasFailed = state["status"] === "error";
  if (ownName === undefined || (!hasFailed && state["status"] !== "completed")) return undefined;
  const name = ownValue(NAMES, ownName) ?? ownName;
  const input = asObject(state["input"]) ?? {};
  const path = asString(input["filePath"]);
  const metadata = asObject(state["metadata"]) ?? {};
  const start = asTime(asObject(state["time"])?.["start"]);
  const end = asTime(asObject(state["time"])?.["end"]);
  const use = toolUse({
    toolUseId: asId(part["callID"]) ?? asId(part["id"]),
    name,
    input: path === undefined ? input : { ...input, file_path: path },
    output: hasFailed ? asString(state["error"]) : outputOf(name, asString(state["output"]), metadata),
    hasFailed,
    exitCode: name === "Bash" ? asInteger(metadata["exit"]) : undefined,
    durationMs: start === undefined || end === undefined ? undefined : asCount(end - start),
    files: withAbsolutePaths(touchedFiles(name, input, metadata), cwd),
  });
  return { use: defined<ToolUse>(use), at: end ?? start };
}

function outputOf(name: string, output: string | undefined, metadata: JsonObject): string | undefined {
  if (name === "Edit") return asString(metadata["diff"])?.trim() || output;
  return name === "Read" && output !== undefined ? stripLineNumbers(WRAPPED.exec(output)?.[1] ?? output) : output;
}

/** The read tool's output: lines inside a tag, with a note on the number of lines at the end. */
const WRAPPED =
  /<(?:file|content)>\n([\s\S]*?)(?:\n\n?\((?:End of file|File has more lines|Showing lines|Output truncated)[^\n]*)?\n*<\/(?:file|content)>/;

function touchedFiles(name: string, input: JsonObject, metadata: JsonObject): FileTouch[] {
  const path = asString(input["filePath"]);
  const patch = asString(input["patchText"]);
  if (name === "Edit" && patch !== undefined) return patchedFiles(patch, asObjects(metadata["files"]));
  if (name === "Write") {
    return touchedFile(name, path, { isNew: metadata["exists"] === false, after: asString(input["content"]) });
  }
  const change = asObject(metadata["filediff"]);
  const before = asString(input["oldString"]);
  return touchedFile(name, path, {
    isNew: before === "",
    diff: asString(metadata["diff"]),
    added: asCount(change?.["additions"]),
    removed: asCount(change?.["deletions"]),
    before: before ?? "",
    after: asString(input["newString"]) ?? "",
  });
}

function patchedFiles(patch: string, files: readonly JsonObject[]): FileTouch[] {
  const listed = files.flatMap((file) => {
    const path = asString(file["movePath"]) ?? asString(file["filePath"]);
    const kind = file["type"] === "add" ? ("create" as const) : ("edit" as const);
    const counts = { added: asCount(file["additions"]), removed: asCount(file["deletions"]) };
    return path ? [defined<FileTouch>({ path, kind, ...counts })] : [];
  });
  return listed.length > 0 ? listed : patchFiles(patch);
}
