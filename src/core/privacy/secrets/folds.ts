// Finds credentials on two lines: after a backslash, in concatenated strings, or wrapped by a terminal.
import type { SecretRange } from "./secret.ts";
import { viewOf } from "./view.ts";

/** The characters between the two parts: a backslash or quotation marks, the line break, spaces. */
const FOLD =
  /\\\r?\n[ \t]{0,80}|(?<== )\(\r?\n[ \t]{0,80}(?=["'])|(["'`])(?:\\|[ \t]{0,4}[+.]?[ \t]{0,4})\r?\n[ \t]{0,80}[+.]?[ \t]{0,4}\1/g;
const ENDS = ["\\\n", "\\\r\n", '"\n', "'\n", "`\n", "+\n", "+ \n", "= (\n"];

/** A quick check. True also for some texts without a fold. */
export function isFolded(text: string): boolean {
  return ENDS.some((end) => text.includes(end));
}

/** Characters scanned around a fold: the name of a secret may be before it. */
const BEFORE_CHARS = 200;
const AFTER_CHARS = 600;

type Scan = (text: string) => SecretRange[];

/** Secrets that `scan` finds only after the folds are removed, as ranges of the original text. */
export function foldedRanges(text: string, scan: Scan): SecretRange[] {
  const near: { start: number; end: number }[] = [];
  for (const { index, 0: fold } of text.matchAll(FOLD)) {
    const last = near.at(-1);
    if (last !== undefined && index <= last.end + AFTER_CHARS) last.end = index + fold.length;
    else near.push({ start: index, end: index + fold.length });
  }
  return near.flatMap(({ start: first, end: last }) => {
    const view = viewOf(text, Math.max(0, first - BEFORE_CHARS), last + AFTER_CHARS, FOLD, () => "");
    return scan(view.text).flatMap(({ start, end, name }) => {
      const raw = { start: view.startOf(start), end: view.endOf(end), name };
      return raw.end - raw.start === end - start ? [] : [raw];
    });
  });
}

/** Possible terminal widths. */
const MIN_WRAP_CHARS = 40;
const MAX_WRAP_CHARS = 400;
const WRAPPED_LINE = /\r?\n([A-Za-z0-9][\w+/.~-]*={0,2})(?=\r?\n|$)/y;

/** The end of a secret that a terminal wrapped: all lines are as long as the first one, except for the last. */
export function wrappedEnd(text: string, end: number): number {
  if (text[end] !== "\n" && text[end] !== "\r") return end;
  const width = end - text.lastIndexOf("\n", end - 1) - 1;
  if (width < MIN_WRAP_CHARS || width > MAX_WRAP_CHARS) return end;
  let last = end;
  for (;;) {
    WRAPPED_LINE.lastIndex = last;
    const line = WRAPPED_LINE.exec(text)?.[1];
    if (line === undefined || line.length > width || !/\d/.test(line) || !/[A-Za-z]/.test(line)) return last;
    last = WRAPPED_LINE.lastIndex;
    if (line.length < width) return last;
  }
}
