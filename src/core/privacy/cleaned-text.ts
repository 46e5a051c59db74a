// Filters stored text again: an older version of the filter may have missed a secret.
import { parseJson } from "../json.ts";
import { filterText, filterValue } from "./filter.ts";

/** The filtered text, and how often each kind was redacted; undefined if the filter changes nothing. */
export function cleaned(text: string) {
  return compared(text, filterText(text));
}

/** Filters the keys and strings of stored JSON; the returned text is JSON too. */
export function cleanedJson(text: string) {
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (value === undefined) return cleaned(text);
  return compared(JSON.stringify(value), JSON.stringify(filterValue(value)));
}

function compared(before: string, after: string) {
  return after === before ? undefined : { text: after, kinds: newMarks(before, after) };
}

const MARK = /\[redacted:([a-z0-9-]{1,40})\]/g;

/** New redactions by name: { "credential": 2 }. { "private": 1 } if only private elements were removed. */
function newMarks(before: string, after: string): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const [, name = ""] of after.matchAll(MARK)) kinds[name] = (kinds[name] ?? 0) + 1;
  for (const [, name = ""] of before.matchAll(MARK)) kinds[name] = (kinds[name] ?? 0) - 1;
  const found = Object.fromEntries(Object.entries(kinds).filter(([, count]) => count > 0));
  return Object.keys(found).length === 0 ? { private: 1 } : found;
}

export function addKinds(total: Record<string, number>, kinds: Record<string, number>): void {
  for (const [name, count] of Object.entries(kinds)) total[name] = (total[name] ?? 0) + count;
}
