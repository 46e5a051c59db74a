// Parses a list setting: '["a", "b"]', "a,b", or an array of either.
import { parseJson } from "../core/json.ts";

/** Undefined for anything that is not a list of texts: truncated JSON, a number, an object. */
export function parseList(raw: unknown): string[] | undefined {
  const items = typeof raw === "string" ? parseText(raw) : Array.isArray(raw) ? parseItems(raw) : undefined;
  return items && [...new Set(items.map((item) => unquote(item.trim())).filter((item) => item !== ""))];
}

/** Parses the words of `config set <key> <word> <word>`: each is JSON or comma-separated. */
export function parseWords(words: readonly string[]): string[] | undefined {
  const lists = words.map((word) => parseList(word));
  // An unquoted '["a", "b"]' arrives as several words: '["a",' '"b"]'.
  return lists.includes(undefined) ? parseList(words.join(" ")) : parseList(lists.flat());
}

function parseText(text: string): string[] | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) return undefined;
  if (!trimmed.startsWith("[")) return splitWords(trimmed);
  const value = parseJson(trimmed);
  if (value !== undefined) return Array.isArray(value) ? parseItems(value) : undefined;
  // PowerShell removes the inner quotes: '["a","b"]' -> [a,b]
  return /^\[[^[\]]*\]$/.test(trimmed) ? splitWords(trimmed.slice(1, -1)) : undefined;
}

function splitWords(text: string): string[] {
  return text.split(/[,\n]/);
}

/** Does not split items at commas, because paths may contain them. */
function parseItems(items: readonly unknown[]): string[] | undefined {
  const found: string[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (typeof item !== "string") return undefined;
    // Earlier versions stored '["a","b"]' as two items: '["a"' and '"b"]'.
    const split = item.trim().startsWith("[") ? findSplitJson(items, at) : undefined;
    if (split === undefined) found.push(item);
    else {
      found.push(...split.list);
      at = split.last;
    }
  }
  return found;
}

function findSplitJson(items: readonly unknown[], first: number): { list: string[]; last: number } | undefined {
  for (let last = first; last < items.length; last++) {
    if (typeof items[last] !== "string" || !String(items[last]).trim().endsWith("]")) continue;
    const value = parseJson(items.slice(first, last + 1).join(","));
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return { list: value, last };
  }
  return undefined;
}

function unquote(text: string): string {
  return /^(["'`]).*\1$/s.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}
