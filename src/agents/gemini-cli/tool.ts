// Reduces Gemini CLI's tool calls to the names, inputs and outputs that all agents share.
import type { FileTouch } from "../../core/event.ts";
import { asCount, asId, asObject, asString, type Json, type JsonObject } from "../../core/json.ts";
import { absolutePath } from "../agent-files.ts";
import { defined, ownValue } from "../fields.ts";
import { diffCounts, lineCount, replacementCounts } from "../patch.ts";
import { toolUse, type ToolUse } from "../tool-use.ts";
import { partsText, withoutHookContext } from "./chat.ts";

const NAMES: Readonly<Record<string, string>> = {
  run_shell_command: "Bash",
  write_file: "Write",
  replace: "Edit",
  edit: "Edit",
  read_file: "Read",
};

/** Undefined for a call that still runs or waits for approval. */
export function geminiToolUse(call: JsonObject, cwd: string): ToolUse | undefined {
  const { status, result } = call;
  const ownName = asId(call["name"]);
  if (ownName === undefined || (status !== "success" && status !== "error" && status !== "cancelled")) return undefined;
  const name = ownValue(NAMES, ownName) ?? ownName;
  const args = asObject(call["args"]) ?? {};
  const path = asString(args["file_path"]) ?? asString(args["absolute_path"]) ?? asString(args["path"]);
  const isFile = name === "Read" || name === "Write" || name === "Edit";
  const text = responseText(result);
  return defined<ToolUse>(
    toolUse({
      toolUseId: asId(call["id"]),
      name,
      input: isFile && path !== undefined ? { ...args, file_path: path } : args,
      ...(text !== undefined && name === "Bash" ? shellResult(text) : { output: text }),
      hasFailed: status !== "success",
      files: isFile && path !== undefined ? [touchedFile(name, absolutePath(path, cwd), args, call)] : [],
    }),
  );
}

/** What the model read: a function response with an output or an error, or plain parts. */
function responseText(result: Json | undefined): string | undefined {
  if (result === undefined || result === null) return undefined;
  const parts = Array.isArray(result) ? result : [result];
  const texts = parts.map((part) => {
    const response = asObject(asObject(asObject(part)?.["functionResponse"])?.["response"]);
    return asString(response?.["output"]) ?? asString(response?.["error"]) ?? partsText(part);
  });
  return withoutHookContext(texts.filter((text) => text !== "").join("\n")).replace(UNTRUSTED, "$1");
}

/** Newer versions mark text that the model must not obey. */
const UNTRUSTED = /^<untrusted_context>\n([\s\S]*?)\n?<\/untrusted_context>$/;

/** The shell tool writes its result as labelled lines; newer versions leave out an exit code of zero. */
function shellResult(text: string): { output: string; exitCode?: number | undefined } {
  const start = /^(?:Output|Stdout): ?/m.exec(text);
  if (start === null) return { output: text };
  const body = text.slice(start.index + start[0].length);
  const end = /\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): .*(?:\n|$)/.exec(body);
  const code = /^Exit Code: (-?\d{1,10})\s*$/m.exec(body)?.[1];
  const hasEnded = !/^(?:Signal: (?!\(none\))|Error: (?!\(none\)))/m.test(body);
  const output = end === null ? body : body.slice(0, end.index);
  return {
    output: output === "(empty)" ? "" : output,
    exitCode: code !== undefined ? Number(code) : hasEnded ? 0 : undefined,
  };
}

function touchedFile(name: string, path: string, args: JsonObject, call: JsonObject): FileTouch {
  if (name === "Read") return { path, kind: "read" };
  const display = asObject(call["resultDisplay"]);
  const before = asString(args["old_string"]);
  const after = asString(args["new_string"]) ?? asString(args["content"]) ?? "";
  const isCreated =
    display?.["isNewFile"] === true ||
    before === "" ||
    (name === "Write" && /created and wrote to new file/i.test(responseText(call["result"]) ?? ""));
  if (isCreated) return { path, kind: "create", added: lineCount(after), removed: 0 };
  return { path, kind: "edit", ...changedLines(display, before, after) };
}

/** From the diff, else from its statistics, else from the texts in the call. */
function changedLines(display: JsonObject | undefined, before: string | undefined, after: string) {
  const diff = asString(display?.["fileDiff"]);
  if (diff?.includes("@@")) return diffCounts(diff);
  const stat = asObject(display?.["diffStat"]);
  const added = asCount(stat?.["model_added_lines"]);
  const removed = asCount(stat?.["model_removed_lines"]);
  if (added !== undefined && removed !== undefined) return { added, removed };
  return before === undefined ? {} : replacementCounts(before, after);
}
