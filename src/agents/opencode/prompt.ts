// What a person typed to OpenCode, and whether a subagent was started for something wholly private.
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { asId, asObject, asString, type JsonObject } from "../../core/json.ts";
import { loadSession, type Session, siblingPath } from "./store.ts";

/** Synthetic parts are files and notices the client adds; a compaction is asked for in the user's name. */
export function typedText(parts: readonly JsonObject[]): string | undefined {
  if (parts.some((part) => part["type"] === "compaction")) return undefined;
  const typed = parts.filter((part) => part["synthetic"] !== true && part["ignored"] !== true);
  const text = textOf(typed, "text", "\n");
  return text.trim() === "" ? undefined : text;
}

export function textOf(parts: readonly JsonObject[], type: string, separator: string): string {
  return parts
    .filter((part) => part["type"] === type)
    .map((part) => asString(part["text"]) ?? "")
    .filter((text) => text !== "")
    .join(separator);
}

const MAX_DEPTH = 20;

/** The call that started a subagent names its session; that call's prompt, or one further up, may be private. */
export function isStartedInPrivate(path: string, { info }: Session, depth = 0): boolean {
  const id = asId(info["id"]);
  const parentId = asId(info["parentID"]);
  if (parentId === undefined || depth === MAX_DEPTH) return false;
  const parentPath = siblingPath(path, parentId);
  const parent = loadSession(parentPath);
  if (parent === undefined) return false;
  let isPrivate = false;
  for (const { info: message, parts } of parent.messages) {
    const text = message["role"] === "user" ? typedText(parts) : undefined;
    if (text !== undefined) isPrivate = isWhollyPrivate(text);
    if (isPrivate && parts.some((part) => startedSession(part) === id)) return true;
  }
  return isStartedInPrivate(parentPath, parent, depth + 1);
}

function startedSession(part: JsonObject): string | undefined {
  return asId(asObject(asObject(part["state"])?.["metadata"])?.["sessionId"]);
}
