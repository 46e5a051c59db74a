// Commands that failed and later passed, and what was done in between: what one would otherwise find out twice.
import { errorSubject, lastError, telling } from "../../core/error-text.ts";
import type { Observation } from "../../core/memory.ts";
import { commandHead } from "../../core/shell-command.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { baseName } from "./changes.ts";
import { hasFailed, type Run, shownCommand } from "./commands.ts";
import { clip } from "../../core/prose.ts";
import type { Statement } from "./statements.ts";
import { testCounts } from "./tests.ts";

export interface Fix {
  failure: Run;
  success: Run;
  error: string;
  isSameCommand: boolean;
  /** Files changed between the two, and the tool uses that did it. */
  files: string[];
  edits: string[];
  /** The last command between the two that did more than look. */
  remedy: Run | undefined;
}

/** A command among the next few that is mostly the same words is the same thing tried another way. */
const SOON = 8;
const MOSTLY_SAME = 0.6;

export function fixesOf(evidence: TurnEvidence, runs: readonly Run[]): Fix[] {
  const fixes: Fix[] = [];
  for (const [index, failure] of runs.entries()) {
    if (!hasFailed(failure) || failure.purpose === "look") continue;
    const after = runs.slice(index + 1);
    const success = successOf(failure, after);
    if (success === undefined) continue;
    // Of the same failure again and again only the last one was mended.
    const isLast = !after.some(
      (run) =>
        hasFailed(run) &&
        run.key === failure.key &&
        evidence.toolUses.indexOf(run.use) < evidence.toolUses.indexOf(success.use),
    );
    // Tests that fail and are made to pass are the work itself; one that cannot even be run is news.
    if (failure.purpose === "test" && testCounts(failure.use.output) !== undefined) continue;
    const error = telling(lastError(failure.use.output));
    if (isLast && error !== undefined) fixes.push(describe(evidence, runs, failure, success, error));
  }
  return fixes.filter(isWorthKnowing);
}

/** A command that failed before anything was changed, and its success once something was: the work was to mend it. */
export function fixingRun(evidence: TurnEvidence, runs: readonly Run[]): Pick<Fix, "failure" | "success"> | undefined {
  const places = evidence.toolUses.map((use) => !use.isError && use.files.some((file) => file.kind !== "read"));
  const [firstEdit, lastEdit] = [places.indexOf(true), places.lastIndexOf(true)];
  const isBefore = (run: Run, edit: number): boolean => evidence.toolUses.indexOf(run.use) < edit;
  const failure = runs.find((run) => hasFailed(run) && MENDED.has(run.purpose) && isBefore(run, firstEdit));
  const success = runs.findLast((run) => run.key === failure?.key && !hasFailed(run) && !isBefore(run, lastEdit));
  return failure === undefined || success === undefined ? undefined : { failure, success };
}

const MENDED: ReadonlySet<Run["purpose"]> = new Set(["test", "build", "run"]);

function successOf(failure: Run, after: readonly Run[]): Run | undefined {
  const passed = after.filter((run) => !run.use.isError);
  const same = passed.find((run) => run.key === failure.key);
  if (same !== undefined) return same;
  const head = commandHead(failure.command);
  const words = wordsOf(failure);
  return (
    passed.slice(0, SOON).find((run) => shareOf(words, wordsOf(run)) >= MOSTLY_SAME) ??
    (head === "" ? undefined : passed.slice(0, SOON).find((run) => commandHead(run.command) === head))
  );
}

function wordsOf(run: Run): Set<string> {
  return new Set(run.key.split(" ").filter(Boolean));
}

function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  return both / Math.max(1, a.size, b.size);
}

function describe(evidence: TurnEvidence, runs: readonly Run[], failure: Run, success: Run, error: string): Fix {
  const from = evidence.toolUses.indexOf(failure.use);
  const to = evidence.toolUses.indexOf(success.use);
  const between = evidence.toolUses.slice(from + 1, to);
  const edits = between.filter((use) => !use.isError && use.files.some((file) => file.kind !== "read"));
  const head = commandHead(failure.command);
  return {
    failure,
    success,
    error,
    isSameCommand: success.key === failure.key,
    files: [
      ...new Set(edits.flatMap((use) => use.files.filter((file) => file.kind !== "read").map((file) => file.path))),
    ],
    edits: edits.map((use) => use.id),
    remedy: runs.findLast(
      (run) =>
        between.includes(run.use) &&
        !run.use.isError &&
        run.purpose !== "look" &&
        (head === "" || commandHead(run.command) !== head),
    ),
  };
}

/** What one gets wrong again the next time, unless it was written down. */
const WRONG_USE =
  /unrecogni[sz]ed|unknown (?:option|command|flag|subcommand|argument)|unexpected argument|invalid (?:option|value|flag|choice)|command not found|not installed|deprecated|requires?\b|unsupported|missing script|EACCES|ECONNREFUSED|address already in use/i;

/** A formatter's complaint and a test that was to fail first are everyday work. */
function isWorthKnowing(fix: Fix): boolean {
  if (fix.failure.purpose === "check") return false;
  if (/assert|expect(?:ed)?\b|received|toBe|toEqual/i.test(fix.error)) return false;
  if (fix.failure.purpose === "git") return /reject|protected|hook|denied|permission|remote:/i.test(fix.error);
  if (!fix.isSameCommand) return fix.files.length > 0 ? fix.failure.purpose !== "run" : WRONG_USE.test(fix.error);
  return fix.files.length > 0 || fix.remedy !== undefined;
}

const MAX_FILES = 3;

/** `causes`: sentences of the assistant's that say why things failed. */
export function fixObservation(fix: Fix, causes: readonly Statement[], evidence: TurnEvidence): Observation {
  const { failure, success, error, files } = fix;
  const cause = causeOf(fix, causes, evidence);
  const named = files
    .slice(0, MAX_FILES)
    .map((path) => baseName(path))
    .join(", ");
  const remedy = remedyOf(fix, named);
  return {
    type: "bugfix",
    title: titleOf(fix, named),
    narrative: [`${shownCommand(failure.command)} failed: ${error.replace(/[.]$/, "")}.`, cause?.text, remedy]
      .filter(Boolean)
      .join(" "),
    facts: [`Error: ${error}`, `Passes: ${shownCommand(success.command)}`],
    concepts: fix.isSameCommand ? ["problem-solution"] : ["problem-solution", "gotcha"],
    files: files.slice(0, 20),
    evidence: [failure.use.id, ...fix.edits.slice(-4), ...(cause === undefined ? [] : [cause.id]), success.use.id],
    origin: cause === undefined ? "tool" : "assistant",
    subject: errorSubject(error),
  };
}

function titleOf(fix: Fix, named: string): string {
  const error = clip(fix.error.replaceAll("`", "'").replace(/[.]$/, ""), 64);
  if (named !== "") return `${error}: fixed in ${clip(named, 40)}`;
  const by = clip((fix.isSameCommand ? fix.remedy?.key : fix.success.key) ?? "", 40).replaceAll("`", "'");
  return fix.isSameCommand ? `${error}: fixed by ${by}` : `${error}: use ${by}`;
}

function remedyOf(fix: Fix, named: string): string {
  const more = fix.files.length > MAX_FILES ? ` and ${fix.files.length - MAX_FILES} more` : "";
  if (named !== "") return `It passed after changes to ${named}${more}.`;
  if (!fix.isSameCommand) return `${shownCommand(fix.success.command)} worked instead.`;
  return fix.remedy === undefined ? "It passed later." : `It passed after ${shownCommand(fix.remedy.command)}.`;
}

/** What was said between the failure and the success of why it failed. */
function causeOf(fix: Fix, causes: readonly Statement[], evidence: TurnEvidence): Statement | undefined {
  const said = new Set(
    evidence.messages.filter(({ at }) => at >= fix.failure.use.at && at <= fix.success.use.at).map(({ id }) => id),
  );
  return causes.find((statement) => said.has(statement.id));
}
