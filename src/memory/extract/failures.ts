// Finds failed commands, failed edits and denied tool uses of a turn, and what made a failed command pass.
import { errorMessage, isDenial, lastError } from "../../core/error-text.ts";
import { clip, stripMarkdown } from "../../core/prose.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { baseName } from "./changes.ts";
import { hasFailed, type Run, shownCommand } from "./commands.ts";
import { testCounts } from "./test-results.ts";

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
