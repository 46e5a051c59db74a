// Finds what the filter would remove from a stored text, which an older version may have let through.
import { parseJson } from "../json.ts";
import { filterText, filterValue } from "./filter.ts";

/** Undefined where the filter changes nothing. */
export function cleaned(text: string) {
  return compared(text, filterText(text));
}

/** The same for stored JSON, including its keys; the result is JSON. */
export function cleanedJson(text: string) {
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (value === undefined) return cleaned(text);
  return compared(JSON.stringify(value), JSON.stringify(filterValue(value)));
}

function compared(before: string, after: string) {
  return after === before ? undefined : { text: after, kinds: newMarks(before, after) };
}

const MARK = /\[redacted:([a-z0-9-]{1,40})\]/g;

/** Number of redactions by name; "private" for a private element. */
function newMarks(before: string, after: string): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const [, name = ""] of after.matchAll(MARK)) kinds[name] = (kinds[name] ?? 0) + 1;
  for (const [, name = ""] of before.matchAll(MARK)) kinds[name] = (kinds[name] ?? 0) - 1;
  const found = Object.fromEntries(Object.entries(kinds).filter(([, count]) => count > 0));
  return Object.keys(found).length === 0 ? { private: 1 } : found;
}

/** Adds `kinds` to `total`. */
export function addKinds(total: Record<string, number>, kinds: Record<string, number>): void {
  for (const [name, count] of Object.entries(kinds)) total[name] = (total[name] ?? 0) + count;
}
