// Reduces a tool's structured response to the text a reader wants, and to the files it touched.
import type { FileTouch } from "../../core/event.ts";
import { lineCount, replacementCounts } from "../patch.ts";
import { asArray, asObject, asString, blocksText, type Json, type JsonObject } from "../../core/json.ts";

export function toolOutput(name: string, response: Json | undefined): string | undefined {
  if (response === undefined || response === null) return undefined;
  if (typeof response === "string") return response;
  if (Array.isArray(response)) return blocksText(response);
  const object = asObject(response);
  if (object === undefined) return JSON.stringify(response);
  return knownOutput(name, object) ?? JSON.stringify(withoutBulk(object));
}

function knownOutput(name: string, response: JsonObject): string | undefined {
  switch (name) {
    case "Bash":
      return joinLines(response["stdout"], response["stderr"]);
    case "Read":
      return readOutput(asObject(response["file"]));
    case "Edit":
    case "MultiEdit":
    case "Write":
      return patchText(response) ?? (response["type"] === "create" ? "created" : undefined);
    case "Grep":
    case "Glob":
      return asString(response["content"]) ?? joinLines(...asArray(response["filenames"]));
    case "Agent":
    case "Task":
      return Array.isArray(response["content"]) ? blocksText(response["content"]) : undefined;
    default:
      return undefined;
  }
}

function readOutput(file: JsonObject | undefined): string | undefined {
  if (file === undefined) return undefined;
  if (typeof file["base64"] === "string") return `[${asString(file["type"]) ?? "binary"}]`;
  return asString(file["content"]) ?? (file["cells"] === undefined ? undefined : JSON.stringify(file["cells"]));
}

/** Whole files and images ride along in some responses; the edit itself says what changed. */
const BULK_FIELDS = new Set(["originalFile", "original_file", "updated_file", "base64"]);

function withoutBulk(response: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(response).filter(([key]) => !BULK_FIELDS.has(key)));
}

const FILE_TOOLS: Readonly<Record<string, { field: string; kind: FileTouch["kind"] }>> = {
  Read: { field: "file_path", kind: "read" },
  Edit: { field: "file_path", kind: "edit" },
  MultiEdit: { field: "file_path", kind: "edit" },
  Write: { field: "file_path", kind: "edit" },
  NotebookEdit: { field: "notebook_path", kind: "edit" },
};

export function touchedFiles(name: string, input: Json | undefined, response: Json | undefined): FileTouch[] {
  const tool = Object.hasOwn(FILE_TOOLS, name) ? FILE_TOOLS[name] : undefined;
  const path = tool && asString(asObject(input)?.[tool.field]);
  if (tool === undefined || path === undefined || path === "") return [];
  if (tool.kind === "read") return [{ path, kind: "read" }];
  const result = asObject(response);
  if (result?.["type"] === "create") {
    return [{ path, kind: "create", added: lineCount(asString(result["content"]) ?? ""), removed: 0 }];
  }
  const lines = result === undefined ? [] : patchLines(result);
  if (lines.length === 0) return [{ path, kind: tool.kind, ...inputCounts(asObject(input)) }];
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return [{ path, kind: tool.kind, added: count("+"), removed: count("-") }];
}

/** Subagents' transcripts keep no structured result: what was put in place of what still says how much changed. */
function inputCounts(input: JsonObject | undefined): Pick<FileTouch, "added" | "removed"> {
  const before = asString(input?.["old_string"]);
  const after = asString(input?.["new_string"]);
  return before === undefined || after === undefined ? {} : replacementCounts(before, after);
}

function patchText(response: JsonObject): string | undefined {
  const hunks = asArray(response["structuredPatch"])
    .map(asObject)
    .filter((hunk) => hunk !== undefined);
  if (hunks.length === 0) return undefined;
  return hunks
    .map((hunk) => [`@@ -${hunk["oldStart"]} +${hunk["newStart"]} @@`, ...hunkLines(hunk)].join("\n"))
    .join("\n");
}

function patchLines(response: JsonObject): string[] {
  return asArray(response["structuredPatch"]).flatMap((hunk) => hunkLines(asObject(hunk)));
}

function hunkLines(hunk: JsonObject | undefined): string[] {
  return asArray(hunk?.["lines"]).filter((line) => typeof line === "string");
}

function joinLines(...parts: (Json | undefined)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join("\n");
}
