// Our line in Claude Code's status line: there is room for one, so another's is never touched.
import { asObject, asString } from "../../core/json.ts";
import { editJson } from "../json-file.ts";

/** How ours is told from others, wherever C-Mem is installed. */
const OURS = /[\\/]c-mem[\\/]dist[\\/]hook\.cjs"? statusline$/;

export function findStatusLine(settings: Record<string, unknown>): "ours" | "other" | undefined {
  const statusLine = settings["statusLine"];
  if (statusLine === undefined || statusLine === null) return undefined;
  return OURS.test(asString(asObject(statusLine)?.["command"]) ?? "") ? "ours" : "other";
}

export function addStatusLine(text: string, node: string, bundle: string): string {
  const command = `${quoted(node)} ${quoted(bundle)} statusline`;
  return editJson(text, ["statusLine"], { type: "command", command });
}

export function removeStatusLine(text: string): string {
  return editJson(text, ["statusLine"], undefined);
}

/** The client runs it through a shell. */
function quoted(path: string): string {
  return process.platform === "win32" ? `"${path}"` : `"${path.replace(/(["$`\\])/g, "\\$1")}"`;
}
