// Edits Claude Code's settings.json without disturbing what others put there: comments, order, other hooks.
import { addToLists, BOM, parseJsonFile, removeFromLists } from "../json-file.ts";
import { asObject, asString } from "../../core/json.ts";
import { HOOKS, type HookGroup, hookGroup } from "./hooks.ts";

/** How a hook of ours is told from others, wherever C-Mem is installed. */
const OUR_BUNDLE = /[\\/]c-mem[\\/]dist[\\/]hook\.cjs$/;

export function parseSettings(source: string, path: string): Record<string, unknown> {
  const hint = "Mend the file (Claude Code ignores it as well), then run the command again.";
  return parseJsonFile(source, path, { objects: ["hooks"], hint });
}

/** The settings with our hooks in them, once. Where they are there already, nothing else moves. */
export function addHooks(source: string, node: string, bundle: string): string {
  const entries = HOOKS.map((entry) => ({
    path: ["hooks", entry.event] as [string, string],
    value: hookGroup(entry, node, bundle),
  }));
  return addToLists(source, entries, isOurs);
}

/** The settings without our hooks; what they leave empty is removed as well. */
export function removeHooks(source: string): string {
  return removeFromLists(source, "hooks", isOurs);
}

/** The client passes over a file with comments or a trailing comma, all of it and without a word. */
export function isReadByClient(text: string): boolean {
  try {
    JSON.parse(text.replace(BOM, ""));
    return true;
  } catch {
    return text.trim() === "";
  }
}

/** The events our hooks are registered for, each with the Node and the bundle it runs. */
export function findOurHooks(settings: Record<string, unknown>): { event: string; node: string; bundle: string }[] {
  const events = Object.entries(asObject(settings["hooks"]) ?? {});
  return events.flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).filter(isOurs).map((group) => {
      const { command, args } = (group as unknown as HookGroup).hooks[0];
      return { event, node: command, bundle: args[0] };
    }),
  );
}

function isOurs(group: unknown): boolean {
  const hooks = asObject(group)?.["hooks"];
  const args = Array.isArray(hooks) && hooks.length === 1 ? asObject(hooks[0])?.["args"] : undefined;
  return Array.isArray(args) && OUR_BUNDLE.test(asString(args[0]) ?? "");
}
