// Finds where an error occurred before, and what fixed it.
import { errorLine, errorWords, isDenial, normaliseError } from "../../core/error-text.ts";
import { commandHead, commandKey, commandOverlap } from "../../core/shell-command.ts";
import type { Db } from "../../store/db/driver.ts";
import { bestUses, type ToolUseEntry, usesAfter } from "../../store/fts/tool-search.ts";
import { fixingSessions } from "../../store/reads/relations.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { changedPathsBetween } from "../../store/tables/file-touches.ts";
import { lastResponse } from "../../store/tables/prompts.ts";
import { commandOf, parseInput } from "./tool-line.ts";

export type Occurrence = ReturnType<typeof toOccurrence>;

interface ErrorMatch {
  /** The output line with the error. */
  error: string;
  /** 0 to 1: the share of the query's words in this line. Long words count more. */
  likeness: number;
}

type Failure = ErrorMatch & { use: ToolUseEntry };

interface Fix {
  use: ToolUseEntry;
  command: string | undefined;
  isSameCommand: boolean;
}

const MAX_TEXT_CHARS = 20_000;
const MAX_WORDS = 12;
const MAX_CANDIDATES = 200;
const MAX_LINES = 600;
const MAX_LINE_CHARS = 1_000;
const MAX_FOLLOWING = 400;
/** A command with 60% of the same words counts as another attempt, if it is one of the next 8 that passed. */
const SOON = 8;
const MOSTLY_SAME = 0.6;
const MAX_BETWEEN = 3;
const MAX_RESOLVED = 3;
/** A failed tool use may word the error differently. A successful one must print nearly the same line. */
const MIN_LIKENESS_FAILED = 0.6;
const MIN_LIKENESS_PASSED = 0.9;
/** A match this far below the best one is a different error that shares some words. */
const MAX_BELOW_BEST = 0.2;
const GENERIC_WORDS = new Set("error errors failed failure fail exit code command exception not warning".split(" "));
/** Commands that print stored text: an error in their output occurred elsewhere. */
const PRINTS_TEXT = /^(?:cat|grep|rg|git|sed|awk|head|tail|ls|find|echo|jq|wc|diff)\b|\bc-mem\b/;

/** `since`: set if very common words were searched only from that time on. */
export function findFixes(
  db: Db,
  text: string,
  scope: Scope,
  limit: number,
): { occurrences: Occurrence[]; since?: number | undefined } {
  const query = parseError(text);
  if (query.words.every((word) => GENERIC_WORDS.has(word))) return { occurrences: [] };
  const { uses, since } = bestUses(db, query.words, scope, MAX_CANDIDATES);
  const failures = uses.flatMap((use) => {
    const match = matchError(use, query);
    return match === undefined ? [] : [{ use, ...match }];
  });
  const groups = Map.groupBy(
    failures,
    ({ use, error }) => `${use.main_session_db_id}\n${normaliseError(error)}\n${subjectKey(use)}`,
  );
  const occurrences = [...groups.values()].map((group) => toOccurrence(db, group, query));
  const best = Math.max(0, ...occurrences.map(({ likeness }) => likeness));
  const alike = occurrences.filter(({ likeness }) => likeness >= best - MAX_BELOW_BEST);
  return { occurrences: alike.sort(byUsefulness).slice(0, limit), since };
}

type ErrorQuery = ReturnType<typeof parseError>;

/** Finds the line with the error in a longer output. A single line is used whole. */
function parseError(text: string) {
  const shown = text.slice(0, MAX_TEXT_CHARS).replaceAll("\0", " ").trim();
  const normalised = normaliseError(shown.includes("\n") ? errorLine(shown) : shown);
  return { normalised, words: errorWords(normalised).slice(0, MAX_WORDS) };
}

function matchError(use: ToolUseEntry, query: ErrorQuery): ErrorMatch | undefined {
  const command = commandOf(use.input);
  if ((use.is_error && isDenial(use.output ?? "")) || (command !== undefined && /\bc-mem\b/.test(command)))
    return undefined;
  if (!use.is_error && (use.name !== "Bash" || PRINTS_TEXT.test(commandKey(command ?? "")))) return undefined;
  const best = bestLine(use, query);
  return best.likeness >= (use.is_error ? MIN_LIKENESS_FAILED : MIN_LIKENESS_PASSED) ? best : undefined;
}

function bestLine({ output }: ToolUseEntry, query: ErrorQuery): ErrorMatch {
  let best = { error: "", likeness: 0 };
  for (const line of (output ?? "").split("\n", MAX_LINES)) {
    const head = line.slice(0, MAX_LINE_CHARS);
    const lower = head.toLowerCase();
    if (!query.words.some((word) => lower.includes(word))) continue;
    const likeness = likenessOf(normaliseError(head), query);
    if (likeness > best.likeness) best = { error: line.trim(), likeness };
    if (likeness === 1) break;
  }
  return best;
}

function likenessOf(line: string, query: ErrorQuery): number {
  if (line.includes(query.normalised)) return 1;
  const found = new Set(errorWords(line));
  const weigh = (words: string[]): number => words.reduce((sum, word) => sum + Math.min(word.length, 12), 0);
  return Math.round((weigh(query.words.filter((word) => found.has(word))) / weigh(query.words)) * 100) / 100;
}

/** Repeated failures are one occurrence. It shows the last failure that a success followed, else the last failure. */
function toOccurrence(db: Db, group: readonly Failure[], query: ErrorQuery) {
  const newestFirst = group.toSorted((a, b) => b.use.created_at - a.use.created_at);
  let [{ use, error, likeness }] = newestFirst as [Failure];
  let fixedBy: Fix | undefined;
  for (const failure of newestFirst.slice(0, MAX_RESOLVED)) {
    fixedBy = nextSuccess(db, failure.use, query);
    if (fixedBy === undefined) continue;
    ({ use, error, likeness } = failure);
    break;
  }
  fixedBy ??= laterSuccess(db, use, query);
  const last = fixedBy?.use ?? use;
  const sessions = fixedBy === undefined ? [] : [use.main_session_db_id, last.main_session_db_id];
  const changed = sessions.flatMap((id) => changedPathsBetween(db, id, use.created_at, last.created_at));
  return {
    failure: use,
    command: commandOf(use.input),
    error,
    likeness,
    /** How often the error occurred with this command in this session. */
    times: group.length,
    fixedBy,
    /** Files changed between the failure and the success. */
    changed: [...new Set(changed)],
    /** Commands that passed between failure and success and did more than print text. */
    between: fixedBy === undefined ? [] : commandsBetween(db, use, fixedBy.use),
    /** The last message of the turn with the success, or with the failure if nothing fixed it. */
    closing: lastResponse(db, last.main_session_db_id, last.prompt_number),
  };
}

/** Tries the same command, a command with the same head, then a similar command soon after; all without the error. */
function nextSuccess(db: Db, failure: ToolUseEntry, query: ErrorQuery): Fix | undefined {
  const passed = usesAfter(db, failure, MAX_FOLLOWING).filter((use) => !use.is_error);
  const hasNoError = (use: ToolUseEntry): boolean => bestLine(use, query).likeness < MIN_LIKENESS_FAILED;
  const toFix = (use: ToolUseEntry, isSameCommand: boolean): Fix => ({
    use,
    command: commandOf(use.input),
    isSameCommand,
  });
  const key = subjectKey(failure);
  const same = passed.find((use) => subjectKey(use) === key && hasNoError(use));
  if (same !== undefined) return toFix(same, true);
  const head = headOf(failure);
  const command = commandOf(failure.input) ?? "";
  const isAlike = (use: ToolUseEntry): boolean => commandOverlap(command, commandOf(use.input) ?? "") >= MOSTLY_SAME;
  const similar =
    (head === "" ? undefined : passed.find((use) => headOf(use) === head && hasNoError(use))) ??
    passed.slice(0, SOON).find((use) => isAlike(use) && hasNoError(use));
  return similar && toFix(similar, false);
}

/** Looks for a success of the same command in sessions that a link says fixed this one. */
function laterSuccess(db: Db, failure: ToolUseEntry, query: ErrorQuery): Fix | undefined {
  for (const session of fixingSessions(db, failure.main_session_db_id)) {
    const success = nextSuccess(db, { ...failure, main_session_db_id: session }, query);
    if (success?.isSameCommand === true) return success;
  }
  return undefined;
}

function headOf(use: ToolUseEntry): string {
  return commandHead(commandOf(use.input) ?? "");
}

/** Identifies what failed: the command's key; for other tools the file or URL. */
function subjectKey(use: ToolUseEntry): string {
  const { command, file_path, notebook_path, path, url } = parseInput(use.input);
  if (typeof command === "string") return commandKey(command);
  const subject = file_path ?? notebook_path ?? path ?? url;
  return typeof subject === "string" ? subject : use.name;
}

/** The fix may be a command: a formatter run, an installed package, a started service. */
function commandsBetween(db: Db, failure: ToolUseEntry, success: ToolUseEntry): ToolUseEntry[] {
  if (failure.name !== "Bash") return [];
  const head = headOf(failure);
  return usesAfter(db, { ...failure, main_session_db_id: success.main_session_db_id }, MAX_FOLLOWING)
    .filter((use) => use.created_at <= success.created_at && use.id !== success.id && !use.is_error)
    .filter((use) => {
      const command = commandOf(use.input) ?? "cat";
      // Running the failed command again is not a fix.
      return !PRINTS_TEXT.test(commandKey(command)) && (head === "" || commandHead(command) !== head);
    })
    .slice(-MAX_BETWEEN);
}

/** By likeness, to which a fix adds 0.2 or 0.3; then newest first. */
function byUsefulness(a: Occurrence, b: Occurrence): number {
  const rank = (one: Occurrence): number =>
    (one.fixedBy === undefined ? 0 : one.fixedBy.isSameCommand ? 0.3 : 0.2) + Math.round(one.likeness * 10) / 10;
  return rank(b) - rank(a) || b.failure.created_at - a.failure.created_at;
}
