// Extracts the text and the touched files from a tool's structured response.
import type { FileTouch } from "../../core/event.ts";
import { asArray, asObject, asObjects, asString, blocksText, type Json, type JsonObject } from "../../core/json.ts";
import { ownValue } from "../fields.ts";
import { touchedFile } from "../tool-use.ts";

export function toolOutput(name: string, response: Json | undefined): string | undefined {
  if (response === undefined || response === null) return undefined;
  if (typeof response === "string") return response;
  if (Array.isArray(response)) return blocksText(response);
  const object = asObject(response);
  if (object === undefined) return JSON.stringify(response);
  const withoutBulk = () => Object.entries(object).filter(([key]) => !BULK_FIELDS.has(key));
  return knownOutput(name, object) ?? JSON.stringify(Object.fromEntries(withoutBulk()));
}

function knownOutput(name: string, response: JsonObject): string | undefined {
  const { content } = response;
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
      return asString(content) ?? joinLines(...asArray(response["filenames"]));
    case "Agent":
    case "Task":
      return Array.isArray(content) ? blocksText(content) : undefined;
    default:
      return undefined;
  }
}

function joinLines(...parts: (Json | undefined)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join("\n");
}

function readOutput(file: JsonObject | undefined): string | undefined {
  if (typeof file?.["base64"] === "string") return `[${asString(file["type"]) ?? "binary"}]`;
  return asString(file?.["content"]) ?? (file?.["cells"] === undefined ? undefined : JSON.stringify(file["cells"]));
}

/** Fields with whole files and images, which are left out: the edit itself shows what changed. */
const BULK_FIELDS = new Set(["originalFile", "original_file", "updated_file", "base64"]);

function patchText(response: JsonObject): string | undefined {
  const hunks = asObjects(response["structuredPatch"]).map((hunk) => {
    const lines = asArray(hunk["lines"]).filter((line) => typeof line === "string");
    return [`@@ -${hunk["oldStart"]} +${hunk["newStart"]} @@`, ...lines].join("\n");
  });
  return hunks.length === 0 ? undefined : hunks.join("\n");
}

const PATH_FIELDS: Readonly<Record<string, string>> = {
  Read: "file_path",
  Edit: "file_path",
  MultiEdit: "file_path",
  Write: "file_path",
  NotebookEdit: "notebook_path",
};

export function touchedFiles(name: string, input: Json | undefined, response: Json | undefined): FileTouch[] {
  const fields = asObject(input);
  const path = asString(fields?.[ownValue(PATH_FIELDS, name) ?? ""]);
  const result = asObject(response);
  if (result?.["type"] === "create")
    return touchedFile("Write", path, { isNew: true, after: asString(result["content"]) });
  // A subagent's transcript has no structured response: lines are counted from the texts in the call.
  const [before, after] = [asString(fields?.["old_string"]), asString(fields?.["new_string"])];
  return touchedFile(name === "Read" ? name : "Edit", path, { diff: result && patchText(result), before, after });
}
