// Edits agents' JSON settings. Other entries, comments, order and indentation are kept.
import { isDeepStrictEqual } from "node:util";
import { applyEdits, type FormattingOptions, modify, parse, type ParseError } from "jsonc-parser";
import { AppError } from "../core/error.ts";
import { asObject } from "../core/json.ts";

/** A byte order mark, which some editors write and agents accept. */
export const BOM = /^\uFEFF/;

/** Throws if the text is not a JSON object, or if one of the keys `objects` has a value that is not an object. */
export function parseJsonFile(
  source: string,
  path: string,
  objects: readonly string[],
  hint = "Fix the file, then run the command again.",
): Record<string, unknown> {
  const text = source.replace(BOM, "");
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  if (text.trim() === "") return {};
  const object = asObject(value);
  if (errors.length > 0 || object === undefined) {
    throw new AppError("bad_settings", `${path} is not valid JSON; nothing was changed.`, { hint });
  }
  for (const name of objects) {
    if (object[name] === undefined || asObject(object[name]) !== undefined) continue;
    throw new AppError("bad_settings", `"${name}" in ${path} is not an object; nothing was changed.`, {
      hint: "Fix or remove that entry, then run the command again.",
    });
  }
  return object;
}

/** Adds each entry to its list in the object `name`, or replaces C-Mem's older one. Other entries keep their order. */
export function addToLists(
  source: string,
  name: string,
  entries: readonly (readonly [key: string, value: object])[],
  isOurs: (value: unknown) => boolean,
): string {
  return editBody(source, (text) => {
    let result = text;
    for (const [key, value] of entries) {
      const path = [name, key];
      const list = valueAt(result, path);
      if (!Array.isArray(list)) {
        result = edit(result, path, [value]);
        continue;
      }
      const [first, ...extra] = indexesOf(list, isOurs);
      for (const index of extra.toReversed()) result = edit(result, [...path, index], undefined);
      // Inserted at the front: when the first entry is removed later, the comments of the others are kept.
      if (first === undefined) result = edit(result, [...path, 0], value, { insert: true });
      else if (!isDeepStrictEqual(list[first], value)) result = edit(result, [...path, first], value);
    }
    return result;
  });
}

/** Removes C-Mem's entries from the lists in the object `name`, then lists and objects that have become empty. */
export function removeFromLists(source: string, name: string, isOurs: (value: unknown) => boolean): string {
  const lists = asObject(valueAt(source.replace(BOM, ""), [name]));
  if (lists === undefined) return source;
  return editBody(source, (text) => {
    let result = text;
    for (const [key, list] of Object.entries(lists)) {
      if (!Array.isArray(list)) continue;
      const ours = indexesOf(list, isOurs);
      if (ours.length > 0 && ours.length === list.length) result = edit(result, [name, key], undefined);
      else for (const index of ours.toReversed()) result = edit(result, [name, key, index], undefined);
    }
    return result === text ? text : withoutEmpty(result, name);
  });
}

/** Sets one value, or removes it (undefined). */
export function editJson(source: string, path: string[], value: unknown): string {
  if (isDeepStrictEqual(valueAt(source.replace(BOM, ""), path), value)) return source;
  return editBody(source, (text) => edit(text, path, value));
}

/** Removes a value, and the object around it if that has become empty. */
export function removeJson(source: string, [name, key]: [string, string]): string {
  const without = editJson(source, [name, key], undefined);
  return without === source ? source : editBody(without, (text) => withoutEmpty(text, name));
}

function indexesOf(list: readonly unknown[], isOurs: (value: unknown) => boolean): number[] {
  return list.flatMap((item, index) => (isOurs(item) ? [index] : []));
}

export function isEmptyJson(text: string): boolean {
  return /^\s*\{\s*\}\s*$/.test(text);
}

function withoutEmpty(text: string, name: string): string {
  return isDeepStrictEqual(valueAt(text, [name]), {}) ? edit(text, [name], undefined) : text;
}

function editBody(source: string, change: (text: string) => string): string {
  const text = source.replace(BOM, "");
  return (BOM.exec(source)?.[0] ?? "") + change(text.trim() === "" ? "{}\n" : text);
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

/** Detects the file's indentation and line ends. */
function formatting(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
