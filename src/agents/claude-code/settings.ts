// Edits Claude Code's settings.json without disturbing what others put there: comments, order, other hooks.
import { isDeepStrictEqual } from "node:util";
import { applyEdits, type FormattingOptions, modify, parse, type ParseError } from "jsonc-parser";
import { AppError } from "../../core/error.ts";
import { HOOKS, type HookGroup, hookGroup } from "./hooks.ts";
import { asObject, asString } from "../wire.ts";

/** Some editors put it there; the client does not mind. */
const BOM = /^\uFEFF/;

/** How a hook of ours is told from others, wherever C-Mem is installed. */
const OUR_BUNDLE = /[\\/]c-mem[\\/]dist[\\/]hook\.cjs$/;

export function parseSettings(source: string, path: string): Record<string, unknown> {
  const text = source.replace(BOM, "");
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  if (text.trim() === "") return {};
  const object = asObject(value);
  if (errors.length > 0 || object === undefined) {
    throw new AppError("bad_settings", `${path} is not valid JSON; nothing was changed.`, {
      hint: "Mend the file (Claude Code ignores it as well), then run c-mem install again.",
    });
  }
  const hooks = object["hooks"];
  if (hooks !== undefined && asObject(hooks) === undefined) {
    throw new AppError("bad_settings", `"hooks" in ${path} is not an object; nothing was changed.`, {
      hint: "Mend or remove that entry, then run the command again.",
    });
  }
  return object;
}

/** The settings with our hooks in them, once. Where they are there already, nothing else moves. */
export function addHooks(source: string, node: string, bundle: string): string {
  const [text, bom] = [source.replace(BOM, ""), BOM.exec(source)?.[0] ?? ""];
  let result = text.trim() === "" ? "{}\n" : text;
  for (const entry of HOOKS) {
    const path = ["hooks", entry.event];
    const group = hookGroup(entry, node, bundle);
    const groups = valueAt(result, path);
    if (!Array.isArray(groups)) {
      result = edit(result, path, [group]);
      continue;
    }
    const ours = groups.flatMap((value, index) => (isOurs(value) ? [index] : []));
    const [first, ...extra] = ours;
    for (const index of extra.toReversed()) result = edit(result, [...path, index], undefined);
    // In front: to remove the first of a list leaves the comments of the others alone.
    if (first === undefined) result = edit(result, [...path, 0], group, { insert: true });
    else if (!isDeepStrictEqual(groups[first], group)) result = edit(result, [...path, first], group);
  }
  return bom + result;
}

/** The settings without our hooks; what they leave empty is removed as well. */
export function removeHooks(source: string): string {
  const [text, bom] = [source.replace(BOM, ""), BOM.exec(source)?.[0] ?? ""];
  let result = text;
  const hooks = asObject(valueAt(result, ["hooks"]));
  if (hooks === undefined) return source;
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) continue;
    const ours = groups.flatMap((group, index) => (isOurs(group) ? [index] : []));
    if (ours.length === 0) continue;
    if (ours.length === groups.length) result = edit(result, ["hooks", event], undefined);
    else for (const index of ours.toReversed()) result = edit(result, ["hooks", event, index], undefined);
  }
  const left = asObject(valueAt(result, ["hooks"]));
  if (result !== text && left !== undefined && Object.keys(left).length === 0)
    result = edit(result, ["hooks"], undefined);
  return bom + result;
}

/** The settings with this one value set, or removed. */
export function editSettings(source: string, path: string[], value: unknown): string {
  const [text, bom] = [source.replace(BOM, ""), BOM.exec(source)?.[0] ?? ""];
  if (isDeepStrictEqual(valueAt(text, path), value)) return source;
  return bom + edit(text.trim() === "" ? "{}\n" : text, path, value);
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

function valueAt(text: string, path: readonly string[]): unknown {
  let value: unknown = parse(text, [], { allowTrailingComma: true });
  for (const key of path) value = asObject(value)?.[key];
  return value;
}

function edit(text: string, path: (string | number)[], value: unknown, options: { insert?: boolean } = {}): string {
  const edits = modify(text, path, value, {
    formattingOptions: formatting(text),
    isArrayInsertion: options.insert ?? false,
  });
  return applyEdits(text, edits);
}

/** Follows the file's own indentation and line ends. */
function formatting(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
