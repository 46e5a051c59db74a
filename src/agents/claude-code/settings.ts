// C-Mem's hooks, status line and MCP server in Claude Code's settings. Entries of others stay as they are.
import { asArray, asObject, asString } from "../../core/json.ts";
import { addToLists, BOM, editJson, parseJsonFile, removeFromLists } from "../json-file.ts";
import { type JsonPart, serverPart } from "../managed-file.ts";
import { isOurCommand, isOurServer, type Program, SERVER, serverEntry } from "../setup.ts";

interface HookEntry {
  event: string;
  /** The tools it runs for; left out: all. */
  matcher?: string;
  command: string;
  timeoutSeconds: number;
  /** Claude Code does not wait for it, and kills it when `claude -p` exits: not for the last hooks of a turn. */
  async?: true;
}

/** plugin/hooks/hooks.json is written from this table. */
export const HOOKS: readonly HookEntry[] = [
  { event: "SessionStart", command: "context", timeoutSeconds: 10 },
  { event: "UserPromptSubmit", command: "new", timeoutSeconds: 10 },
  // Agent: only this hook gets the task of a subagent.
  { event: "PreToolUse", matcher: "Read|Edit|Write|Bash|Agent|Task", command: "recall", timeoutSeconds: 5 },
  { event: "PostToolUse", command: "save", timeoutSeconds: 30, async: true },
  // Not async: the fix of an earlier error must reach the model together with the error.
  { event: "PostToolUseFailure", command: "save", timeoutSeconds: 10 },
  { event: "SubagentStart", command: "recall", timeoutSeconds: 5 },
  { event: "Stop", command: "summary", timeoutSeconds: 10 },
  { event: "SubagentStop", command: "summary", timeoutSeconds: 10 },
  { event: "PreCompact", command: "summary", timeoutSeconds: 10 },
  { event: "SessionEnd", command: "cleanup", timeoutSeconds: 5 },
];

/** Uses `args` instead of a shell: no quoting, and no console window on Windows. */
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

/** Claude Code ignores the whole file, without a message, if it has comments or a trailing comma. */
export function isReadByClient(text: string): boolean {
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

/** The events with one of our hooks, and the Node and bundle it runs. */
export function findOurHooks(settings: Record<string, unknown>): { event: string; node: string; bundle: string }[] {
  return Object.entries(asObject(settings["hooks"]) ?? {}).flatMap(([event, groups]) =>
    asArray(groups).flatMap((group) => ourHook(group).map((hook) => ({ event, ...hook }))),
  );
}

function isOurs(group: unknown): boolean {
  return ourHook(group).length > 0;
}

/** The hook of a group, if the group has no other and it is ours. */
function ourHook(group: unknown): { node: string; bundle: string }[] {
  const hooks = asArray(asObject(group)?.["hooks"]);
  const hook = hooks.length === 1 ? asObject(hooks[0]) : undefined;
  const bundle = asString(asArray(hook?.["args"])[0]) ?? "";
  return isOurCommand(bundle) ? [{ node: hook?.["command"] as string, bundle }] : [];
}

/** Claude Code has one status line: another program's is never replaced. */
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

/** Claude Code runs it in a shell. */
function quoted(path: string): string {
  return process.platform === "win32" ? `"${path}"` : `"${path.replace(/(["$`\\])/g, "\\$1")}"`;
}

/** Gives the tools their names: mcp__c-mem__search, mcp__plugin_c-mem_memory__search (see core/own-tools.ts). */
const NAME_IN_PLUGIN = "memory";

/** plugin/.mcp.json is written from this. */
export function pluginMcp(program: Program): object {
  return { mcpServers: { [NAME_IN_PLUGIN]: serverEntry(program) } };
}

/** "other": a server named c-mem that is not C-Mem's; it is never changed. */
export type FoundServer = { node: string; bundle: string } | "other" | undefined;

export function findMcpServer(state: unknown): FoundServer {
  const entry = asObject(asObject(asObject(state)?.["mcpServers"])?.[SERVER]);
  if (entry === undefined) return undefined;
  const bundle = asString(asArray(entry["args"])[0]);
  if (bundle === undefined || !isOurServer({ args: [bundle] })) return "other";
  return { node: asString(entry["command"]) ?? "", bundle };
}

/** Without the plugin: the server goes among the user's in .claude.json, which Claude Code itself often writes. */
export function mcpPart(program?: Program): JsonPart {
  return serverPart("mcpServers", program === undefined ? {} : { type: "stdio", ...serverEntry(program) });
}
