// What the filter still finds in a stored text: written past it, or before it knew that shape.
import { filterText, filterValue } from "./filter.ts";

export interface Cleaned {
  text: string;
  /** How often what was taken out, by name; "private" where it stood in a private element. */
  kinds: Record<string, number>;
}

/** Undefined where the filter that captured texts pass finds nothing, too. */
export function cleaned(text: string): Cleaned | undefined {
  return compared(text, filterText(text));
}

/** The same for what is stored as JSON: its keys count, and it stays JSON. */
export function cleanedJson(text: string): Cleaned | undefined {
  const value = parseJson(text);
  if (value === undefined) return cleaned(text);
  return compared(JSON.stringify(value), JSON.stringify(filterValue(value)));
}

function compared(before: string, after: string): Cleaned | undefined {
  return after === before ? undefined : { text: after, kinds: newMarks(before, after) };
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MARK = /\[redacted:([a-z0-9-]{1,40})\]/g;

function newMarks(before: string, after: string): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const [, name = ""] of after.matchAll(MARK)) kinds[name] = (kinds[name] ?? 0) + 1;
  for (const [, name = ""] of before.matchAll(MARK)) kinds[name] = (kinds[name] ?? 0) - 1;
  const found = Object.fromEntries(Object.entries(kinds).filter(([, count]) => count > 0));
  return Object.keys(found).length === 0 ? { private: 1 } : found;
}

/** Adds the counts of the second to the first. */
export function addKinds(total: Record<string, number>, kinds: Record<string, number>): void {
  for (const [name, count] of Object.entries(kinds)) total[name] = (total[name] ?? 0) + count;
}
