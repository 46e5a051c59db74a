// Warns before a command that failed in earlier sessions because it was used wrongly, and says which form worked.
import { errorLine } from "../../core/error-text.ts";
import { commandForm, commandKey, commandOverlap, splitCommand } from "../../core/shell-command.ts";
import { wordsOf } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import { type CommandRun, runsAfter, runsWithWords } from "../../store/reads/command-runs.ts";
import { wrongItems } from "../../store/tables/wrong-items.ts";
import type { MatchRequest } from "./match-prompt.ts";

export interface CommandWarning {
  failure: CommandRun;
  /** The part of the command that failed. */
  form: string;
  error: string;
  /** The form that worked afterwards. */
  worked: string;
  success: CommandRun;
  /** In how many sessions it failed since it last passed. */
  sessions: number;
}

/** Errors of a wrong command, not of the code that it ran. */
export const WRONG_USE =
  /\b(?:unrecogni[sz]ed (?:sub)?(?:command|option|argument)s?|unknown (?:sub)?(?:option|command|flag|argument|switch)|unexpected argument|(?:invalid|illegal|bad|unsupported) (?:option|flag|argument)|no such (?:option|(?:sub)?command)|command not found|is not recogni[sz]ed as|is not a \S+ command|missing script|script not found|no such task|requires? an? (?:argument|value)|missing required (?:argument|option)|too many arguments|could not determine executable|does not exist in workspace|sh:(?: line)? ?\d*:? (?:no such file or directory|permission denied))\b/i;

const MAX_PARTS = 6;
/** "ls" or "make" alone says nothing about how it is used. */
const MIN_WORDS = 2;
const MAX_WORDS = 12;
const MAX_RUNS = 40;
/** The form that works is one of the next commands. */
const SOON = 6;
const MAX_FAILURES = 5;
const MOSTLY_SAME = 0.6;

export function warningOf(db: Db, command: string, request: MatchRequest): CommandWarning | undefined {
  for (const form of formsOf(command)) {
    const warning = warningOfForm(db, form, request);
    if (warning !== undefined) return warning;
  }
  return undefined;
}

/** "cd a && npm test 2>&1 | tail" -> ["npm test"] */
function formsOf(command: string): string[] {
  const parts = splitCommand(command)
    .map((part) => commandForm(part))
    .filter((form) => form !== "" && !/^(?:cd|tail|head|cat|grep|echo|sleep|export)\b/.test(form));
  return [...new Set(parts)].slice(0, MAX_PARTS);
}

function warningOfForm(db: Db, form: string, request: MatchRequest): CommandWarning | undefined {
  // A quoted message is stored in full, but shortened in the form.
  const words = wordsOf(form.split(/["'`]/)[0] ?? "").slice(0, MAX_WORDS);
  if (words.length < MIN_WORDS) return undefined;
  const { projectId, ownSessionId, shown, throttle } = request;
  const failures: { failure: CommandRun; error: string }[] = [];
  const sessions = new Set<number>();
  for (const run of runsWithWords(db, words, projectId, MAX_RUNS)) {
    if (run.main_session_db_id === ownSessionId || !formsOf(run.command).includes(form)) continue;
    const error = wrongUseOf(run, form);
    // It works by now: what was wrong was the environment.
    if (error === undefined && run.is_error === 0) break;
    if (error === undefined || run.exit_code === null) continue;
    failures.push({ failure: run, error });
    sessions.add(run.main_session_db_id);
  }
  if (sessions.size <= throttle) return undefined;
  // Once injected or marked as wrong, the same warning is not given with another of its failures.
  const wrong = wrongItems(db);
  if (failures.some(({ failure: { id } }) => shown.has(`t${id}`) || wrong.has(`t${id}`))) return undefined;
  for (const { failure, error } of failures.slice(0, MAX_FAILURES)) {
    const success = runsAfter(db, failure, SOON).find((run) => workedInstead(run, form));
    if (success === undefined) continue;
    const worked = formsOf(success.command).find((other) => isOtherForm(other, form)) ?? "";
    return { failure, form, error, worked, success, sessions: sessions.size };
  }
  return undefined;
}

/** The error line, if this part of the command failed because it was used wrongly. */
function wrongUseOf({ command, output }: CommandRun, form: string): string | undefined {
  const error = errorLine(output);
  if (!WRONG_USE.test(error)) return undefined;
  const others = formsOf(command).filter((other) => other !== form);
  if (others.length === 0) return error;
  // Of several commands, the one that failed has the words that the error names.
  const named = new Set(wordsOf(error.replace(WRONG_USE, " ").toLowerCase()));
  const has = (one: string): boolean => wordsOf(one.toLowerCase()).some((word) => named.has(word));
  return has(form) && !others.some(has) ? error : undefined;
}

function workedInstead(run: CommandRun, form: string): boolean {
  return (
    run.is_error === 0 &&
    !WRONG_USE.test(errorLine(run.output)) &&
    formsOf(run.command).some((other) => isOtherForm(other, form))
  );
}

/** Whether a command is another form of one that failed. */
export function isOtherForm(other: string, form: string): boolean {
  return commandKey(other) !== commandKey(form) && commandOverlap(other, form) >= MOSTLY_SAME;
}
