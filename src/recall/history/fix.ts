// Finds where an error occurred before, and what fixed it.
import { errorLine, errorWords, isDenial, isErrorLine, isGenericError, normaliseError } from "../../core/error-text.ts";
import { commandForm, commandOverlap, splitCommand, withoutPrelude } from "../../core/shell-command.ts";
import type { Db } from "../../store/db/driver.ts";
import { bestUses, type ToolUseEntry, usesAfter } from "../../store/fts/tool-search.ts";
import { fixingSessions } from "../../store/reads/relations.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { changedPathsBetween } from "../../store/tables/file-touches.ts";
import { lastResponse } from "../../store/tables/prompts.ts";
import { hasFailed, printsFailure } from "./command-outcomes.ts";
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
/** With more changed files between failure and success, no change was made for this error alone. */
const MAX_CHANGED = 12;
const MAX_BETWEEN = 3;
const MAX_RESOLVED = 3;
/** A failed tool use may word the error differently. A successful one must print nearly the same line. */
const MIN_LIKENESS_FAILED = 0.6;
const MIN_LIKENESS_PASSED = 0.9;
/** A match this far below the best one is a different error that shares some words. */
const MAX_BELOW_BEST = 0.2;
/** Commands that print stored text: an error in their output occurred elsewhere. */
const PRINTS_TEXT = /^(?:cat|grep|rg|git|gh|sed|awk|head|tail|nl|ls|find|echo|printf|jq|wc|diff)\b|\bc-mem\b/;
/** Commands that fix nothing themselves: they look, test and check. */
const CHANGES_NOTHING =
  /^(?:cat|grep|rg|awk|head|tail|nl|ls|find|echo|printf|jq|wc|diff|cd|pwd|which|ps|lsof|sleep|date|true|curl|gh|sed(?! -i))\b|^git(?: -C \S+)? (?!pull|checkout|switch|reset|rebase|merge|config|submodule|lfs|clean|worktree)|\bc-mem\b|\b(?:test|tests|lint|typecheck|type-check|check|tsc|vitest|jest|pytest|eslint|clippy|mypy)\b(?!.*(?:fix|--write|format|fmt)\b)/;
/** Errors of a wrong command: another form of the command is the fix. */
const WRONG_USE =
  /unrecogni[sz]ed|unknown (?:sub)?(?:option|command|flag|argument|switch)|unexpected argument|(?:invalid|illegal|bad|unsupported) (?:option|flag|argument|choice)|no such (?:option|command)|(?:command|script) not found|command not found|is not a \S+ command|missing script|no such task|requires? an? (?:argument|value)|too many arguments|accepts at most|unmatched|no matches found/i;

/** `since`: set if very common words were searched only from that time on. */
export function findFixes(
  db: Db,
  text: string,
  scope: Scope,
  limit: number,
): { occurrences: Occurrence[]; since?: number | undefined } {
  const query = parseError(text);
  if (query === undefined) return { occurrences: [] };
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
  const alike = occurrences.filter(({ likeness }) => likeness >= best - MAX_BELOW_BEST).sort(byUsefulness);
  const fixed = alike.filter(({ fixedBy }) => fixedBy !== undefined);
  // Occurrences that were not fixed say nothing next to one that was.
  return { occurrences: distinct(fixed.length > 0 ? fixed : alike).slice(0, limit), since };
}

/** The newest of several occurrences that were fixed in the same way. */
function distinct(occurrences: readonly Occurrence[]): Occurrence[] {
  const keyOf = ({ error, changed, between, fixedBy }: Occurrence): string => {
    const how = fixedBy?.isSameCommand === true ? [sameKey(fixedBy.command ?? ""), ...changed, between.length] : [];
    return [normaliseError(error), ...how].join("\n");
  };
  return [...Map.groupBy(occurrences, keyOf).values()].flatMap(([newest]) => newest ?? []);
}

interface ErrorQuery {
  normalised: string;
  words: string[];
  /** Quoted names, which are the same each time the error occurs. */
  names: string[];
}

/** Finds the line with the error in a longer output. A line that is printed for every failure identifies no error. */
function parseError(text: string): ErrorQuery | undefined {
  const shown = text.slice(0, MAX_TEXT_CHARS).replaceAll("\0", " ").trim();
  const line = shown.includes("\n") ? errorLine(shown, MAX_LINE_CHARS) : shown;
  if (isGenericError(line)) return undefined;
  const normalised = normaliseError(line);
  const words = errorWords(normalised).slice(0, MAX_WORDS);
  return words.length === 0 ? undefined : { normalised, words, names: namesIn(normalised) };
}

const MAX_NAMES = 4;

/** "cannot find name 'cart' in 'a b'" -> ["cart"] */
function namesIn(normalised: string): string[] {
  const quoted = [...normalised.matchAll(/'([\w@.$-]*[a-z][\w@.$-]*)'/g)].map((match) => match[1] ?? "");
  return quoted.filter((name) => !name.includes("#")).slice(0, MAX_NAMES);
}

function matchError(use: ToolUseEntry, query: ErrorQuery): ErrorMatch | undefined {
  const command = commandOf(use.input);
  if ((use.is_error && isDenial(use.output ?? "")) || (command !== undefined && /\bc-mem\b/.test(command)))
    return undefined;
  const isFailed = hasFailed(use);
  if (!isFailed && (command === undefined || printsText(command))) return undefined;
  const best = bestLine(use, query);
  return best.likeness >= (isFailed ? MIN_LIKENESS_FAILED : MIN_LIKENESS_PASSED) ? best : undefined;
}

function printsText(command: string): boolean {
  return splitCommand(command).some((part) => PRINTS_TEXT.test(withoutPrelude(part)));
}

function bestLine({ output }: ToolUseEntry, query: ErrorQuery): ErrorMatch {
  let best = { error: "", likeness: 0 };
  for (const line of (output ?? "").split("\n", MAX_LINES)) {
    const head = line.slice(0, MAX_LINE_CHARS);
    const lower = head.toLowerCase();
    // Normalising a line takes much longer than looking for words. Words of the line can only be fewer afterwards.
    if (shareOf(query.words, (word) => lower.includes(word)) < MIN_LIKENESS_FAILED) continue;
    const likeness = likenessOf(normaliseError(head), query);
    if (likeness > best.likeness && (likeness === 1 || isErrorLine(head.trim())))
      best = { error: line.replace(/<\/?\w+_error>/g, "").trim(), likeness };
    if (likeness === 1) break;
  }
  return best;
}

function likenessOf(line: string, query: ErrorQuery): number {
  if (line.includes(query.normalised)) return 1;
  // With another name it is another error: "Cannot find module 'a'", "Cannot find module 'b'".
  if (query.names.some((name) => !line.includes(name))) return 0;
  const found = new Set(errorWords(line));
  return shareOf(query.words, (word) => found.has(word));
}

/** The share of the words that pass. Long words count more. */
function shareOf(words: readonly string[], passes: (word: string) => boolean): number {
  const weigh = (some: readonly string[]): number => some.reduce((sum, word) => sum + Math.min(word.length, 12), 0);
  return Math.round((weigh(words.filter(passes)) / weigh(words)) * 100) / 100;
}

/** Repeated failures are one occurrence. It shows the last failure that a success followed, else the last failure. */
function toOccurrence(db: Db, group: readonly Failure[], query: ErrorQuery) {
  const newestFirst = group.toSorted((a, b) => b.use.created_at - a.use.created_at);
  let [{ use, error, likeness }] = newestFirst as [Failure];
  let fixedBy: Fix | undefined;
  for (const failure of newestFirst.slice(0, MAX_RESOLVED)) {
    fixedBy = fixOf(db, failure, nextSuccess(db, failure, query));
    if (fixedBy === undefined) continue;
    ({ use, error, likeness } = failure);
    break;
  }
  fixedBy ??= laterSuccess(db, { use, error, likeness }, query);
  const last = fixedBy?.use ?? use;
  return {
    failure: use,
    command: commandOf(use.input),
    error,
    likeness,
    /** How often the error occurred with this command in this session. */
    times: group.length,
    fixedBy,
    /** Files changed between the failure and the success. */
    changed: fixedBy?.isSameCommand === true ? changedBetween(db, use, fixedBy.use) : [],
    /** Commands that passed between failure and success and may have changed something. */
    between: fixedBy?.isSameCommand === true ? commandsBetween(db, use, fixedBy.use) : [],
    /** The last message of the turn with the success, or with the failure if nothing fixed it. */
    closing: lastResponse(db, last.main_session_db_id, last.prompt_number),
  };
}

/** The success, if something was changed for it. A command that passes later without a change was not fixed. */
function fixOf(db: Db, { use, error }: Failure, success: Fix | undefined): Fix | undefined {
  if (success === undefined || !success.isSameCommand) return success;
  const changed = changedBetween(db, use, success.use);
  const commands = commandsBetween(db, use, success.use).map((one) => commandOf(one.input) ?? "");
  const isMoved = folderOf(success.command) !== folderOf(commandOf(use.input));
  // A change to the code does not make a missing command or option appear.
  const isChanged = WRONG_USE.test(error)
    ? changed.some((path) => SET_UP.test(path)) || commands.some((command) => INSTALLS.test(command))
    : changed.length > 0
      ? changed.length <= MAX_CHANGED
      : commands.length > 0;
  return isChanged || isMoved ? success : undefined;
}

/** Files and commands that set up tools. */
const SET_UP =
  /(?:^|\/)(?:package\.json|[\w.-]*config[\w.-]*|\.?[\w-]*rc(?:\.\w+)?|Makefile|[\w.-]+\.(?:toml|ya?ml|mod))$/i;
const INSTALLS = /\b(?:install|add|ci|sync|link|build|generate|ln|chmod|brew|apt|use)\b/;

/** Commits and pushes run the same hooks, whatever they commit. Other commands are the same if their forms are equal. */
function sameKey(command: string): string {
  return /\bgit (?:commit|push)\b/.exec(command)?.[0] ?? commandForm(command);
}

function changedBetween(db: Db, failure: ToolUseEntry, success: ToolUseEntry): string[] {
  const sessions = new Set([failure.main_session_db_id, success.main_session_db_id]);
  const paths = [...sessions].flatMap((id) => changedPathsBetween(db, id, failure.created_at, success.created_at));
  return [...new Set(paths)];
}

/** "cd web && npm test" -> "web" */
export function folderOf(command = ""): string | undefined {
  return /^\s*cd\s+("[^"]*"|'[^']*'|\S+)\s*(?:&&|;)/.exec(command)?.[1];
}

/** The next run of the same command; for a wrong command, another form of it soon after. Both without the error. */
function nextSuccess(db: Db, { use: failure, error }: Failure, query: ErrorQuery): Fix | undefined {
  const failed = commandOf(failure.input);
  // The retry of an edit is no fix.
  if (failure.name !== "Bash" || failed === undefined) return undefined;
  const passed = usesAfter(db, failure, MAX_FOLLOWING).filter((use) => !hasFailed(use));
  const isPassed = (use: ToolUseEntry): boolean =>
    bestLine(use, query).likeness < MIN_LIKENESS_FAILED && !(isPiped(use) && printsFailure(use.output ?? ""));
  const toFix = (use: ToolUseEntry, isSameCommand: boolean): Fix => ({
    use,
    command: commandOf(use.input),
    isSameCommand,
  });
  const key = sameKey(failed);
  const same = passed.find((use) => sameKey(commandOf(use.input) ?? "") === key && isPassed(use));
  if (same !== undefined) return toFix(same, true);
  const longer = passed.find((use) => preparesFor(key, commandOf(use.input) ?? "") && isPassed(use));
  if (longer !== undefined) return toFix(longer, false);
  if (!WRONG_USE.test(error)) return undefined;
  const isOtherForm = (use: ToolUseEntry): boolean => commandOverlap(failed, commandOf(use.input) ?? "") >= MOSTLY_SAME;
  const similar = passed.slice(0, SOON).find((use) => isOtherForm(use) && isPassed(use));
  return similar && toFix(similar, false);
}

/** "npm run build && npm test" prepares for "npm test". */
function preparesFor(key: string, command: string): boolean {
  const parts = splitCommand(command).map(withoutPrelude);
  const index = parts.findIndex((part) => sameKey(part) === key);
  return parts.slice(0, Math.max(0, index)).some((part) => !CHANGES_NOTHING.test(part));
}

function isPiped(use: ToolUseEntry): boolean {
  return (commandOf(use.input) ?? "").includes("|");
}

/** Looks for a success of the same command in sessions that a link says fixed this one. */
function laterSuccess(db: Db, failure: Failure, query: ErrorQuery): Fix | undefined {
  for (const session of fixingSessions(db, failure.use.main_session_db_id)) {
    const moved = { ...failure, use: { ...failure.use, main_session_db_id: session } };
    const success = nextSuccess(db, moved, query);
    if (success?.isSameCommand === true) return fixOf(db, failure, success);
  }
  return undefined;
}

/** Identifies what failed: the command's key; for other tools the file or URL. */
function subjectKey(use: ToolUseEntry): string {
  const { command, file_path, notebook_path, path, url } = parseInput(use.input);
  if (typeof command === "string") return commandForm(command);
  const subject = file_path ?? notebook_path ?? path ?? url;
  return typeof subject === "string" ? subject : use.name;
}

/** The fix may be a command: a formatter run, an installed package, a started service. */
function commandsBetween(db: Db, failure: ToolUseEntry, success: ToolUseEntry): ToolUseEntry[] {
  if (failure.name !== "Bash") return [];
  const form = subjectKey(failure);
  return usesAfter(db, { ...failure, main_session_db_id: success.main_session_db_id }, MAX_FOLLOWING)
    .filter((use) => use.created_at <= success.created_at && use.id !== success.id && !hasFailed(use))
    .filter((use) => {
      const command = commandOf(use.input) ?? "cat";
      const parts = splitCommand(command).map(withoutPrelude);
      return commandForm(command) !== form && parts.some((part) => !CHANGES_NOTHING.test(part));
    })
    .slice(-MAX_BETWEEN);
}

/** By likeness, to which a fix adds 0.2 or 0.3; then newest first. */
function byUsefulness(a: Occurrence, b: Occurrence): number {
  const rank = (one: Occurrence): number =>
    (one.fixedBy === undefined ? 0 : one.fixedBy.isSameCommand ? 0.3 : 0.2) + Math.round(one.likeness * 10) / 10;
  return rank(b) - rank(a) || b.failure.created_at - a.failure.created_at;
}
