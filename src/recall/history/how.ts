// Counts how a command or a tool was used, and how often it worked.
import { errorLine } from "../../core/error-text.ts";
import { commandForm, splitCommand } from "../../core/shell-command.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  recentCommandsContaining,
  type ToolUseEntry,
  newestUses,
  recentUsesOfTools,
} from "../../store/fts/tool-search.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { hasFailed, type Outcome, partOutcomes } from "./command-outcomes.ts";
import { commandOf } from "./tool-line.ts";

export type CommandUse = ReturnType<typeof countCommands>[number];
export type ToolUsage = ReturnType<typeof countTools>[number];

const MAX_WORDS = 20;
const MAX_USES = 3_000;
const INPUTS_SHOWN = 3;

export function findUses(db: Db, text: string, scope: Scope, limit: number) {
  const words = askedWords(text);
  if (words.length === 0) return { commands: [], tools: [], isTool: false, since: {} };
  const indexed = newestUses(db, words, scope, MAX_USES);
  const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? "";
  const isIndexed = indexed.uses.some((use) => use.name === "Bash");
  const commands = isIndexed ? indexed : recentCommandsContaining(db, longest, scope, MAX_USES);
  const tools = recentUsesOfTools(db, words, scope, MAX_USES);
  const counted = countTools(tools.uses).slice(0, limit);
  const isTool = counted.some(({ name }) => name.toLowerCase() === words.join(" "));
  return {
    commands: countCommands(commands.uses, words)
      .filter(({ closeness }) => !isTool || closeness === BEGINS)
      .slice(0, limit),
    tools: counted,
    /** Whether the text is the name of a tool: then the tool is listed first. */
    isTool,
    /** Set if only uses from that time on were searched. */
    since: { commands: commands.since, tools: tools.since },
  };
}

/** "cd web && npm test" asks for "npm test". */
function askedWords(text: string): string[] {
  const asked = text.replaceAll("\0", " ").toLowerCase();
  const parts = /&&|;|\|/.test(asked) ? splitCommand(asked).filter((part) => !/^cd\s/.test(part)) : [];
  return (parts[0] ?? asked).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
}

interface Run {
  use: ToolUseEntry;
  outcome: Outcome;
}

/** `uses`: newest first. */
function countCommands(uses: readonly ToolUseEntry[], words: readonly string[]) {
  const runs = uses.flatMap((use) => {
    // A failed command without an exit code was denied, interrupted or never started.
    if (use.name !== "Bash" || (use.is_error && use.exit_code === null)) return [];
    const part = bestPart(use, words);
    return part === undefined || part.outcome === "skipped" ? [] : [{ use, ...part }];
  });
  const commands = [...Map.groupBy(runs, ({ command }) => commandForm(command))].map(([command, group]) => ({
    /** The form that all runs share: without long texts. */
    command,
    closeness: group[0]?.closeness ?? 0,
    ...countRuns(group),
    /** The latest run that passed. */
    lastSuccess: group.find(({ outcome }) => outcome === "worked"),
  }));
  // "grep vitest" does not show how to run vitest: list it only if nothing else matches.
  const near = commands.filter(({ closeness }) => closeness > 1);
  return (near.length > 0 ? near : commands).sort(
    (a, b) => b.closeness - a.closeness || b.succeeded - a.succeeded || b.last.created_at - a.last.created_at,
  );
}

/** `runs`: newest first. */
function countRuns<One extends Run>(runs: readonly One[]) {
  const failure = runs.find(({ outcome }) => outcome === "failed");
  return {
    runs: runs.length,
    succeeded: runs.filter(({ outcome }) => outcome === "worked").length,
    unclear: runs.filter(({ outcome }) => outcome === "unclear").length,
    last: (runs[0] as One).use,
    lastFailure: failure && { ...failure, error: errorLine(failure.use.output ?? "") },
  };
}

/** The command of a line that contains all the words: "cd a && npm test" -> "npm test" for "npm". */
function bestPart(use: ToolUseEntry, words: readonly string[]) {
  const line = commandOf(use.input) ?? "";
  const lower = line.toLowerCase();
  if (!words.every((word) => lower.includes(word))) return undefined;
  const parts = partOutcomes(line, use)
    .filter(({ command }) => words.every((word) => command.toLowerCase().includes(word)))
    .filter(({ command }) => words[0] === "cd" || !/^cd\s/.test(command))
    .map((part) => ({ ...part, closeness: closenessOf(part.command.toLowerCase(), words) }));
  return parts.toSorted((a, b) => b.closeness - a.closeness)[0];
}

const BEGINS = 3;

/** 3: the command begins with the words; 2: one of its first three words contains the first word; 1: otherwise. */
function closenessOf(command: string, words: readonly string[]): number {
  const [first = ""] = words;
  if (command.startsWith(words.join(" "))) return BEGINS;
  if (/^(?:grep|rg|cat|echo|ls|find|sed|which|head|tail)\b/.test(command) && !command.startsWith(first)) return 1;
  const leading = command.split(/\s+/).filter((word) => !word.startsWith("-"));
  return leading.slice(0, 3).some((word) => word.includes(first)) ? 2 : 1;
}

function countTools(found: readonly ToolUseEntry[]) {
  const byName = [...Map.groupBy(found, ({ name }) => name)].sort(([, a], [, b]) => b.length - a.length);
  return byName.map(([name, uses]) => {
    const passed = uses.filter((use) => !hasFailed(use));
    const different = [...Map.groupBy(passed, ({ input }) => input).values()].map(([use]) => use as ToolUseEntry);
    return {
      name,
      ...countRuns(uses.map((use) => ({ use, outcome: hasFailed(use) ? "failed" : "worked" }))),
      /** The latest inputs that passed, without repetitions. */
      inputs: different.slice(0, INPUTS_SHOWN),
    };
  });
}
