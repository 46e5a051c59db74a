// Makes recorded text safe to show a model: the text cannot imitate C-Mem's own text or end a quotation.
import { neutraliseTags } from "../core/privacy/control-tags.ts";
import { ago, oneLine, plainLines } from "../core/text.ts";
import { localMinute } from "../core/time.ts";
import { cutToTokens } from "./budget.ts";

const QUOTED = /^[\s/∕⁄╱⧸]*quoted/i;

/** Keeps the line breaks. */
export function safeLines(text: string): string {
  const lines = plainLines(text.replace(/[\u2028\u2029]/g, "\n"));
  return neutraliseTags(lines, (rest, bracket) => bracket === "<" && QUOTED.test(rest)).trim();
}

/** Makes one line of the text, of at most `maxChars`. */
export function safeLine(text: string, maxChars: number): string {
  return oneLine(safeLines(text.slice(0, maxChars * 4)), maxChars);
}

/** Keeps the end of a long path. */
export function pathLine(path: string, maxChars: number): string {
  const text = safeLine(path, 4_000);
  return text.length <= maxChars ? text : `…${text.slice(1 - maxChars).toWellFormed()}`;
}

/** Quotes text from tools or the web on one line. */
export function quotedLine(text: string, maxChars: number): string {
  return `«${safeLine(text, maxChars).replace(/[«»]/g, '"')}»`;
}

/** Quotes a text on several lines. Each gets a "| " in front, so that none can imitate the closing tag. */
export function quoted(text: string, from: string, maxTokens: number): string {
  const clean = safeLines(text);
  const fence = (inside: string): string => `<quoted from="${from}">\n${inside.replace(/^/gm, "| ")}\n</quoted>`;
  return cutToTokens(clean, maxTokens, fence);
}

/** "2026-02-19 14:05 (3 days ago)". Takes milliseconds, or a time as in JSON. */
export function when(at: number | string, now: number): string {
  const ms = typeof at === "string" ? Date.parse(at) : at;
  return `${localMinute(ms)} (${ago(ms, now)})`;
}

/** The title of an observation, quoted if its words come from a tool. */
export function titleLine({ title, origin }: { title: string; origin: string }, maxChars: number): string {
  return origin === "tool" ? quotedLine(title, maxChars) : safeLine(title, maxChars);
}
