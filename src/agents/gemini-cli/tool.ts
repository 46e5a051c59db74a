// Converts Gemini CLI's tool calls to the names, inputs and outputs that all agents share.
import type { FileTouch } from "../../core/event.ts";
import { asCount, asId, asObject, asString, type Json, type JsonObject } from "../../core/json.ts";
import { defined, ownValue } from "../fields.ts";
import { touchedFile, toolUse, type ToolUse, withAbsolutePaths } from "../tool-use.ts";
import { partsText, withoutHookContext } from "./chat.ts";

const NAMES: Readonly<Record<string, string>> = {
  run_shell_command: "Bash",
  write_file: "Write",
  replace: "Edit",
  edit: "Edit",
  read_file: "Read",
};

/** Undefined while the call runs or waits for approval. */
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
      files: withAbsolutePaths(touchedFiles(name, path, args, call), cwd),
    }),
  );
}

/** The result that the model read: a function response with an output or an error, or plain parts. */
function responseText(result: Json | undefined): string | undefined {
  if (result === undefined || result === null) return undefined;
  const parts = Array.isArray(result) ? result : [result];
  const texts = parts.map((part) => {
    const response = asObject(asObject(asObject(part)?.["functionResponse"])?.["response"]);
    return asString(response?.["output"]) ?? asString(response?.["error"]) ?? partsText(part);
  });
  return withoutHookContext(texts.filter((text) => text !== "").join("\n")).replace(UNTRUSTED, "$1");
}

/** The tags with which newer versions mark text that the model must not obey. */
const UNTRUSTED = /^<untrusted_context>\n([\s\S]*?)\n?<\/untrusted_context>$/;

/** The shell tool's result has labelled lines. Newer versions leave out an exit code of zero. */
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

function touchedFiles(name: string, path: string | undefined, args: JsonObject, call: JsonObject): FileTouch[] {
  const display = asObject(call["resultDisplay"]);
  const stat = asObject(display?.["diffStat"]);
  const before = asString(args["old_string"]);
  const after = asString(args["new_string"]) ?? asString(args["content"]) ?? "";
  const isNew =
    display?.["isNewFile"] === true ||
    before === "" ||
    (name === "Write" && /created and wrote to new file/i.test(responseText(call["result"]) ?? ""));
  if (isNew) return touchedFile(name, path, { isNew, after });
  const [added, removed] = [asCount(stat?.["model_added_lines"]), asCount(stat?.["model_removed_lines"])];
  return touchedFile(name, path, { diff: asString(display?.["fileDiff"]), added, removed, before, after });
}
