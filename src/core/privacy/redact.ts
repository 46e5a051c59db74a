// Finds secrets in a text and replaces them by `[redacted:name]`. hints.ts selects the rows of the table in secrets.ts
// that may match; labelled-values.ts finds values after labels such as "password"; folds.ts joins secrets on two lines.
import { foldedRanges, isFolded, wrappedEnd } from "./secrets/folds.ts";
import { suspects, type Suspicion } from "./secrets/hints.ts";
import { labelledRanges } from "./secrets/labelled-values.ts";
import type { Secret, SecretRange } from "./secrets/secret.ts";

/** Characters after a match that still belong to the secret: its pattern may have a fixed length. */
const RUN = /[\uDC00-\uDFFF]?(?:(?<=[\w+=-])[\w+=-]+)?/y;
/** Used instead of RUN after a match of at least LONG_CHARS: it may have reached its pattern's maximum length. */
const LONG_RUN = /[\w+/=.%-]*/y;
const LONG_CHARS = 300;
const REDACTED = /\[redacted:[a-z0-9-]{1,40}\]/g;
/** Redacting a secret can uncover another one. No known text needs more rounds. */
const MAX_ROUNDS = 4;

/** Sorted ranges without overlaps. In `key=value` only the value is a range. */
export function secretRanges(text: string): SecretRange[] {
  const suspicion = suspects(text);
  let ranges = scan(text, suspicion);
  // The hint of a secret on two lines is on one of them.
  if (suspicion.isHinted && isFolded(text)) ranges = merge([...ranges, ...foldedRanges(text, scanPatterns)]);
  for (let round = 1; round < MAX_ROUNDS && ranges.length > 0; round++) {
    const more = scan(replaceRanges(text, ranges));
    if (more.length === 0) break;
    ranges = merge([...ranges, ...toRaw(more, ranges)]);
  }
  return ranges;
}

/** Repeats until nothing is found: filtering a text again must not change it. */
export function redactSecrets(text: string): string {
  let redacted = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const ranges = secretRanges(redacted);
    if (ranges.length === 0) break;
    redacted = replaceRanges(redacted, ranges);
  }
  return redacted;
}

export function redaction(name: string): string {
  return `[redacted:${name}]`;
}

export function replaceRanges(text: string, ranges: readonly SecretRange[]): string {
  let out = "";
  let from = 0;
  for (const { start, end, name } of ranges) {
    out += text.slice(from, start) + redaction(name);
    from = end;
  }
  return out + text.slice(from);
}

function scan(text: string, suspicion = suspects(text)): SecretRange[] {
  const found = matches(text, suspicion);
  if (suspicion.words.length > 0) labelledRanges(text, suspicion.words, found);
  return keepMarks(text, found);
}

/** Ignores labelled values: `labelledRanges` finds them in folded text too. */
function scanPatterns(text: string): SecretRange[] {
  return keepMarks(text, matches(text, suspects(text)));
}

function matches(text: string, { secrets, words }: Suspicion): SecretRange[] {
  const found: SecretRange[] = [];
  for (const secret of secrets) {
    const starts = secret.starts;
    if (starts === undefined) collect(secret, text, found);
    else
      collectAt(
        secret,
        words.flatMap((word) => starts(text, word)),
        text,
        found,
      );
  }
  return found;
}

/** Never splits an earlier `[redacted:name]`: a match that overlaps it covers it, a match inside it is dropped. */
function keepMarks(text: string, found: readonly SecretRange[]): SecretRange[] {
  if (found.length === 0 || !text.includes("[redacted:")) return merge(found);
  const marks = [...text.matchAll(REDACTED)].map((mark) => rangeOf(mark, mark[0].slice(10, -1)));
  const ends = new Map(marks.map(({ start, end }) => [start, end]));
  return merge([...marks, ...found]).filter(({ start, end }) => ends.get(start) !== end);
}

function collect(secret: Secret, text: string, found: SecretRange[]): void {
  const pattern = secret.pattern();
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    pattern.lastIndex = take(secret, match, text, found);
  }
}

/** Like `collect`, for a sticky pattern that is tried only at `starts`. */
function collectAt(secret: Secret, starts: readonly number[], text: string, found: SecretRange[]): void {
  const pattern = secret.pattern();
  let from = 0;
  for (const start of starts.toSorted((a, b) => a - b)) {
    if (start < from) continue;
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    from = match === null ? start + 1 : take(secret, match, text, found);
  }
}

/** Adds an accepted match to `found`. Returns where to continue the search. */
function take({ name, accept, nests }: Secret, match: RegExpExecArray, text: string, found: SecretRange[]): number {
  const range = rangeOf(match, name);
  if (accept !== undefined && !accept(match, text.slice(range.start, range.end))) {
    return nests ? range.start : match.index + match[0].length;
  }
  const run = range.end - range.start >= LONG_CHARS ? LONG_RUN : RUN;
  run.lastIndex = range.end;
  run.test(text);
  range.end = wrappedEnd(text, run.lastIndex);
  found.push(range);
  return range.end;
}

function rangeOf(match: RegExpExecArray, name: string): SecretRange {
  const end = match.index + match[0].length;
  const lead = match.groups?.["lead"];
  if (lead !== undefined) return { start: match.index - lead.length, end, name };
  const value = match.findLast((group) => group !== undefined) ?? match[0];
  return { start: end - value.length, end, name };
}

function merge(ranges: readonly SecretRange[]): SecretRange[] {
  const merged: SecretRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}

/** Converts ranges found after `ranges` were replaced to ranges of the original text. */
function toRaw(found: readonly SecretRange[], ranges: readonly SecretRange[]): SecretRange[] {
  let passed = 0;
  let shift = 0;
  const raw = (place: number): number => {
    for (let range = ranges[passed]; range !== undefined; range = ranges[++passed]) {
      const replacedEnd = range.start - shift + redaction(range.name).length;
      if (place < replacedEnd) return Math.min(place + shift, range.start);
      shift = range.end - replacedEnd;
    }
    return place + shift;
  };
  return found.map(({ start, end, name }) => ({ start: raw(start), end: raw(end), name }));
}
