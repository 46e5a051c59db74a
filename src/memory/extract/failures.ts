// Finds failed commands, failed edits and denied tool uses of a turn, and what made a failed command pass.
import { errorSubject, isDenial, lastError, errorMessage } from "../../core/error-text.ts";
import type { Observation } from "../../core/memory.ts";
import { clip, stripMarkdown } from "../../core/prose.ts";
import { commandHead, commandOverlap } from "../../core/shell-command.ts";
import { listText } from "../../core/text.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { baseName, isChangingUse } from "./changes.ts";
import { hasFailed, type Run, shownCommand } from "./commands.ts";
import { newObservation } from "./observation.ts";
import { testCounts } from "./test-results.ts";

interface Fix {
  failure: Run;
  success: Run;
  error: string;
  isSameCommand: boolean;
  /** Tool uses between failure and success that changed files. */
  edits: EvidenceToolUse[];
  files: string[];
  /** The last other command that passed between failure and success. */
  remedy: Run | undefined;
}

/** Commands that failed and later passed, if the reason is worth knowing. */
export function findFixes({ toolUses }: TurnEvidence, runs: readonly Run[]): Fix[] {
  return runs.flatMap((failure, index) => {
    if (!hasFailed(failure) || failure.purpose === "look") return [];
    const success = successOf(failure, runs.slice(index + 1));
    if (success === undefined) return [];
    const between = runs.slice(index + 1, runs.indexOf(success));
    if (between.some((run) => hasFailed(run) && run.key === failure.key)) return [];
    // Failing tests are routine. Only tests that could not run are worth an observation.
    if (failure.purpose === "test" && testCounts(failure.use.output) !== undefined) return [];
    const error = errorMessage(lastError(failure.use.output));
    if (error === undefined) return [];
    const edits = toolUses
      .slice(toolUses.indexOf(failure.use) + 1, toolUses.indexOf(success.use))
      .filter(isChangingUse);
    const changed = edits.flatMap((use) => use.files.filter(({ kind }) => kind !== "read").map(({ path }) => path));
    const head = commandHead(failure.command);
    const isOther = (run: Run): boolean => head === "" || commandHead(run.command) !== head;
    const fix: Fix = {
      failure,
      success,
      error,
      isSameCommand: success.key === failure.key,
      edits,
      files: [...new Set(changed)],
      remedy: between.findLast((run) => !run.use.isError && run.purpose !== "look" && isOther(run)),
    };
    return isWorthKnowing(fix) ? [fix] : [];
  });
}

/** A command with 60% of the same words counts as another attempt, if it is one of the next 8 that passed. */
const NEXT_FEW = 8;
const MOSTLY_SAME = 0.6;

function successOf(failure: Run, after: readonly Run[]): Run | undefined {
  const passed = after.filter((run) => !run.use.isError);
  const head = commandHead(failure.command);
  const soon = passed.slice(0, NEXT_FEW);
  return (
    passed.find((run) => run.key === failure.key) ??
    soon.find((run) => commandOverlap(failure.command, run.command) >= MOSTLY_SAME) ??
    (head === "" ? undefined : soon.find((run) => commandHead(run.command) === head))
  );
}

/** Wrong use of a command, a mistake that agents repeat: "unknown option '--foo'". */
const WRONG_USE =
  /unrecogni[sz]ed|unknown (?:option|command|flag|subcommand|argument)|unexpected argument|invalid (?:option|value|flag|choice)|command not found|not installed|deprecated|requires?\b|unsupported|missing script|EACCES|ECONNREFUSED|address already in use/i;

function isWorthKnowing({ failure, error, files, remedy, isSameCommand }: Fix): boolean {
  if (failure.purpose === "check" || /assert|expect(?:ed)?\b|received|toBe|toEqual/i.test(error)) return false;
  if (failure.purpose === "git") return /reject|protected|hook|denied|permission|remote:/i.test(error);
  // Compile errors are routine, too.
  if (failure.purpose === "build" && files.length > 0) return false;
  if (!isSameCommand) return files.length === 0 && WRONG_USE.test(error);
  return files.length > 0 || (remedy !== undefined && WRONG_USE.test(error));
}

export function fixObservation(fix: Fix): Observation {
  const { failure, success, error, files, edits, isSameCommand } = fix;
  return newObservation({
    type: "bugfix",
    title: titleOf(fix),
    narrative: `${shownCommand(failure.command)} failed: ${error.replace(/[.]$/, "")}. ${remedyText(fix)}`,
    facts: [`Error: ${error}`, `Passes: ${shownCommand(success.command)}`],
    concepts: isSameCommand ? ["problem-solution"] : ["problem-solution", "gotcha"],
    files: files.slice(0, 20),
    evidence: [failure.use.id, ...edits.slice(-4).map(({ id }) => id), success.use.id],
    origin: "tool",
    subject: errorSubject(error),
  });
}

const MAX_NAMED = 3;

function titleOf({ error, files, isSameCommand, remedy, success }: Fix): string {
  const what = clip(error.replaceAll("`", "'").replace(/[.]$/, ""), 64);
  if (files.length > 0) return `${what}: fixed in ${clip(files.slice(0, MAX_NAMED).map(baseName).join(", "), 40)}`;
  const by = clip((isSameCommand ? remedy?.key : success.key) ?? "", 40).replaceAll("`", "'");
  return `${what}: ${isSameCommand ? "fixed by" : "use"} ${by}`;
}

function remedyText({ files, isSameCommand, remedy, success }: Fix): string {
  if (files.length > 0) return `It passed after changes to ${listText(files.map(baseName), MAX_NAMED)}.`;
  if (!isSameCommand) return `${shownCommand(success.command)} worked instead.`;
  return remedy === undefined ? "It passed later." : `It passed after ${shownCommand(remedy.command)}.`;
}

const ERROR_CHARS = 140;
const MAX_NOTES = 4;

/** For the summary's notes: "`npm test` failed (…), then passed after `npm install`". */
export function failureNotes({ toolUses }: TurnEvidence, runs: readonly Run[]): string[] {
  return [...failedCommands(runs), ...failedEdits(toolUses), ...deniedUses(toolUses)].slice(0, MAX_NOTES);
}

function failedCommands(runs: readonly Run[]): string[] {
  const work = runs.filter(({ purpose }) => purpose !== "look" && purpose !== "run");
  // The exit code is not enough: "npm test | tail" always exits with 0.
  const hasPassed = ({ use }: Run): boolean => !use.isError && (testCounts(use.output)?.failed ?? 0) === 0;
  const isFirst = (run: Run, index: number): boolean =>
    hasFailed(run) && work.findIndex((other) => hasFailed(other) && other.key === run.key) === index;
  return work.filter(isFirst).map((run) => {
    const start = work.indexOf(run) + 1;
    const line = errorMessage(stripMarkdown(lastError(run.use.output)));
    const reason = line === undefined ? "" : ` (${clip(line.replaceAll("`", "'"), ERROR_CHARS)})`;
    const failed = `${shownCommand(run.command)} failed${reason}`;
    const success = work.findIndex((one, index) => index >= start && one.key === run.key && hasPassed(one));
    if (success < 0) return failed;
    const remedy = work.slice(start, success).findLast((one) => one.key !== run.key && !one.use.isError);
    return `${failed}, then passed${remedy === undefined ? "" : ` after ${shownCommand(remedy.command)}`}`;
  });
}

function failedEdits(toolUses: readonly EvidenceToolUse[]): string[] {
  const failed = toolUses.filter(
    ({ name, isError, input }) =>
      /^(?:Edit|MultiEdit|Write|NotebookEdit)$/.test(name) && isError && typeof input["file_path"] === "string",
  );
  return [...Map.groupBy(failed, ({ input }) => String(input["file_path"]))].map(([path, uses]) => {
    const reason = stripMarkdown(uses[0]?.output.replace(/<\/?tool_use_error>/g, "").split("\n", 1)[0] ?? "");
    const times = uses.length === 1 ? "" : ` ${uses.length} times`;
    return `Editing ${baseName(path)} failed${times}${reason === "" ? "" : `: ${clip(reason, ERROR_CHARS)}`}`;
  });
}

function deniedUses(toolUses: readonly EvidenceToolUse[]): string[] {
  return toolUses
    .filter(({ isError, output }) => isError && isDenial(output))
    .slice(0, 2)
    .map(({ name, input: { command } }) => {
      return `The user turned down ${typeof command === "string" ? shownCommand(command) : `a use of ${name}`}`;
    });
}
