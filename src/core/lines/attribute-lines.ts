// Finds the edit that inserted each line of a file, by undoing the recorded edits from the last to the first. The
// file's earlier text need not be known, and changes that were made by hand in between only hide what they changed.
import { addedLines, type FileChange, isTelling, type RecordedEdit } from "./file-change.ts";
import { matchLines } from "./match-lines.ts";

export interface LineOrigin {
  /** The index of the edit. */
  edit: number;
  /** False: the edit has this text, but it may not have added it at this place. */
  isExact: boolean;
}

/** `edits`: oldest first. Undefined for a line that no edit inserted. `onMissed`: an edit could not be undone. */
export function attributeLines(
  lines: readonly string[],
  edits: readonly RecordedEdit[],
  onMissed?: (edit: number) => void,
): (LineOrigin | undefined)[] {
  const origins: (LineOrigin | undefined)[] = lines.map(() => undefined);
  // The last line is what follows the last line end.
  const draft: Draft = { lines: [...lines, ""], refs: [...lines.map((_, index) => index), -1] };
  for (const [edit, { changes, asLogged }] of [...edits.entries()].toReversed()) {
    const mark: Mark = (ref, isExact = true) => {
      origins[ref] = { edit, isExact };
    };
    const missed = undoAll(draft, changes, mark);
    const stillMissed =
      missed.length < changes.length || asLogged === undefined ? missed : undoAll(draft, asLogged, mark);
    if (stillMissed.length > 0) onMissed?.(edit);
    for (const change of stillMissed) claimLines(draft, addedLines(change), (ref) => mark(ref, false));
  }
  return origins;
}

/** Returns the changes that were not found. */
function undoAll(draft: Draft, changes: readonly FileChange[], mark: Mark): FileChange[] {
  return changes.toReversed().filter((change) => !undo(draft, change, mark));
}

/** The file as it was after the edits that were not yet undone. */
interface Draft {
  lines: string[];
  /** The line's index in the final text; -1 if the line is no longer in it. */
  refs: number[];
}

/** Called for each line of the final text that the change inserted. */
type Mark = (ref: number, isExact?: boolean) => void;

/** False if the change's text was not found. */
function undo(draft: Draft, change: FileChange, mark: Mark): boolean {
  switch (change.kind) {
    case "lines":
      return undoLines(draft, change, mark);
    case "text":
      return undoText(draft, change, mark);
    case "whole":
      undoWhole(draft, change, mark);
      return true;
    case "some":
      return false;
  }
}

type LinesChange = Extract<FileChange, { kind: "lines" }>;

/** If the lines around the change were changed later, it is found without them. */
function undoLines(draft: Draft, { before, after, kept, line }: LinesChange, mark: Mark): boolean {
  const at = findLines(draft.lines, after, line);
  if (at >= 0) return replaceLines(draft, { at, count: after.length, before, kept }, mark);
  let [head, tail] = [0, 0];
  const shorter = Math.min(before.length, after.length);
  while (head < shorter && before[head] === after[head]) head += 1;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const core = after.slice(head, after.length - tail);
  if (!core.some(isTelling)) return false;
  const place = findLines(draft.lines, core, line === undefined ? undefined : line + head);
  if (place < 0) return false;
  return replaceLines(draft, { at: place, count: core.length, before: before.slice(head, before.length - tail) }, mark);
}

/** The index at which these lines are, nearest to a line number. -1: nowhere. */
function findLines(lines: readonly string[], wanted: readonly string[], near = 1): number {
  if (wanted.length === 0) return -1;
  let best = -1;
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    const isNearer = best < 0 || Math.abs(at + 1 - near) < Math.abs(best + 1 - near);
    if (isNearer && wanted.every((line, index) => isSameLine(lines[at + index] ?? "", line))) best = at;
  }
  return best;
}

/** Secrets were removed from recorded lines: `key = "[redacted:token]"` is the same line as `key = "abc"`. */
const REDACTED = /\[redacted:[\w-]*\]/;

function isSameLine(actual: string, recorded: string): boolean {
  if (actual === recorded) return true;
  if (!recorded.includes("[redacted:")) return false;
  const parts = recorded.split(REDACTED);
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  return (
    parts.length > 1 &&
    first.trim() + last.trim() !== "" &&
    actual.length >= first.length + last.length &&
    actual.startsWith(first) &&
    actual.endsWith(last)
  );
}

/** Lines that both have keep their origin, the others of the replaced lines came with the change. */
function replaceLines(
  draft: Draft,
  {
    at,
    count,
    before,
    kept,
  }: { at: number; count: number; before: readonly string[]; kept?: readonly number[] | undefined },
  mark: Mark,
): true {
  const after = draft.lines.slice(at, at + count);
  const refs = draft.refs.slice(at, at + count);
  const refsBefore = before.map(() => -1);
  for (const [index, old] of (kept ?? matchLines(before, after, { first: "end" })).entries()) {
    const ref = refs[index] ?? -1;
    if (old >= 0) refsBefore[old] = ref;
    else if (ref >= 0) mark(ref);
  }
  if (before.length !== count) {
    draft.lines.splice(at, count, ...before);
    draft.refs.splice(at, count, ...refsBefore);
    return true;
  }
  // Most edits replace as many lines: moving all later lines for each of them would take longest.
  for (const [index, line] of before.entries()) {
    draft.lines[at + index] = line;
    draft.refs[at + index] = refsBefore[index] ?? -1;
  }
  return true;
}

type TextChange = Extract<FileChange, { kind: "text" }>;

function undoText(draft: Draft, { before, after, everywhere, line }: TextChange, mark: Mark): boolean {
  // Text that was deleted can stand anywhere.
  if (after === "" || after === before) return after === before;
  // What both begin with was there before: without it, the first new line is known exactly.
  const same = equalLines(before, after);
  const head = linesIn(after.slice(0, same)) - 1;
  const parts = after.split("\n");
  const places = placesOf(draft.lines, parts, everywhere || line === undefined ? MAX_PLACES : Infinity);
  const [first] = places;
  if (first === undefined) {
    const lines = { kind: "lines", before: before.split("\n"), after: parts } as const;
    return after.includes("[redacted:") && undoLines(draft, lines, mark);
  }
  // Without a line number, one of several equal texts would be a guess.
  if (line === undefined && !everywhere && places.length > 1) return false;
  const near = (line ?? 1) - 1;
  const nearest = places.reduce(
    (best, place) => (Math.abs(place.line - near) < Math.abs(best.line - near) ? place : best),
    first,
  );
  for (const place of everywhere ? places.toReversed() : [nearest]) {
    const [from, to] = [place.line + head, place.line + parts.length - 1];
    const start = head === 0 ? place.column : 0;
    const rest = (draft.lines[to] ?? "").slice(endColumn(place, parts));
    const old = (draft.lines[from] ?? "").slice(0, start) + before.slice(same) + rest;
    replaceLines(draft, { at: from, count: to - from + 1, before: old.split("\n") }, mark);
  }
  return true;
}

/** The length of the whole lines with which both texts begin. */
function equalLines(a: string, b: string): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  return a.lastIndexOf("\n", same - 1) + 1;
}

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

interface TextPlace {
  line: number;
  column: number;
}

const MAX_PLACES = 200;

/** Where a text is, given as its lines: the first is the end of a line, the last the beginning of one. */
function placesOf(lines: readonly string[], parts: readonly string[], limit: number): TextPlace[] {
  const places: TextPlace[] = [];
  const [first = "", ...rest] = parts;
  for (let at = 0; at + rest.length < lines.length && places.length < limit; at++) {
    const line = lines[at] ?? "";
    if (rest.length === 0) {
      for (let column = line.indexOf(first); column >= 0; column = line.indexOf(first, column + first.length))
        places.push({ line: at, column });
    } else if (line.endsWith(first) && isRestAt(lines, at + 1, rest))
      places.push({ line: at, column: line.length - first.length });
  }
  return places;
}

function isRestAt(lines: readonly string[], at: number, rest: readonly string[]): boolean {
  const last = rest.length - 1;
  return rest.every((part, index) => {
    const line = lines[at + index] ?? "";
    return index === last ? line.startsWith(part) : line === part;
  });
}

function endColumn({ column }: TextPlace, parts: readonly string[]): number {
  const last = parts.at(-1) ?? "";
  return parts.length === 1 ? column + last.length : last.length;
}

type WholeChange = Extract<FileChange, { kind: "whole" }>;

const CUT = /^\[… ([\d,]+) characters cut by c-mem …\]$/;

/** A new file has no earlier lines. Of an existing one that was overwritten, earlier edits may have inserted lines. */
function undoWhole(draft: Draft, { lines, isNew }: WholeChange, mark: Mark): void {
  const found = matchLines(draft.lines, [...lines, ""]);
  matchRedacted(draft.lines, lines, found);
  const refs = lines.map((_, index) => {
    const at = found[index] ?? -1;
    return at < 0 ? -1 : (draft.refs[at] ?? -1);
  });
  // Without a patch, text by hand that the tool only kept looks like its own.
  for (const ref of refs) if (ref >= 0) mark(ref, isNew);
  const cut = lines.findIndex((line) => CUT.test(line));
  if (cut >= 0) markCut(draft, { lines, found, cut }, mark);
  draft.lines = isNew ? [""] : [...lines, ""];
  draft.refs = isNew ? [-1] : [...refs, -1];
}

/** A line with a secret is the one after the line before it. */
function matchRedacted(actual: readonly string[], recorded: readonly string[], found: Int32Array): void {
  for (const [index, line] of recorded.entries()) {
    if (!line.includes("[redacted:") || (found[index] ?? -1) >= 0) continue;
    const place = index === 0 ? 0 : (found[index - 1] ?? -2) + 1;
    const isFree = place >= 0 && place < actual.length && !found.includes(place);
    if (isFree && isSameLine(actual[place] ?? "", line)) found[index] = place;
  }
}

/** Of a long text only head and tail are recorded. The lines between them are the change's if their length fits. */
function markCut(
  draft: Draft,
  { lines, found, cut }: { lines: readonly string[]; found: Int32Array; cut: number },
  mark: Mark,
): void {
  const known = [...found].map((at, index) => ({ at, index })).filter(({ at }) => at >= 0);
  const from = (known.findLast(({ index }) => index < cut)?.at ?? -1) + 1;
  const to = known.find(({ index }) => index > cut)?.at ?? draft.lines.length;
  const chars = Number((CUT.exec(lines[cut] ?? "")?.[1] ?? "0").replaceAll(",", ""));
  const between = draft.lines.slice(from, to).join("\n").length;
  for (const ref of draft.refs.slice(from, to)) if (ref >= 0) mark(ref, Math.abs(between - chars) <= CUT_LINE_CHARS);
}

/** The cut goes through two lines, whose rests belong to neither side. */
const CUT_LINE_CHARS = 400;

/** For a change that cannot be undone: its telling lines that occur exactly once. */
function claimLines(draft: Draft, added: readonly string[], mark: Mark): void {
  const places = new Map<string, number>();
  for (const [index, line] of draft.lines.entries()) {
    const key = line.trim().replace(/,$/, "");
    places.set(key, places.has(key) ? -1 : index);
  }
  for (const line of added) {
    if (!isTelling(line)) continue;
    const place = places.get(line.trim().replace(/,$/, "")) ?? -1;
    const ref = place < 0 ? -1 : (draft.refs[place] ?? -1);
    if (ref < 0) continue;
    mark(ref);
    draft.refs[place] = -1;
  }
}
