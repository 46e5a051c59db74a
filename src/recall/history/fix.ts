// Where an error was met before, and what made it go away.
import { errorLine, errorWords, normaliseError } from "../../core/error-text.ts";
import { commandHead, commandKey } from "../../core/shell-command.ts";
import type { Db } from "../../store/db/driver.ts";
import { changedPathsBetween } from "../../store/tables/file-touches.ts";
import { closingWords } from "../../store/tables/prompts.ts";
import { fixingSessions } from "../../store/reads/relations.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { bestUses, type FoundUse, usesAfter } from "../../store/fts/tool-search.ts";
import { commandOf, parseInput, wasDenied } from "./tool-line.ts";

export interface Encounter {
  failure: FoundUse;
  command: string | undefined;
  /** The line of the output that is this error. */
  error: string;
  /** 0 to 1: how much of what was asked for is in that line. */
  likeness: number;
  /** How often it was met in that session. */
  times: number;
  fixedBy?: { use: FoundUse; command: string | undefined; isSameCommand: boolean };
  /** Files changed between the failure and the success. */
  changed: string[];
  /** Commands that passed between the two and did more than print. */
  between: FoundUse[];
  closing: string | undefined;
}

const MAX_TEXT_CHARS = 20_000;
const MAX_WORDS = 12;
const MAX_CANDIDATES = 200;
const MAX_LINES = 600;
const MAX_FOLLOWING = 400;
/** A command among the next few that is mostly the same words is the same thing tried another way. */
const SOON = 8;
const MOSTLY_SAME = 0.6;
const MAX_BETWEEN = 3;
const MAX_RESOLVED = 3;
/** A failed tool use may word the error a little differently; one that passed has to say exactly this. */
const LIKE_FAILED = 0.6;
const LIKE_PASSED = 0.9;
/** Where the very error was met, others that share some of its words are another error. */
const LESS_ALIKE = 0.2;
/** Words every error has: alone they would find them all. */
const SAYS_NOTHING = new Set([
  "error",
  "errors",
  "failed",
  "failure",
  "fail",
  "exit",
  "code",
  "command",
  "exception",
  "not",
  "warning",
]);
/** Commands that print what others wrote: an error in their output did not happen there. */
const PRINTS_TEXT = /^(?:cat|grep|rg|git|sed|awk|head|tail|ls|find|echo|jq|wc|diff)\b|\bc-mem\b/;

/** `since`: in a large store, words that are everywhere were looked for only from then on. */
export function findFixes(
  db: Db,
  text: string,
  scope: Scope,
  limit: number,
): { met: Encounter[]; since?: number | undefined } {
  const asked = askedError(text);
  if (asked.words.every((word) => SAYS_NOTHING.has(word))) return { met: [] };
  const { uses, since } = bestUses(db, asked.words, scope, MAX_CANDIDATES);
  const alike = uses.flatMap((use) => {
    const match = matchError(use, asked);
    return match === undefined ? [] : [{ use, ...match }];
  });
  const groups = Map.groupBy(
    alike,
    ({ use, error }) => `${use.main_session_db_id}\n${normaliseError(error)}\n${subjectKey(use)}`,
  );
  const encounters = [...groups.values()].map((group) => describe(db, resolve(db, group, asked), group.length));
  const most = Math.max(0, ...encounters.map(({ likeness }) => likeness));
  const met = encounters.filter(({ likeness }) => likeness >= most - LESS_ALIKE).sort(byUse);
  return { met: met.slice(0, limit), since };
}

interface Met {
  use: FoundUse;
  error: string;
  likeness: number;
}

type Resolved = Met & { fixedBy: Encounter["fixedBy"] };

/** Of the same failure again and again, the last one that was followed by a success. */
function resolve(db: Db, group: readonly Met[], asked: Asked): Resolved {
  const newestFirst = group.toSorted((a, b) => b.use.created_at - a.use.created_at);
  for (const met of newestFirst.slice(0, MAX_RESOLVED)) {
    const fixedBy = nextSuccess(db, met.use, asked);
    if (fixedBy !== undefined) return { ...met, fixedBy };
  }
  const last = newestFirst[0] as Met;
  return { ...last, fixedBy: laterSuccess(db, last.use, asked) };
}

/** What a session left behind, another may have ended: where evidence says so, a link does. */
function laterSuccess(db: Db, failure: FoundUse, asked: Asked): Encounter["fixedBy"] {
  for (const session of fixingSessions(db, failure.main_session_db_id)) {
    const success = nextSuccess(db, { ...failure, main_session_db_id: session }, asked);
    if (success?.isSameCommand === true) return success;
  }
  return undefined;
}

interface Asked {
  normalised: string;
  words: string[];
}

/** Of a long text the line that says what went wrong; of a short one everything. */
function askedError(text: string): Asked {
  const shown = text.slice(0, MAX_TEXT_CHARS).replaceAll("\0", " ").trim();
  const line = shown.includes("\n") ? errorLine(shown) : shown;
  const normalised = normaliseError(line);
  return { normalised, words: errorWords(normalised).slice(0, MAX_WORDS) };
}

function matchError(use: FoundUse, asked: Asked): { error: string; likeness: number } | undefined {
  if (wasDenied(use)) return undefined;
  const command = commandOf(use.input);
  if (!use.is_error && (use.name !== "Bash" || PRINTS_TEXT.test(commandKey(command ?? "")))) return undefined;
  if (command !== undefined && /\bc-mem\b/.test(command)) return undefined;
  const best = bestLine(use.output ?? "", asked);
  return best.likeness >= (use.is_error ? LIKE_FAILED : LIKE_PASSED) ? best : undefined;
}

function bestLine(output: string, asked: Asked): { error: string; likeness: number } {
  let best = { error: "", likeness: 0 };
  for (const line of output.split("\n", MAX_LINES)) {
    const lower = line.slice(0, 1_000).toLowerCase();
    if (!asked.words.some((word) => lower.includes(word))) continue;
    const likeness = likenessOf(normaliseError(line.slice(0, 1_000)), asked);
    if (likeness > best.likeness) best = { error: line.trim(), likeness };
    if (likeness === 1) break;
  }
  return best;
}

/** The share of the asked words that the line has; long words say more. */
function likenessOf(line: string, asked: Asked): number {
  if (line.includes(asked.normalised)) return 1;
  const words = new Set(errorWords(line));
  const weight = (word: string): number => Math.min(word.length, 12);
  const whole = asked.words.reduce((sum, word) => sum + weight(word), 0);
  const shared = asked.words.reduce((sum, word) => sum + (words.has(word) ? weight(word) : 0), 0);
  return Math.round((shared / whole) * 100) / 100;
}

/** The same work done again without the error: the same command, else one that begins alike. */
function nextSuccess(db: Db, failure: FoundUse, asked: Asked): Encounter["fixedBy"] {
  const passed = usesAfter(db, failure, MAX_FOLLOWING).filter((use) => !use.is_error);
  const isQuiet = (use: FoundUse): boolean => bestLine(use.output ?? "", asked).likeness < LIKE_FAILED;
  const key = subjectKey(failure);
  const same = passed.find((use) => subjectKey(use) === key && isQuiet(use));
  if (same !== undefined) return { use: same, command: commandOf(same.input), isSameCommand: true };
  const head = commandHead(commandOf(failure.input) ?? "");
  const begins = (use: FoundUse): boolean => commandHead(commandOf(use.input) ?? "") === head;
  const words = wordsOf(failure);
  const alike =
    (head === "" ? undefined : passed.find((use) => begins(use) && isQuiet(use))) ??
    passed.slice(0, SOON).find((use) => shareOf(words, wordsOf(use)) >= MOSTLY_SAME && isQuiet(use));
  return alike === undefined ? undefined : { use: alike, command: commandOf(alike.input), isSameCommand: false };
}

function wordsOf(use: FoundUse): Set<string> {
  return new Set(
    commandKey(commandOf(use.input) ?? "")
      .split(" ")
      .filter(Boolean),
  );
}

function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  return both / Math.max(1, a.size, b.size);
}

/** A command is what was typed, an edit is the file it was on. */
function subjectKey(use: FoundUse): string {
  const command = commandOf(use.input);
  if (command !== undefined) return commandKey(command);
  const input = parseInput(use.input);
  const subject = input["file_path"] ?? input["notebook_path"] ?? input["path"] ?? input["url"];
  return typeof subject === "string" ? subject : use.name;
}

function describe(db: Db, met: Resolved, times: number): Encounter {
  const { use, error, likeness, fixedBy } = met;
  const last = fixedBy?.use ?? use;
  const between = fixedBy === undefined ? [] : commandsBetween(db, use, fixedBy.use);
  const sessions = new Set([use.main_session_db_id, last.main_session_db_id]);
  const changed = [...sessions].flatMap((id) => changedPathsBetween(db, id, use.created_at, last.created_at));
  return {
    failure: use,
    command: commandOf(use.input),
    error,
    likeness,
    times,
    ...(fixedBy !== undefined && { fixedBy }),
    changed: fixedBy === undefined ? [] : [...new Set(changed)],
    between,
    closing: closingWords(db, last.main_session_db_id, last.prompt_number),
  };
}

/** Often it is not an edit that mends it: a formatter was run, a package installed, a service started. */
function commandsBetween(db: Db, failure: FoundUse, success: FoundUse): FoundUse[] {
  if (failure.name !== "Bash") return [];
  const head = commandHead(commandOf(failure.input) ?? "");
  return usesAfter(db, { ...failure, main_session_db_id: success.main_session_db_id }, MAX_FOLLOWING)
    .filter((use) => use.created_at <= success.created_at && use.id !== success.id && !use.is_error)
    .filter((use) => {
      const command = commandOf(use.input) ?? "cat";
      // The same command again, to look at it more closely, mends nothing.
      return !PRINTS_TEXT.test(commandKey(command)) && (head === "" || commandHead(command) !== head);
    })
    .slice(-MAX_BETWEEN);
}

/** What was mended comes first, then what is most like the question, then what is newest. */
function byUse(a: Encounter, b: Encounter): number {
  const rank = (one: Encounter): number =>
    (one.fixedBy === undefined ? 0 : one.fixedBy.isSameCommand ? 0.3 : 0.2) + Math.round(one.likeness * 10) / 10;
  return rank(b) - rank(a) || b.failure.created_at - a.failure.created_at;
}
