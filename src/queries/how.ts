// How a command or tool was run before, and how often it worked.
import { nothingFound, usageError } from "../core/error.ts";
import { count } from "../core/text.ts";
import { iso, localDay } from "../core/time.ts";
import { columns, fit } from "../platform/terminal/layout.ts";
import { dim, paint } from "../platform/terminal/style.ts";
import { type CommandUse, findUses, type ToolUsage } from "../recall/history/how.ts";
import { parseInput } from "../recall/history/tool-line.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import type { ToolUseEntry } from "../store/fts/tool-search.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { defineQuery } from "./query.ts";
import { jsonOf, listOf, defineNames, schemaOf, timeOrNull, whereOf } from "./schemas.ts";
import { LIMIT, readScope, SCOPE } from "./scope.ts";
import { conversationOf, shortIdsOf, when } from "./session-text.ts";

const DEFAULT_LIMIT = 10;

const USE = defineNames({
  text: ["id", "session_id"],
  textOrNull: ["parent_session_id"],
  time: ["at"],
  intOrNull: ["exit_code"],
});
const RECORD = defineNames({
  count: ["runs", "succeeded", "unclear"],
  number: ["success_rate"],
  time: ["last_used"],
  text: ["session_id"],
  textOrNull: ["parent_session_id"],
});

export const how = defineQuery({
  name: "how",
  about: "show how a command or tool was run, and how often it worked",
  fields: {
    q: { kind: "text", position: "<words...>", required: true, about: "words of the command, or the name of a tool" },
    ...SCOPE,
    ...LIMIT,
  },
  http: { path: "/api/how", tag: "search" },
  reply: (z) => {
    const use = schemaOf(z, USE);
    const record = {
      ...schemaOf(z, RECORD),
      counted_since: timeOrNull(z).meta({ description: "in a large store: runs before this are not counted" }),
    };
    const command = z.strictObject({
      kind: z.literal("command"),
      command: z.string(),
      ...record,
      last_success: z.strictObject({ ...use, command: z.string() }).nullable(),
      last_failure: z.strictObject({ ...use, command: z.string(), error: z.string() }).nullable(),
    });
    const tool = z.strictObject({
      kind: z.literal("tool"),
      tool: z.string(),
      ...record,
      inputs: z.array(z.strictObject({ ...use, input: z.record(z.string(), z.unknown()) })),
      last_failure: z.strictObject({ ...use, error: z.string() }).nullable(),
    });
    return {
      data: listOf(z, z.discriminatedUnion("kind", [command, tool])),
      meta: z.strictObject({ where: whereOf(z) }),
    };
  },
  run({ q, limit = DEFAULT_LIMIT, ...input }, context) {
    if (q.trim() === "") throw usageError("Name a command or tool.");
    const { scope, where, anywhere } = readScope(input, context);
    updateSearchIndex(context.db, context.indexing);
    const uses = findUses(context.db, q, scope, limit);
    const { commands, tools, isTool, since } = uses;
    const ofCommands = commands.map((found) => ({ ...commandJson(found), counted_since: iso(since.commands) }));
    const ofTools = tools.map((found) => ({ ...toolJson(found), counted_since: iso(since.tools) }));
    const results = isTool ? [...ofTools, ...ofCommands] : [...ofCommands, ...ofTools];
    if (results.length > 0) return { data: { results }, meta: { where }, uses };
    throw nothingFound(
      `No command or tool run in ${anywhere} matches "${fit(q, 100)}".`,
      [
        `Try fewer words${scope.projectId === undefined ? "" : "; --all looks in every project"}.`,
        // Commands before that date are found only by whole words.
        ...(since.tools === undefined
          ? []
          : [`Tools and parts of words were searched only since ${localDay(since.tools)}.`]),
      ].join(" "),
    );
  },
  text({ uses: { commands, tools, isTool, since } }, { db, note }) {
    const shortId = shortIdsOf(
      db,
      [...commands, ...tools].map(({ last }) => last),
    );
    const noteLimit = (what: string, found: readonly object[], from: number | undefined): void => {
      if (found.length > 0 && from !== undefined)
        note(`Large store: ${what} are counted only since ${localDay(from)}.`);
    };
    noteLimit("commands", commands, since.commands);
    noteLimit("tools", tools, since.tools);
    const [worked, failed] = [true, false].map((isWorking) =>
      commands.filter((found) => hasOnlyFailed(found) !== isWorking).map((found) => commandText(found, shortId)),
    ) as [string[], string[]];
    const ofTools = tools.map((tool) => toolText(tool, shortId));
    return [
      ...(isTool ? [...ofTools, ...worked] : [...worked, ...ofTools]),
      ...(failed.length > 0 ? [paint("red", "Never worked"), ...failed] : []),
    ].join("\n");
  },
});

function commandJson({ lastSuccess, lastFailure, ...found }: CommandUse) {
  return {
    kind: "command" as const,
    command: found.command,
    ...recordJson(found),
    last_success: lastSuccess === undefined ? null : { ...useJson(lastSuccess.use), command: lastSuccess.command },
    last_failure:
      lastFailure === undefined
        ? null
        : { ...useJson(lastFailure.use), command: lastFailure.command, error: lastFailure.error },
  };
}

function toolJson({ lastFailure, ...found }: ToolUsage) {
  return {
    kind: "tool" as const,
    tool: found.name,
    ...recordJson(found),
    inputs: found.inputs.map((use) => ({ ...useJson(use), input: parseInput(use.input) })),
    last_failure: lastFailure === undefined ? null : { ...useJson(lastFailure.use), error: lastFailure.error },
  };
}

interface Counts {
  runs: number;
  succeeded: number;
  unclear: number;
}

/** Of the runs whose outcome is known; 0 if none is. */
function successRate({ runs, succeeded, unclear }: Counts): number {
  return succeeded / Math.max(1, runs - unclear);
}

function hasOnlyFailed({ runs, succeeded, unclear }: Counts): boolean {
  return succeeded === 0 && unclear < runs;
}

function recordJson({ last, ...counts }: Counts & { last: ToolUseEntry }) {
  const { runs, succeeded, unclear } = counts;
  const success_rate = successRate(counts);
  return jsonOf(RECORD, { ...last, runs, succeeded, unclear, success_rate, last_used: last.created_at });
}

function useJson(use: ToolUseEntry) {
  return jsonOf(USE, { ...use, id: `t${use.id}`, at: use.created_at });
}

function commandText(found: CommandUse, shortId: ShortId): string {
  return [
    `${mark(found)} ${paint("bold", fit(found.command, columns() - 2))}`,
    `    ${dim(recordText(found, shortId))}`,
    ...failureLines(found.lastFailure),
  ].join("\n");
}

function toolText(found: ToolUsage, shortId: ShortId): string {
  return [
    `${mark(found)} ${paint(["bold", "cyan"], fit(found.name, columns() - 2))}`,
    `    ${dim(recordText(found, shortId))}`,
    ...found.inputs.map((use) => `    ${fit(inputText(use.input), columns() - 14)}  ${dim(`t${use.id}`)}`),
    ...failureLines(found.lastFailure),
  ].join("\n");
}

function failureLines(failure: { use: ToolUseEntry; error: string } | undefined): string[] {
  if (failure === undefined) return [];
  // A failed command before "| tail" has the exit code of tail.
  const exit = failure.use.exit_code ? `exit ${failure.use.exit_code}` : "";
  const text = [exit, failure.error].filter(Boolean).join(": ");
  return [`    ${paint("red", "failed")} ${fit(text, columns() - 24)}  ${dim(`t${failure.use.id}`)}`];
}

function mark(counts: Counts): string {
  if (counts.unclear === counts.runs) return dim("?");
  if (hasOnlyFailed(counts)) return paint("red", "✗");
  return successRate(counts) < 0.5 ? paint("yellow", "~") : paint("green", "✓");
}

function recordText(found: Counts & { last: ToolUseEntry }, shortId: ShortId): string {
  const worked = `, ${Math.round(successRate(found) * 100)}% worked`;
  const unclear = found.unclear === 0 ? "" : `, ${found.unclear} with unclear outcome`;
  const id = shortId(conversationOf(found.last));
  return `${count(found.runs, "run")}${found.unclear < found.runs ? worked : ""}${unclear}, last ${when(found.last.created_at)} in ${id}`;
}

function inputText(input: string): string {
  return Object.entries(parseInput(input))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}
