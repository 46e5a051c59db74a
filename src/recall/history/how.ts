// Counts how a command or a tool was used, and how often it worked.
import { errorLine } from "../../core/error-text.ts";
import { commandForm, splitCommand } from "../../core/shell-command.ts";
import type { Db } from "../../store/db/driver.ts";
import { recentCommandsContaining, type FoundUse, newestUses, recentUsesOfTools } from "../../store/fts/tool-search.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { commandOf } from "./tool-line.ts";

interface UseCount {
  runs: number;
  succeeded: number;
  last: FoundUse;
}

export interface CommandUse extends UseCount {
  /** The part that all runs share. */
  command: string;
  /** As typed when it last worked. */
  lastSuccess?: { use: FoundUse; command: string };
  lastFailure?: { use: FoundUse; command: string; error: string };
}

export interface ToolHabit extends UseCount {
  name: string;
  /** The latest different inputs that worked. */
  inputs: FoundUse[];
  lastFailure?: { use: FoundUse; error: string };
}

const MAX_WORDS = 20;
const MAX_USES = 3_000;
const INPUTS_SHOWN = 3;

export function findUses(db: Db, text: string, scope: Scope, limit: number) {
  const words = text.replaceAll("\0", " ").toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  if (words.length === 0) return { commands: [], tools: [], since: {} };
  const indexed = newestUses(db, words, scope, MAX_USES);
  const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? "";
  const isIndexed = indexed.uses.some((use) => use.name === "Bash");
  const commands = isIndexed ? indexed : recentCommandsContaining(db, longest, scope, MAX_USES);
  const tools = recentUsesOfTools(db, words, scope, MAX_USES);
  return {
    commands: countCommands(commands.uses, words).slice(0, limit),
    tools: countTools(tools.uses).slice(0, limit),
    /** In a large store only uses from then on were searched. */
    since: { commands: commands.since, tools: tools.since },
  };
}

/** `uses`: newest first. */
function countCommands(uses: readonly FoundUse[], words: readonly string[]): CommandUse[] {
  const counts = new Map<string, { closeness: number; found: CommandUse }>();
  for (const use of uses) {
    // A failed command without an exit code was denied, interrupted or never run.
    if (use.name !== "Bash" || (use.is_error && use.exit_code === null)) continue;
    const part = bestPart(commandOf(use.input) ?? "", words);
    if (part === undefined) continue;
    const { command, closeness } = part;
    const form = commandForm(command);
    const entry = counts.get(form) ?? { closeness, found: { command: form, runs: 0, succeeded: 0, last: use } };
    counts.set(form, entry);
    const { found } = entry;
    found.runs += 1;
    if (use.created_at > found.last.created_at) found.last = use;
    if (use.is_error) found.lastFailure ??= { use, command, error: errorLine(use.output ?? "") };
    else {
      found.succeeded += 1;
      found.lastSuccess ??= { use, command };
    }
  }
  const all = [...counts.values()];
  // "grep vitest" is not how vitest is run: listed only if there is nothing else.
  const near = all.filter(({ closeness }) => closeness > 1);
  return (near.length > 0 ? near : all)
    .sort((a, b) => b.closeness - a.closeness || byRecord(a.found, b.found))
    .map(({ found }) => found);
}

function byRecord(a: CommandUse, b: CommandUse): number {
  return b.succeeded - a.succeeded || b.last.created_at - a.last.created_at;
}

/** The single command of a line that has all the words. "cd a && npm test" -> "npm test" */
function bestPart(line: string, words: readonly string[]): { command: string; closeness: number } | undefined {
  const parts = splitCommand(line)
    .filter((part) => words.every((word) => part.toLowerCase().includes(word)))
    .map((command) => ({ command, closeness: closenessOf(command.toLowerCase(), words) }));
  return parts.sort((a, b) => b.closeness - a.closeness)[0];
}

/** 3: the command begins with the words; 2: one of its first three words has the first of them; 1: anything else. */
function closenessOf(command: string, words: readonly string[]): number {
  const [first = ""] = words;
  if (command.startsWith(words.join(" "))) return 3;
  if (/^(?:grep|rg|cat|echo|ls|find|sed|which|head|tail)\b/.test(command) && !command.startsWith(first)) return 1;
  const leading = command.split(/\s+/).filter((word) => !word.startsWith("-"));
  return leading.slice(0, 3).some((word) => word.includes(first)) ? 2 : 1;
}

function countTools(found: readonly FoundUse[]): ToolHabit[] {
  const byName = [...Map.groupBy(found, ({ name }) => name)].sort(([, a], [, b]) => b.length - a.length);
  return byName.map(([name, uses]) => {
    const passed = uses.filter((use) => !use.is_error);
    const failure = uses.find((use) => use.is_error);
    const different = [...Map.groupBy(passed, ({ input }) => input).values()].map(([use]) => use as FoundUse);
    return {
      name,
      runs: uses.length,
      succeeded: passed.length,
      last: uses[0] as FoundUse,
      inputs: different.slice(0, INPUTS_SHOWN),
      ...(failure !== undefined && { lastFailure: { use: failure, error: errorLine(failure.output ?? "") } }),
    };
  });
}
