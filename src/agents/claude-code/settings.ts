// C-Mem's hooks, status line and MCP server in Claude Code's settings. Other entries are not changed.
import { asArray, asObject, asString } from "../../core/json.ts";
import { addToLists, BOM, editJson, parseJsonFile, removeFromLists } from "../json-file.ts";
import { type JsonPart, serverPart } from "../managed-file.ts";
import { isOurCommand, isOurServer, type Program, SERVER, serverEntry } from "../setup.ts";

interface HookEntry {
  event: string;
  /** The tools that the hook runs for; undefined: all. */
  matcher?: string;
  command: string;
  timeoutSeconds: number;
  /** Claude Code does not wait for the hook and kills it when `claude -p` exits. Not set for a turn's last hooks. */
  async?: true;
}

/** `plugin/hooks/hooks.json` is generated from this table. */
export const HOOKS: readonly HookEntry[] = [
  { event: "SessionStart", command: "context", timeoutSeconds: 10 },
  { event: "UserPromptSubmit", command: "new", timeoutSeconds: 10 },
  // Agent and Task are included, because only this hook's payload has the task of a subagent.
  { event: "PreToolUse", matcher: "Read|Edit|Write|Bash|Agent|Task", command: "recall", timeoutSeconds: 5 },
  { event: "PostToolUse", command: "save", timeoutSeconds: 30, async: true },
  // Not async: an earlier fix must reach the model together with the error.
  { event: "PostToolUseFailure", command: "save", timeoutSeconds: 10 },
  { event: "SubagentStart", command: "recall", timeoutSeconds: 5 },
  { event: "Stop", command: "summary", timeoutSeconds: 10 },
  { event: "SubagentStop", command: "summary", timeoutSeconds: 10 },
  { event: "PreCompact", command: "summary", timeoutSeconds: 10 },
  { event: "SessionEnd", command: "cleanup", timeoutSeconds: 5 },
];

/** The command has `args` instead of a shell line: no quoting, and no console window on Windows. */
function hookGroup({ matcher, command, timeoutSeconds, async }: HookEntry, node: string, bundle: string) {
  const hook = { type: "command", command: node, args: [bundle, command], timeout: timeoutSeconds };
  return { ...(matcher !== undefined && { matcher }), hooks: [{ ...hook, ...(async && { async }) }] };
}

export function pluginHooks(node: string, bundle: string) {
  const hooks = Object.fromEntries(HOOKS.map((entry) => [entry.event, [hookGroup(entry, node, bundle)]]));
  return { description: "Records sessions and injects memory", hooks };
}

export function parseSettings(source: string, path: string): Record<string, unknown> {
  const hint = "Fix the file (Claude Code ignores it as well), then run the command again.";
  return parseJsonFile(source, path, ["hooks"], hint);
}

/** False if the file has comments or a trailing comma: Claude Code then ignores it without a message. */
export function isReadByClaudeCode(text: string): boolean {
  try {
    JSON.parse(text.replace(BOM, ""));
    return true;
  } catch {
    return text.trim() === "";
  }
}

export function addHooks(source: string, node: string, bundle: string): string {
  const entries = HOOKS.map((entry) => [entry.event, hookGroup(entry, node, bundle)] as const);
  return addToLists(source, "hooks", entries, isOurs);
}

export function removeHooks(source: string): string {
  return removeFromLists(source, "hooks", isOurs);
}

/** C-Mem's hooks in the settings: the event, and the Node and bundle that each runs. */
export function findOurHooks(settings: Record<string, unknown>): { event: string; node: string; bundle: string }[] {
  return Object.entries(asObject(settings["hooks"]) ?? {}).flatMap(([event, groups]) =>
    asArray(groups).flatMap((group) => ourHook(group).map((hook) => ({ event, ...hook }))),
  );
}

function isOurs(group: unknown): boolean {
  return ourHook(group).length > 0;
}

/** The hook of a group, if it is the group's only one and C-Mem's. */
function ourHook(group: unknown): { node: string; bundle: string }[] {
  const hooks = asArray(asObject(group)?.["hooks"]);
  const hook = hooks.length === 1 ? asObject(hooks[0]) : undefined;
  const bundle = asString(asArray(hook?.["args"])[0]) ?? "";
  return isOurCommand(bundle) ? [{ node: hook?.["command"] as string, bundle }] : [];
}

/** Claude Code has only one status line. Another program's is never replaced. */
export function findStatusLine(settings: Record<string, unknown>): "ours" | "other" | undefined {
  const statusLine = settings["statusLine"];
  if (statusLine === undefined || statusLine === null) return undefined;
  const command = asString(asObject(statusLine)?.["command"]) ?? "";
  return isOurCommand(command) && command.endsWith(" statusline") ? "ours" : "other";
}

export function addStatusLine(text: string, node: string, bundle: string): string {
  const command = `${quoted(node)} ${quoted(bundle)} statusline`;
  return editJson(text, ["statusLine"], { type: "command", command });
}

export function removeStatusLine(text: string): string {
  return editJson(text, ["statusLine"], undefined);
}

/** Quoted, because Claude Code runs the status line in a shell. */
function quoted(path: string): string {
  return process.platform === "win32" ? `"${path}"` : `"${path.replace(/(["$`\\])/g, "\\$1")}"`;
}

/** The server's name in the plugin, part of the tool names: mcp__plugin_c-mem_memory__search. */
const NAME_IN_PLUGIN = "memory";

/** The content of the plugin's .mcp.json. */
export function pluginMcp(program: Program): object {
  return { mcpServers: { [NAME_IN_PLUGIN]: serverEntry(program) } };
}

/** "other": a server named c-mem that is not C-Mem's and is never changed. */
export type FoundServer = { node: string; bundle: string } | "other" | undefined;

export function findMcpServer(state: unknown): FoundServer {
  const entry = asObject(asObject(asObject(state)?.["mcpServers"])?.[SERVER]);
  if (entry === undefined) return undefined;
  const bundle = asString(asArray(entry["args"])[0]);
  if (bundle === undefined || !isOurServer({ args: [bundle] })) return "other";
  return { node: asString(entry["command"]) ?? "", bundle };
}

/** C-Mem's server in .claude.json, for installs without the plugin. Claude Code itself often writes that file. */
export function mcpPart(program?: Program): JsonPart {
  return serverPart("mcpServers", program === undefined ? {} : { type: "stdio", ...serverEntry(program) });
}
