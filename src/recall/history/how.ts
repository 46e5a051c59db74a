// How a command or a tool was run here, and how often that worked.
import type { Db } from "../../store/db/driver.ts";
import type { Scope } from "../../store/reads/scope.ts";
import {
  commandsHolding,
  type FoundUse,
  newestUses,
  type UsesFound,
  usesOfTools,
} from "../../store/fts/tool-search.ts";
import { errorLine } from "../../core/error-text.ts";
import { commandForm, splitCommand } from "../../core/shell-command.ts";
import { commandOf } from "./tool-line.ts";

export interface CommandUse {
  /** What the runs have in common. */
  command: string;
  runs: number;
  succeeded: number;
  last: FoundUse;
  /** As it was typed when it last worked. */
  lastSuccess?: { use: FoundUse; command: string };
  lastFailure?: { use: FoundUse; command: string; error: string };
}

export interface ToolHabit {
  name: string;
  runs: number;
  succeeded: number;
  last: FoundUse;
  /** Inputs it lately worked with, all different. */
  inputs: FoundUse[];
  lastFailure?: { use: FoundUse; error: string };
}

export interface Uses {
  commands: CommandUse[];
  tools: ToolHabit[];
  /** Of a large store only what is newer was looked at: of commands, of tools. */
  since: { commands?: number | undefined; tools?: number | undefined };
}

const MAX_WORDS = 20;
const MAX_USES = 3_000;
const INPUTS_SHOWN = 3;

export function findUses(db: Db, text: string, scope: Scope, limit: number): Uses {
  const words = text.replaceAll("\0", " ").toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  if (words.length === 0) return { commands: [], tools: [], since: {} };
  const ran = usesOfCommands(db, words, scope);
  const called = usesOfTools(db, words, scope, MAX_USES);
  return {
    commands: commandUses(ran.uses, words).slice(0, limit),
    tools: toolHabits(called.uses).slice(0, limit),
    since: { commands: ran.since, tools: called.since },
  };
}

function usesOfCommands(db: Db, words: readonly string[], scope: Scope): UsesFound {
  const indexed = newestUses(db, words, scope, MAX_USES);
  return indexed.uses.some((use) => use.name === "Bash")
    ? indexed
    : commandsHolding(db, longest(words), scope, MAX_USES);
}

function commandUses(uses: readonly FoundUse[], words: readonly string[]): CommandUse[] {
  const groups = new Map<string, { nearness: number; group: CommandUse }>();
  for (const use of uses) {
    // Without an exit code a failed command was denied, interrupted or never run.
    if (use.name !== "Bash" || (use.is_error && use.exit_code === null)) continue;
    const typed = commandOf(use.input);
    const part = typed === undefined ? undefined : bestPart(typed, words);
    if (typed === undefined || part === undefined) continue;
    const form = commandForm(part.text);
    const known = groups.get(form) ?? {
      nearness: part.nearness,
      group: { command: form, runs: 0, succeeded: 0, last: use },
    };
    note(known.group, use, part.text);
    groups.set(form, known);
  }
  const found = [...groups.values()];
  // "grep vitest" is not how vitest is run, as long as there is something better.
  const near = found.filter(({ nearness }) => nearness > 1);
  return (near.length > 0 ? near : found)
    .sort((a, b) => b.nearness - a.nearness || byRecord(a.group, b.group))
    .map(({ group }) => group);
}

function byRecord(a: CommandUse, b: CommandUse): number {
  return b.succeeded - a.succeeded || b.last.created_at - a.last.created_at;
}

/** Uses come newest first: the first of each kind is the last one that happened. */
function note(group: CommandUse, use: FoundUse, command: string): void {
  group.runs += 1;
  if (use.created_at > group.last.created_at) group.last = use;
  if (use.is_error) group.lastFailure ??= { use, command, error: errorLine(use.output ?? "") };
  else {
    group.succeeded += 1;
    group.lastSuccess ??= { use, command };
  }
}

/** The single command in a line that has all the words: 3 where it begins with them, 2 where it is about them, 1 elsewhere. */
function bestPart(command: string, words: readonly string[]): { text: string; nearness: number } | undefined {
  const parts = splitCommand(command)
    .filter((part) => words.every((word) => part.toLowerCase().includes(word)))
    .map((text) => ({ text, nearness: nearnessOf(text.toLowerCase(), words) }));
  return parts.sort((a, b) => b.nearness - a.nearness)[0];
}

function nearnessOf(part: string, words: readonly string[]): number {
  if (part.startsWith(words.join(" "))) return 3;
  const leading = part
    .split(/\s+/)
    .filter((word) => !word.startsWith("-"))
    .slice(0, 3);
  const [first = ""] = words;
  if (/^(?:grep|rg|cat|echo|ls|find|sed|which|head|tail)\b/.test(part) && !part.startsWith(first)) return 1;
  return leading.some((word) => word.includes(first)) ? 2 : 1;
}

function toolHabits(found: readonly FoundUse[]): ToolHabit[] {
  const byName = Map.groupBy(found, ({ name }) => name);
  return [...byName]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name, uses]) => {
      const failure = uses.find((use) => use.is_error);
      const different = new Map<string, FoundUse>();
      for (const use of uses) if (!use.is_error && !different.has(use.input)) different.set(use.input, use);
      return {
        name,
        runs: uses.length,
        succeeded: uses.filter((use) => !use.is_error).length,
        last: uses[0] as FoundUse,
        inputs: [...different.values()].slice(0, INPUTS_SHOWN),
        ...(failure !== undefined && { lastFailure: { use: failure, error: errorLine(failure.output ?? "") } }),
      };
    });
}

function longest(words: readonly string[]): string {
  return words.toSorted((a, b) => b.length - a.length)[0] ?? "";
}
