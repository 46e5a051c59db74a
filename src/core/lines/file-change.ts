// Reads from a recorded tool use how it changed a file: the lines before and after, as far as they were recorded.
import { asArray, asObject, asString, type Json, type JsonObject } from "../json.ts";

export type FileChange =
  /**
   * Whole lines were replaced. `kept`: for each line of `after` its index in `before`, -1 if it was added. `line`: the
   * number of the first line afterwards, if known.
   */
  | { kind: "lines"; before: readonly string[]; after: readonly string[]; kept?: readonly number[]; line?: number }
  /** A part of the text was replaced, once or everywhere. `line`: about where it is afterwards, if known. */
  | { kind: "text"; before: string; after: string; everywhere: boolean; line?: number }
  /** The whole file was written. `isNew`: it did not exist before. */
  | { kind: "whole"; lines: readonly string[]; isNew: boolean }
  /** These lines are in the file afterwards, but it is not known where. */
  | { kind: "some"; lines: readonly string[] };

export interface EditUse {
  name: string;
  input: unknown;
  output: string | null;
}

export interface RecordedEdit {
  /** In the order in which they were made. */
  changes: readonly FileChange[];
  /** The same changes as in the patch that the agent logged, if `changes` are those that the tool was asked to make. */
  asLogged?: readonly FileChange[];
}

/** `path`: as in file_touches. */
export function readEdit(use: EditUse, path: string): RecordedEdit {
  const input = asObject(use.input as Json);
  if (input === undefined) return { changes: [] };
  const patch = asString(input["patch"]) ?? asString(input["patchText"]);
  if (patch !== undefined) return { changes: patchChanges(patch, path) };
  const asked = askedChanges(input, use.output);
  const hunks = outputHunks(use.output ?? "");
  if (hunks === undefined) return { changes: asked };
  // A patch says what an overwritten file was before. Of an edit, only the tool's input says where the new text began.
  if (!asked.some(({ kind }) => kind === "text")) return { changes: hunks };
  const places = asked.map((change) => (change.kind === "text" ? placesIn(hunks, change) : []));
  // Of a tool use with several edits, the log says which of several equal lines each one wrote.
  if (asked.length > 1 && places.some(({ length }) => length !== 1)) return { changes: hunks };
  const changes = asked.map((change, index) => {
    const line = places[index]?.[0] ?? hunks[0]?.line;
    return change.kind === "text" && line !== undefined ? { ...change, line } : change;
  });
  return { changes, asLogged: hunks };
}

type LinesChange = Extract<FileChange, { kind: "lines" }>;
type TextChange = Extract<FileChange, { kind: "text" }>;

/** The numbers of the lines at which the new text begins, where the patch added or removed lines. */
function placesIn(hunks: readonly LinesChange[], { after }: TextChange): number[] {
  const parts = after.split("\n");
  return hunks.flatMap(({ after: lines, before, kept = [], line = 1 }) => {
    const isOnlyRemoved = before.length > lines.length && !kept.includes(-1);
    return lines.flatMap((_, at) => {
      const isChanged = isOnlyRemoved || kept.slice(at, at + parts.length).includes(-1);
      return isChanged && isTextAt(lines, at, parts) ? [line + at] : [];
    });
  });
}

/** The text's first line may be the end of a line, and its last one the beginning of one. */
function isTextAt(lines: readonly string[], at: number, parts: readonly string[]): boolean {
  const last = parts.length - 1;
  if (last === 0) return lines[at]?.includes(parts[0] ?? "") === true;
  return parts.every((part, index) => {
    const line = lines[at + index] ?? (index === last ? "" : undefined);
    if (index === 0) return line?.endsWith(part) === true;
    return index === last ? line?.startsWith(part) === true : line === part;
  });
}

function askedChanges(input: JsonObject, output: string | null): FileChange[] {
  const content = asString(input["content"]) ?? asString(input["file_text"]);
  if (content !== undefined) return [{ kind: "whole", lines: splitLines(content), isNew: isCreated(output) }];
  const source = asString(input["new_source"]);
  if (source !== undefined) return [{ kind: "some", lines: notebookLines(source) }];
  const parts = input["edits"] === undefined ? [input] : asArray(input["edits"]).map((part) => asObject(part) ?? {});
  return parts.flatMap(textChange);
}

function isCreated(output: string | null): boolean {
  return output !== null && /^(?:created\b|file created\b)/i.test(output);
}

function textChange(part: JsonObject): FileChange[] {
  const before = asString(part["old_string"]) ?? asString(part["old_str"]) ?? asString(part["oldString"]);
  const after = asString(part["new_string"]) ?? asString(part["new_str"]) ?? asString(part["newString"]);
  if (before === undefined || after === undefined) return [];
  const everywhere = part["replace_all"] === true;
  return [{ kind: "text", before: plainText(before), after: plainText(after), everywhere }];
}

/** A recorded text of which the middle was cut says less than the tool's input. */
const CUT = /\[… [\d,]+ characters cut by c-mem …\]/;

/** Claude Code's own patch: "@@ -69 +69 @@", then lines that begin with " ", "+" or "-". */
function outputHunks(output: string): LinesChange[] | undefined {
  if (!output.startsWith("@@ -") || CUT.test(output)) return undefined;
  const hunks: (Hunk & { line: number })[] = [];
  for (const text of splitLines(output)) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)?.[1];
    if (start !== undefined) hunks.push({ line: Number(start), ...emptyHunk() });
    else addPatchLine(hunks.at(-1), text);
  }
  return hunks.map((hunk) => ({ kind: "lines", ...hunk }));
}

interface Hunk {
  before: string[];
  after: string[];
  kept: number[];
}

function addPatchLine(hunk: Hunk | undefined, text: string): void {
  const sign = text.charAt(0);
  if (hunk === undefined || sign === "\\") return;
  if (sign !== "-") {
    hunk.after.push(text.slice(1));
    hunk.kept.push(sign === "+" ? -1 : hunk.before.length);
  }
  if (sign !== "+") hunk.before.push(text.slice(1));
}

/** The sections about this file of an apply_patch text ("*** Begin Patch"). */
function patchChanges(patch: string, path: string): FileChange[] {
  const sections: { path: string; isNew: boolean; hunks: Hunk[] }[] = [];
  for (const text of splitLines(patch)) {
    const [, action, name] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/.exec(text) ?? [];
    const section = sections.at(-1);
    if (name !== undefined && action === "Move to" && section !== undefined) section.path = name;
    else if (name !== undefined)
      sections.push({ path: name, isNew: action === "Add File", hunks: action === "Add File" ? [emptyHunk()] : [] });
    else if (text.startsWith("*** ")) continue;
    else if (text.startsWith("@@")) section?.hunks.push(emptyHunk());
    else if (section !== undefined) {
      // The first hunk may have no "@@".
      if (section.hunks.length === 0) section.hunks.push(emptyHunk());
      addPatchLine(section.hunks.at(-1), text === "" ? " " : text);
    }
  }
  return sections
    .filter((section) => isSamePath(section.path, path))
    .flatMap(({ isNew, hunks }): FileChange[] =>
      isNew
        ? [{ kind: "whole", lines: hunks.flatMap(({ after }) => after), isNew }]
        : hunks.map((hunk) => ({ kind: "lines", ...hunk })),
    );
}

function emptyHunk(): Hunk {
  return { before: [], after: [], kept: [] };
}

/** A patch names files relative to the folder in which the agent worked, or by their full path. */
export function isSamePath(named: string, path: string): boolean {
  const [a, b] = [named.replaceAll("\\", "/").replace(/^\.\//, ""), path.replaceAll("\\", "/")];
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

/** The lines of a notebook's file: each line of a cell is a JSON string. */
function notebookLines(source: string): string[] {
  const lines = splitLines(source);
  return lines.map((line, index) => JSON.stringify(index < lines.length - 1 ? `${line}\n` : line));
}

/** The lines that the change added, in order. Of a whole file: all. */
export function addedLines(change: FileChange): readonly string[] {
  switch (change.kind) {
    case "whole":
    case "some":
      return change.lines;
    case "lines":
      return without(change.after, change.before);
    case "text":
      return without(splitLines(change.after), splitLines(change.before));
  }
}

function without(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}

/** "a\r\nb\n" -> ["a", "b"]; the line end of the last line is not a line of its own. */
export function splitLines(text: string): string[] {
  const plain = plainText(text);
  if (plain === "") return [];
  return (plain.endsWith("\n") ? plain.slice(0, -1) : plain).split("\n");
}

function plainText(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** False for "}" and other lines that occur anywhere. */
export function isTelling(line: string): boolean {
  const text = line.trim();
  return text.length >= MIN_TELLING_CHARS && /[\p{L}\p{N}]{3}/u.test(text);
}

const MIN_TELLING_CHARS = 8;
