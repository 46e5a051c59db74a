// Makes errors comparable: removes what differs between runs, such as times, addresses, folders and line numbers.
import { oneLine } from "./text.ts";

/** "Error at 12:01:02 in /a/b.ts:3" -> "error at <time> in b.ts:#" */
export function normaliseError(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- colour codes begin with an escape character
      .replace(/\u001B\[[0-9;]*[A-Za-z]/g, "")
      .replace(/\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g, " <time> ")
      .replace(/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, " <time> ")
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, " <hex> ")
      .replace(/\b0x[0-9a-f]+\b/gi, " <hex> ")
      .replace(/\b[0-9a-f]{7,64}\b/gi, (word) => (/\d/.test(word) && /[a-f]/i.test(word) ? " <hex> " : word))
      // Keep only the last part of a path: folders differ between machines.
      .replace(/\b[A-Za-z]:(?=[\\/])/g, "")
      .replace(/[\w@.~+\\/-]+/g, lastPart)
      .replace(/[‘’“”`"']/g, "'")
      // Keep numbers within names: "TS2304".
      .replace(/(?<![\p{L}\p{N}_])\d+/gu, "#")
      .toLowerCase()
      .replace(/\s+/g, " ")
      .trim()
  );
}

/** The distinctive words of a normalised error. */
export function errorWords(normalised: string): string[] {
  const words = normalised.match(/[\p{L}\p{N}_$-]+/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length > 1 && /\p{L}/u.test(word) && !STOP_WORDS.has(word));
}

/** Matches lines that start with the name of an error. A line with the name further on may be echoed source. */
const ERROR_START = /^(?:\[?(?:error|fatal|panic|failed)\b|(?:[\w.]+\.)?\w*(?:Error|Exception)\b)/i;
const ERROR_WORDS =
  /error|fail|exception|cannot|can't|not found|no such|denied|undefined|unexpected|expected|panic|fatal/i;

export function errorLine(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^Exit code \d+$/.test(line));
  const line =
    lines.find((text) => ERROR_START.test(text)) ?? lines.find((text) => ERROR_WORDS.test(text)) ?? lines.at(-1);
  return oneLine(line ?? "", 160);
}

/** Matches lines that test runners and build tools print for every failure. */
const GENERIC_LINE =
  /^(?:exit code|error:? (?:script|command|process|recipe)|.{0,30}exited? with|npm err|elifecycle|command failed|failed$|error$|failures?:?$|\d+ (?:failed|failing|errors?)|found \d+ errors?|[✗✘×❌]|fail\b|tests? failed|make: \*\*\*|husky|--|={3,}|<)/i;

const TAIL_LINES = 60;

/** Searches only the end of a long output: earlier errors often come from other programs. */
export function lastError(output: string): string {
  return errorLine(output.split("\n").slice(-TAIL_LINES).join("\n"));
}

/** The message of an error line; undefined if the line is cut, short or printed for every failure ("npm ERR! …"). */
export function errorMessage(line: string): string | undefined {
  const text = line.replace(/^(?:error|fatal|panic)(?:\[\w+\])?:\s*/i, "").trim();
  return GENERIC_LINE.test(line) || text.split(/\s+/).length < 3 || text.endsWith("…") ? undefined : text;
}

const SUBJECT_CHARS = 200;

/** The subject of an observation about this error. */
export function errorSubject(error: string): string {
  return `error:${normaliseError(error).slice(0, SUBJECT_CHARS)}`;
}

function lastPart(path: string): string {
  const parts = path.split(/[\\/]+/).filter(Boolean);
  return parts.at(-1) ?? "/";
}

const STOP_WORDS = new Set(
  "the an to of in on at is are was were be been it its this that and or for with from by as if time hex line".split(
    " ",
  ),
);

/** True if the user rejected the tool call: it never ran, so the output is not an error of the tool. */
export function isDenial(output: string): boolean {
  return /^The user doesn't want to (?:proceed|take this action)/.test(output);
}
