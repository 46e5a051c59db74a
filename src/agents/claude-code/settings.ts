// C-Mem's hooks and status line in Claude Code's settings.json, without changing what others put there.
import { asArray, asObject, asString } from "../../core/json.ts";
import { addToLists, BOM, editJson, parseJsonFile, removeFromLists } from "../json-file.ts";

interface HookEntry {
  event: string;
  /** The tools it runs for; left out: all. */
  matcher?: string;
  command: string;
  timeoutSeconds: number;
  /** Claude Code does not wait for it, and kills it when `claude -p` exits: never for the last hooks of a turn. */
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
  return {
    description: "Records sessions and hands memory back",
    hooks: Object.fromEntries(HOOKS.map((entry) => [entry.event, [hookGroup(entry, node, bundle)]])),
  };
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
  const entries = HOOKS.map((entry) => ({
    path: ["hooks", entry.event] as [string, string],
    value: hookGroup(entry, node, bundle),
  }));
  return addToLists(source, entries, isOurs);
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

/** C-Mem's hooks are recognised by the end of the bundle's path, wherever C-Mem is installed. */
const OUR_BUNDLE = /[\\/]c-mem[\\/]dist[\\/]hook\.cjs$/;

/** The hook of a group, if the group has no other and it is ours. */
function ourHook(group: unknown): { node: string; bundle: string }[] {
  const hooks = asArray(asObject(group)?.["hooks"]);
  const hook = hooks.length === 1 ? asObject(hooks[0]) : undefined;
  const bundle = asString(asArray(hook?.["args"])[0]) ?? "";
  return OUR_BUNDLE.test(bundle) ? [{ node: hook?.["command"] as string, bundle }] : [];
}

const OUR_STATUS_LINE = /[\\/]c-mem[\\/]dist[\\/]hook\.cjs"? statusline$/;

/** Claude Code has one status line: another program's is never replaced. */
export function findStatusLine(settings: Record<string, unknown>): "ours" | "other" | undefined {
  const statusLine = settings["statusLine"];
  if (statusLine === undefined || statusLine === null) return undefined;
  return OUR_STATUS_LINE.test(asString(asObject(statusLine)?.["command"]) ?? "") ? "ours" : "other";
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
