// c-mem how: how a command or a tool was run here, and how often that worked.
import { questionOf } from "../../queries/legacy.ts";
import { AppError } from "../../core/error.ts";
import { localDay } from "../../core/time.ts";
import { type CommandUse, findUses, type ToolHabit } from "../../recall/history/how.ts";
import { parseInput } from "../../recall/history/tool-line.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { type ShortId, shortIds } from "../../store/reads/short-ids.ts";
import type { FoundUse } from "../../store/fts/tool-search.ts";
import { columns, fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { iso } from "../../core/time.ts";
import { count } from "../../core/text.ts";
import { dim } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";
import { when } from "../../queries/session-text.ts";
import { paint } from "../../platform/terminal/style.ts";

const DEFAULT_LIMIT = 10;

export function run({ args, flags, json }: CommandOptions): number {
  const text = args.join(" ");
  if (text.trim() === "") throw new AppError("usage", "Say which command or tool.");
  return ask(flags, (asked) => {
    const { db } = asked;
    const { scope, limit, where } = questionOf(asked, DEFAULT_LIMIT);
    updateSearchIndex(db);
    const { commands, tools, since } = findUses(db, text, scope, limit);
    if (commands.length + tools.length === 0) {
      throw new AppError("nothing_found", `Nothing in ${where} ran a command or tool with ${fit(text, 100)}.`, {
        hint: [
          `Fewer words find more${scope.projectId === undefined ? "" : "; --all looks in every project"}.`,
          // Of commands that old, whole words would have been found.
          ...(since.tools === undefined
            ? []
            : [`Tools, and parts of words, were looked for only since ${localDay(since.tools)}.`]),
        ].join(" "),
      });
    }
    if (json) {
      const results = [
        ...commands.map((command) => ({ ...commandJson(command), counted_since: iso(since.commands) })),
        ...tools.map((tool) => ({ ...toolJson(tool), counted_since: iso(since.tools) })),
      ];
      printJson("how", { results }, { where });
      return EXIT.ok;
    }
    const shortId = shortIds(
      db,
      [...commands, ...tools].map(({ last }) => last.parent_session_id ?? last.session_id),
    );
    const works = commands.filter((command) => command.succeeded > 0);
    const never = commands.filter((command) => command.succeeded === 0);
    const commandLines = (found: CommandUse): string => commandText(found, shortId);
    const parts = [...works.map(commandLines), ...tools.map((tool) => toolText(tool, shortId))];
    if (never.length > 0) parts.push([paint("red", "Never worked"), ...never.map(commandLines)].join("\n"));
    print(parts.join("\n"));
    sayHowFar("commands", commands, since.commands);
    sayHowFar("tools", tools, since.tools);
    return EXIT.ok;
  });
}

/** Numbers that are not of all there is have to say so. */
function sayHowFar(what: string, found: readonly unknown[], since: number | undefined): void {
  if (found.length === 0 || since === undefined) return;
  say(`There is too much to look at all of it: ${what} were counted only since ${localDay(since)}.`);
}

function commandText(found: CommandUse, shortId: ShortId): string {
  return [
    `${mark(found)} ${paint("bold", fit(found.command, columns() - 2))}`,
    `    ${dim(record(found, shortId))}`,
    ...failureLines(found.lastFailure),
  ].join("\n");
}

function toolText(found: ToolHabit, shortId: ShortId): string {
  return [
    `${mark(found)} ${paint(["bold", "cyan"], fit(found.name, columns() - 2))}`,
    `    ${dim(record(found, shortId))}`,
    ...found.inputs.map((use) => `    ${fit(fieldsText(use.input), columns() - 14)}  ${dim(`t${use.id}`)}`),
    ...failureLines(found.lastFailure),
  ].join("\n");
}

function failureLines(failure: { use: FoundUse; error: string } | undefined): string[] {
  if (failure === undefined) return [];
  const exit = failure.use.exit_code === null ? "" : `exit ${failure.use.exit_code}`;
  const text = [exit, failure.error].filter(Boolean).join(": ");
  return [`    ${paint("red", "failed")} ${fit(text, columns() - 24)}  ${dim(`t${failure.use.id}`)}`];
}

function mark(found: { runs: number; succeeded: number }): string {
  if (found.succeeded === 0) return paint("red", "✗");
  return found.succeeded / found.runs < 0.5 ? paint("yellow", "~") : paint("green", "✓");
}

function record(found: { runs: number; succeeded: number; last: FoundUse }, shortId: ShortId): string {
  const share = Math.round((found.succeeded / found.runs) * 100);
  const id = shortId(found.last.parent_session_id ?? found.last.session_id);
  return `${count(found.runs, "run")}, ${share}% worked, last ${when(found.last.created_at)} in ${id}`;
}

function fieldsText(input: string): string {
  return Object.entries(parseInput(input))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}

function commandJson(found: CommandUse): Record<string, unknown> {
  return {
    kind: "command",
    command: found.command,
    ...recordJson(found),
    last_success:
      found.lastSuccess === undefined
        ? null
        : { ...useJson(found.lastSuccess.use), command: found.lastSuccess.command },
    last_failure:
      found.lastFailure === undefined
        ? null
        : { ...useJson(found.lastFailure.use), command: found.lastFailure.command, error: found.lastFailure.error },
  };
}

function toolJson(found: ToolHabit): Record<string, unknown> {
  return {
    kind: "tool",
    tool: found.name,
    ...recordJson(found),
    inputs: found.inputs.map((use) => ({ ...useJson(use), input: parseInput(use.input) })),
    last_failure:
      found.lastFailure === undefined ? null : { ...useJson(found.lastFailure.use), error: found.lastFailure.error },
  };
}

function recordJson(found: { runs: number; succeeded: number; last: FoundUse }): Record<string, unknown> {
  return {
    runs: found.runs,
    succeeded: found.succeeded,
    success_rate: found.succeeded / found.runs,
    last_used: iso(found.last.created_at),
    session_id: found.last.session_id,
    parent_session_id: found.last.parent_session_id,
  };
}

function useJson(use: FoundUse): Record<string, unknown> {
  return {
    id: `t${use.id}`,
    session_id: use.session_id,
    parent_session_id: use.parent_session_id,
    at: iso(use.created_at),
    exit_code: use.exit_code,
  };
}
