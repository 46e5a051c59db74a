// What stood in the way: failures that cost time, and how they were got around. For the notes, not for a note of its own.
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { baseName } from "./changes.ts";
import { hasFailed, type Run, shownCommand } from "./commands.ts";
import { lastError, telling } from "../../core/error-text.ts";
import { clip, plain } from "../../core/prose.ts";
import { testCounts } from "./tests.ts";

const ERROR_CHARS = 140;
const MAX_FRICTIONS = 4;

export function frictionsOf(evidence: TurnEvidence, runs: readonly Run[]): string[] {
  return [...failedCommands(runs), ...failedEdits(evidence), ...turnedDown(evidence)].slice(0, MAX_FRICTIONS);
}

function failedCommands(runs: readonly Run[]): string[] {
  const worthTelling = runs.filter(({ purpose }) => purpose !== "look" && purpose !== "run");
  const seen = new Set<string>();
  return worthTelling.flatMap((run, index) => {
    if (!hasFailed(run) || seen.has(run.key)) return [];
    seen.add(run.key);
    const after = worthTelling.slice(index + 1);
    const success = after.find((one) => one.key === run.key && hasPassed(one));
    const error = errorText(run.use.output);
    const failed = `${shownCommand(run.command)} failed${error === "" ? "" : ` (${error})`}`;
    if (success === undefined) return [failed];
    const remedy = worthTelling
      .slice(index + 1, worthTelling.indexOf(success))
      .findLast((one) => one.key !== run.key && !one.use.isError);
    return [
      remedy === undefined ? `${failed}, then passed` : `${failed}, then passed after ${shownCommand(remedy.command)}`,
    ];
  });
}

/** Cut short by a pipe, a command ends well whatever its tests said. */
function hasPassed({ use }: Run): boolean {
  return !use.isError && (testCounts(use.output)?.failed ?? 0) === 0;
}

function errorText(output: string): string {
  const line = telling(plain(lastError(output)));
  return line === undefined ? "" : clip(line.replaceAll("`", "'"), ERROR_CHARS);
}

function failedEdits(evidence: TurnEvidence): string[] {
  const failed = evidence.toolUses.filter(
    ({ name, isError, input }) =>
      /^(?:Edit|MultiEdit|Write|NotebookEdit)$/.test(name) && isError && typeof input["file_path"] === "string",
  );
  return [...Map.groupBy(failed, ({ input }) => String(input["file_path"])).entries()].map(([path, uses]) => {
    const reason = plain(uses[0]?.output.replace(/<\/?tool_use_error>/g, "").split("\n", 1)[0] ?? "");
    const times = uses.length === 1 ? "" : ` ${uses.length} times`;
    return `Editing ${baseName(path)} failed${times}${reason === "" ? "" : `: ${clip(reason, ERROR_CHARS)}`}`;
  });
}

function turnedDown(evidence: TurnEvidence): string[] {
  const denied = evidence.toolUses.filter(
    ({ isError, output }) => isError && /^The user doesn't want to (?:proceed|take this action)/.test(output),
  );
  return denied.slice(0, 2).map(({ name, input }) => {
    const command = input["command"];
    return `The user turned down ${typeof command === "string" ? shownCommand(command) : `a use of ${name}`}`;
  });
}
