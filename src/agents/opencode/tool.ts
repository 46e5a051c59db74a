// Reduces OpenCode's tool parts to the names, inputs and outputs all agents share.
import type { Activity, FileTouch } from "../../core/event.ts";
import { absolutePath } from "../agent-files.ts";
import { stripLineNumbers } from "../line-numbers.ts";
import { diffCounts, lineCount, patchFiles, replacementCounts } from "../patch.ts";
import {
  asCount,
  asId,
  asInteger,
  asObject,
  asObjects,
  asString,
  asTime,
  type JsonObject,
  present,
} from "../../core/json.ts";

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

type ToolUse = Extract<Activity, { kind: "tool-use" }>;

/** A part that is still pending or running gives nothing yet: it will be written anew. */
export function openCodeToolUse(part: JsonObject, cwd: string): { use: ToolUse; at: number | undefined } | undefined {
  const state = asObject(part["state"]) ?? {};
  const own = asId(part["tool"]);
  const failed = state["status"] === "error";
  if (own === undefined || (!failed && state["status"] !== "completed")) return undefined;
  const name = Object.hasOwn(NAMES, own) ? (NAMES[own] ?? own) : own;
  const input = asObject(state["input"]) ?? {};
  const path = asString(input["filePath"]);
  const metadata = asObject(state["metadata"]) ?? {};
  const exitCode = name === "Bash" ? asInteger(metadata["exit"]) : undefined;
  const isError = failed || (exitCode !== undefined && exitCode !== 0);
  const time = asObject(state["time"]);
  const start = asTime(time?.["start"]);
  const end = asTime(time?.["end"]);
  const use: ToolUse = {
    kind: "tool-use",
    ...present("toolUseId", asId(part["callID"]) ?? asId(part["id"])),
    name,
    input: path === undefined ? input : { ...input, file_path: path },
    ...present("output", outputOf(name, state, metadata)),
    isError,
    ...present("exitCode", exitCode),
    ...present("durationMs", start === undefined || end === undefined ? undefined : asCount(end - start)),
    files: isError
      ? []
      : touched(name, input, metadata).map((file) => ({ ...file, path: absolutePath(file.path, cwd) })),
  };
  return { use, at: end ?? start };
}

function outputOf(name: string, state: JsonObject, metadata: JsonObject): string | undefined {
  if (state["status"] === "error") return asString(state["error"]);
  const output = asString(state["output"]);
  if (name === "Edit") return asString(metadata["diff"])?.trim() || output;
  return name === "Read" && output !== undefined ? fileText(output) : output;
}

/** The tool wraps the lines it read in tags, and notes after them how many there are. */
function fileText(output: string): string {
  const body =
    /<(?:file|content)>\n([\s\S]*?)(?:\n\n?\((?:End of file|File has more lines|Showing lines|Output truncated)[^\n]*)?\n*<\/(?:file|content)>/.exec(
      output,
    )?.[1];
  return stripLineNumbers(body ?? output);
}

function touched(name: string, input: JsonObject, metadata: JsonObject): FileTouch[] {
  const path = asString(input["filePath"]);
  const patch = asString(input["patchText"]);
  if (name === "Read") return path ? [{ path, kind: "read" }] : [];
  if (name === "Edit" && patch !== undefined) return patchedFiles(patch, asObjects(metadata["files"]));
  if (!path) return [];
  if (name === "Edit") return [editedFile(path, input, metadata)];
  if (name !== "Write") return [];
  const added = lineCount(asString(input["content"]) ?? "");
  return metadata["exists"] === false ? [{ path, kind: "create", added, removed: 0 }] : [{ path, kind: "edit" }];
}

function editedFile(path: string, input: JsonObject, metadata: JsonObject): FileTouch {
  const change = asObject(metadata["filediff"]);
  const added = asCount(change?.["additions"]);
  const removed = asCount(change?.["deletions"]);
  const diff = asString(metadata["diff"]);
  const before = asString(input["oldString"]);
  const after = asString(input["newString"]) ?? "";
  const isNew = before === "";
  if (added !== undefined && removed !== undefined) return { path, kind: isNew ? "create" : "edit", added, removed };
  const counts = diff === undefined ? replacementCounts(before ?? "", after) : diffCounts(diff);
  return { path, kind: isNew ? "create" : "edit", ...counts };
}

function patchedFiles(patch: string, files: readonly JsonObject[]): FileTouch[] {
  const noted = files.flatMap((file): FileTouch[] => {
    const path = asString(file["movePath"]) ?? asString(file["filePath"]);
    const kind = file["type"] === "add" ? "create" : "edit";
    const counts = {
      ...present("added", asCount(file["additions"])),
      ...present("removed", asCount(file["deletions"])),
    };
    return path ? [{ path, kind, ...counts }] : [];
  });
  return noted.length > 0 ? noted : patchFiles(patch);
}
