// Says which of the commands in one shell line worked, failed or did not run: "cd a && npm ci && npm test" has one exit
// code for three commands.
import { errorLine, isErrorLine } from "../../core/error-text.ts";
import { type CommandPart, splitChain, withoutPrelude } from "../../core/shell-command.ts";

/** skipped: it did not run. unclear: the exit code belongs to another command of the line. */
export type Outcome = "worked" | "failed" | "skipped" | "unclear";

export interface CommandResult {
  is_error: number;
  exit_code: number | null;
  output: string | null;
}

export interface PartOutcome {
  command: string;
  outcome: Outcome;
}

/** An exit code other than 0 counts even if the agent did not mark the result as an error. */
export function hasFailed({ is_error, exit_code }: Pick<CommandResult, "is_error" | "exit_code">): boolean {
  return is_error === 1 || (exit_code ?? 0) !== 0;
}

/** Loops and conditions: which commands ran, and how often, is unknown. */
const CONTROL = /(?:^|[;&|\n]\s*)(?:for|while|until|if|case|function)\s|\b(?:bash|sh|zsh|ssh|eval)\s+(?:-\w*c\b|["'])/;
/** Commands that hardly ever fail: of several commands another one failed. */
const RARELY_FAILS =
  /^(?:cd|echo|printf|true|:|export|source|\.|set|unset|alias|sleep|pwd|mkdir|pushd|popd|date|clear)(?:\s|$)/;
/** Commands that only show the end, a part or a count of another command's output. */
const FILTER =
  /^(?:tail|head|cat|tee|less|more|sort|uniq|wc|cut|tr|column|sed|awk|jq|nl|fold|ts|grep|rg|egrep)(?:\s|$)/;
/** After "|" these never fail: with `pipefail` the exit code is that of the command before. */
const PASSES_ON = /^(?:tail|head|cat|tee|less|more|sort|uniq|wc|cut|tr|column)(?:\s|$)/;
/** Commands whose exit code 1 without output means: nothing found, not equal. */
const FINDS_NOTHING =
  /^(?:(?:git )?grep|rg|ag|egrep|fgrep|diff|cmp|test|\[|pgrep|which|type|command -v|git diff|git config|ls)(?:\s|$)/;

/** The parts of a line in order, each with its outcome. */
export function partOutcomes(line: string, result: CommandResult): PartOutcome[] {
  const parts = splitChain(line).map((part) => ({ ...part, command: withoutPrelude(part.command) }));
  const failed = hasFailed(result);
  const outcomes =
    CONTROL.test(line) && (failed || parts.length > 1)
      ? parts.map((): Outcome => "unclear")
      : failed
        ? ofFailure(parts, result)
        : ofSuccess(parts, result);
  return parts.map(({ command }, index) => ({ command, outcome: outcomes[index] ?? "unclear" }));
}

/** The line's exit code is that of the last pipeline that ran. */
function ofSuccess(parts: readonly CommandPart[], { output }: CommandResult): Outcome[] {
  const outcomes: Outcome[] = parts.map(() => "unclear");
  const pipelines = parts.filter(({ operator, command }) => operator === "|" && FILTER.test(command)).length;
  const isBad = pipelines > 0 && printsFailure(output ?? "");
  for (let index = parts.length - 1; index >= 0; index--) {
    const next = parts[index + 1];
    const piped = next?.operator === "|" && FILTER.test(next.command) && outcomes[index + 1] !== "unclear";
    // "npm test | tail" has the exit code of tail. Its output tells whether the tests passed.
    if (next === undefined) outcomes[index] = "worked";
    else if (piped) outcomes[index] = !isBad ? "worked" : pipelines === 1 ? "failed" : "unclear";
    else if (next.operator === "&&" && outcomes[index + 1] !== "unclear") outcomes[index] = "worked";
    else break;
  }
  // "a || b" worked: a failed and b worked, or b did not run.
  const or = parts.findIndex(({ operator }) => operator === "||");
  return or < 0 ? outcomes : outcomes.map((outcome, index) => (index > lastBefore(parts, "||") ? outcome : "unclear"));
}

const TAIL_CHARS = 2_000;
/** Checked first: ten times as fast. */
const MAYBE_FAILURE = /fail|err|exited|elifecycle|not found|no such/i;
const FILTERED_FAILURE =
  /\b[1-9]\d* (?:tests? |suites? |specs? )?(?:failed|failing|fail)\b|\bTests?:? +[1-9]\d* failed|exited? with (?:code|status) [1-9]|\bELIFECYCLE\b|^(?:npm ERR!|npm error) |: error TS\d+:|^error(?:\[\w+\])?: |^FAIL(?:ED|URE)?\b|\bFound [1-9]\d* errors?\b|command not found|: No such file or directory$/m;

/** Whether the end of an output says that something failed: the exit code of a pipeline does not. */
export function printsFailure(output: string): boolean {
  const tail = output.slice(-TAIL_CHARS);
  return MAYBE_FAILURE.test(tail) && FILTERED_FAILURE.test(tail) && errorLine(tail) !== "";
}

function lastBefore(parts: readonly CommandPart[], operator: CommandPart["operator"]): number {
  return parts.findLastIndex((part) => part.operator === operator);
}

function ofFailure(parts: readonly CommandPart[], result: CommandResult): Outcome[] {
  const { exit_code: exitCode, output } = result;
  // The commands that can have failed are those after the last ";": earlier ones do not decide the exit code.
  const from = parts.findLastIndex(({ operator }) => operator === ";" || operator === "\n" || operator === "&");
  const first = Math.max(0, from);
  const isCandidate = ({ command, operator }: CommandPart): boolean =>
    !RARELY_FAILS.test(command) && !(operator === "|" && PASSES_ON.test(command));
  const candidates = parts.flatMap((part, index) => (index >= first && isCandidate(part) ? [index] : []));
  const last = parts.length - 1;
  const failedAt = candidates.length <= 1 ? (candidates[0] ?? last) : namedIn(parts, candidates, output ?? "");
  if (failedAt === undefined) return parts.map(() => "unclear");
  const failing = parts[failedAt] as CommandPart;
  const nothing = exitCode === 1 && FINDS_NOTHING.test(failing.command) && !hasErrorOutput(output ?? "");
  return parts.map((part, index): Outcome => {
    if (index === failedAt) return nothing ? "worked" : "failed";
    if (index < first) return "unclear";
    if (index > failedAt) return part.operator === "&&" || part.operator === "|" ? skippedOrFed(part) : "unclear";
    // Everything before it in "a && b && c" worked.
    const between = parts.slice(index + 1, failedAt + 1);
    return between.every(({ operator }) => operator === "&&") ? "worked" : "unclear";
  });
}

function skippedOrFed({ operator }: CommandPart): Outcome {
  return operator === "&&" ? "skipped" : "unclear";
}

function hasErrorOutput(output: string): boolean {
  return output.split("\n").some((line) => isErrorLine(line.trim()));
}

/** The part that the error names; undefined if it names none or several. */
function namedIn(parts: readonly CommandPart[], candidates: readonly number[], output: string): number | undefined {
  const error = errorLine(output).toLowerCase();
  // "git: 'pusj' is not a git command", "error: script "lint" exited with code 1", "sh: tsc: command not found"
  const words = new Set(error.split(/[^\w@./-]+/).map((word) => word.replace(/^[./]+|[.:]+$/g, "")));
  const tail = output.slice(-TAIL_CHARS).toLowerCase();
  const scores = candidates.map((index) => {
    const names = namesOf(parts[index]?.command ?? "");
    const isProgram = error.startsWith(`${names[0] ?? ""}:`);
    return { index, score: (isProgram ? 2 : 0) + names.filter((name) => words.has(name)).length };
  });
  const best = scores.toSorted((a, b) => b.score - a.score);
  if ((best[0]?.score ?? 0) > (best[1]?.score ?? 0)) return best[0]?.index;
  // The runner of a script names it: "$ eslint src", "script "lint" exited".
  const scripts = candidates.filter((index) => {
    const script = namesOf(parts[index]?.command ?? "").at(-1) ?? "";
    return new RegExp(String.raw`(?:script|task|target|recipe)[^\n]{0,20}["'\`]${escape(script)}["'\`]`).test(tail);
  });
  return scripts.length === 1 ? scripts[0] : undefined;
}

function escape(text: string): string {
  return text.replace(/[^\w]/g, String.raw`\$&`);
}

const MAX_NAMES = 4;

/** "bun run lint --fix src/a.ts" -> ["bun", "lint"]: the program, its subcommand or script, its file names. */
function namesOf(command: string): string[] {
  const words = command
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => /^[\w@./-]+$/.test(word) && !word.startsWith("-"));
  return words
    .map((word) => word.slice(word.lastIndexOf("/") + 1))
    .filter((word) => word.length > 1 && word !== "run" && word !== "exec")
    .slice(0, MAX_NAMES);
}
