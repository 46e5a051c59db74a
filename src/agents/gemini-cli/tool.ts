// Reduces Gemini CLI's tool calls to the names, inputs and outputs all agents share.
import type { Activity, FileTouch } from "../../core/event.ts";
import { absolutePath } from "../agent-files.ts";
import { diffCounts, lineCount, replacementCounts } from "../patch.ts";
import { asCount, asId, asObject, asString, type Json, type JsonObject, present } from "../../core/json.ts";
import { partsText, withoutHookContext } from "./text.ts";

const NAMES: Readonly<Record<string, string>> = {
  run_shell_command: "Bash",
  write_file: "Write",
  replace: "Edit",
  edit: "Edit",
  read_file: "Read",
};

type ToolUse = Extract<Activity, { kind: "tool-use" }>;

/** A call that is still running or waits for a yes gives nothing yet. */
export function geminiToolUse(call: JsonObject, cwd: string): ToolUse | undefined {
  const status = call["status"];
  const own = asId(call["name"]);
  if (own === undefined || (status !== "success" && status !== "error" && status !== "cancelled")) return undefined;
  const name = Object.hasOwn(NAMES, own) ? (NAMES[own] ?? own) : own;
  const args = asObject(call["args"]) ?? {};
  const path = asString(args["file_path"]) ?? asString(args["absolute_path"]) ?? asString(args["path"]);
  const isFile = name === "Read" || name === "Write" || name === "Edit";
  const { output, exitCode } = resultOf(name, call["result"]);
  const isError = status !== "success" || (exitCode !== undefined && exitCode !== 0);
  return {
    kind: "tool-use",
    ...present("toolUseId", asId(call["id"])),
    name,
    input: isFile && path !== undefined ? { ...args, file_path: path } : args,
    ...present("output", output),
    isError,
    ...present("exitCode", exitCode),
    files: isError || path === undefined ? [] : touched(name, absolutePath(path, cwd), args, call),
  };
}

function resultOf(name: string, result: Json | undefined): { output?: string; exitCode?: number } {
  const text = responseText(result);
  if (text === undefined) return {};
  return name === "Bash" ? shellResult(text) : { output: text };
}

/** What the model was told: a function response with an output or an error, or plain parts. */
function responseText(result: Json | undefined): string | undefined {
  if (result === undefined || result === null) return undefined;
  const parts = Array.isArray(result) ? result : [result];
  const texts = parts.map((part) => {
    const response = asObject(asObject(asObject(part)?.["functionResponse"])?.["response"]);
    return asString(response?.["output"]) ?? asString(response?.["error"]) ?? partsText(part);
  });
  return withoutHookContext(texts.filter((text) => text !== "").join("\n")).replace(UNTRUSTED, "$1");
}

/** Newer versions mark so what the model should not obey. */
const UNTRUSTED = /^<untrusted_context>\n([\s\S]*?)\n?<\/untrusted_context>$/;

/** The shell tool writes its result as labelled lines; a zero exit code is left out by newer versions. */
function shellResult(text: string): { output?: string; exitCode?: number } {
  const start = /^(?:Output|Stdout): ?/m.exec(text);
  if (start === null) return { output: text };
  const body = text.slice(start.index + start[0].length);
  const end = /\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): .*(?:\n|$)/.exec(body);
  const code = /^Exit Code: (-?\d{1,10})\s*$/m.exec(body)?.[1];
  const ended = !/^(?:Signal: (?!\(none\))|Error: (?!\(none\)))/m.test(body);
  const exitCode = code === undefined ? (ended ? 0 : undefined) : Number(code);
  const output = end === null ? body : body.slice(0, end.index);
  return { output: output === "(empty)" ? "" : output, ...present("exitCode", exitCode) };
}

function touched(name: string, path: string, args: JsonObject, call: JsonObject): FileTouch[] {
  if (name === "Read") return [{ path, kind: "read" }];
  if (name !== "Write" && name !== "Edit") return [];
  const display = asObject(call["resultDisplay"]);
  const before = asString(args["old_string"]);
  const after = asString(args["new_string"]) ?? asString(args["content"]) ?? "";
  const isNew = display?.["isNewFile"] === true || before === "" || wasCreated(name, call["result"]);
  if (isNew) return [{ path, kind: "create", added: lineCount(after), removed: 0 }];
  return [{ path, kind: "edit", ...counts(display, before, after) }];
}

function wasCreated(name: string, result: Json | undefined): boolean {
  return name === "Write" && /created and wrote to new file/i.test(responseText(result) ?? "");
}

function counts(
  display: JsonObject | undefined,
  before: string | undefined,
  after: string,
): Pick<FileTouch, "added" | "removed"> {
  const diff = asString(display?.["fileDiff"]);
  if (diff !== undefined && diff.includes("@@")) return diffCounts(diff);
  const stat = asObject(display?.["diffStat"]);
  const added = asCount(stat?.["model_added_lines"]);
  const removed = asCount(stat?.["model_removed_lines"]);
  if (added !== undefined && removed !== undefined) return { added, removed };
  return before === undefined ? {} : replacementCounts(before, after);
}
