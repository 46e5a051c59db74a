// Credentials that go on in the next line: continued by a backslash, as one string after another, or wrapped.
import type { SecretRange } from "./secret.ts";

/** Where one value goes on: the backslash or the quotation marks between, with the spaces around them. */
const FOLD =
  /\\\r?\n[ \t]{0,80}|(?<== )\(\r?\n[ \t]{0,80}(?=["'])|(["'`])(?:\\|[ \t]{0,4}[+.]?[ \t]{0,4})\r?\n[ \t]{0,80}[+.]?[ \t]{0,4}\1/g;
const ENDS = ["\\\n", "\\\r\n", '"\n', "'\n", "`\n", "+\n", "+ \n", "= (\n"];

/** Quick, and never wrong where it says no. */
export function isFolded(text: string): boolean {
  return ENDS.some((end) => text.includes(end));
}

/** How much of the text around a fold is looked at: the name of a secret may stand before it. */
const BEFORE_CHARS = 200;
const AFTER_CHARS = 600;

type Scan = (text: string) => SecretRange[];

/** What `scan` finds only once the folds are taken out, as ranges of the text with them. */
export function foldedRanges(text: string, scan: Scan): SecretRange[] {
  const found: SecretRange[] = [];
  let near: Fold[] = [];
  const flush = (): void => {
    const first = near[0];
    const last = near.at(-1);
    if (first === undefined || last === undefined) return;
    found.push(...unfolded(text, near, Math.max(0, first.start - BEFORE_CHARS), last.end + AFTER_CHARS, scan));
    near = [];
  };
  for (const { index, 0: fold } of text.matchAll(FOLD)) {
    if (index > (near.at(-1)?.end ?? index) + AFTER_CHARS) flush();
    near.push({ start: index, end: index + fold.length });
  }
  flush();
  return found;
}

interface Fold {
  start: number;
  end: number;
}

function unfolded(text: string, folds: readonly Fold[], from: number, to: number, scan: Scan): SecretRange[] {
  let joined = "";
  let place = from;
  let width = from;
  const seams = folds.map(({ start, end }) => {
    joined += text.slice(place, start);
    place = end;
    width += end - start;
    return { at: joined.length, width };
  });
  joined += text.slice(place, to);
  return scan(joined).flatMap(({ start, end, name }) => {
    const before = widthUpTo(seams, start, from);
    const within = widthUpTo(seams, end - 1, from);
    return before === within ? [] : [{ start: start + before, end: end + within, name }];
  });
}

interface Seam {
  at: number;
  /** How far what follows it stood from the beginning of the joined text. */
  width: number;
}

/** How far a place has moved; one at a seam stands behind it. */
function widthUpTo(seams: readonly Seam[], place: number, from: number): number {
  let low = 0;
  let high = seams.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((seams[middle]?.at ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return seams[low - 1]?.width ?? from;
}

/** A narrower screen does not wrap what is shown on it. */
const MIN_WRAP_CHARS = 40;
const MAX_WRAP_CHARS = 400;
const WRAPPED_LINE = /\r?\n([A-Za-z0-9][\w+/.~-]*={0,2})(?=\r?\n|$)/y;

/** The end of a secret that was wrapped at the edge of a screen: lines as long as its first, and a shorter last one. */
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
