// Where an error occurred before and what fixed it.
import { errorWords, normaliseError } from "../core/error-text.ts";
import { nothingFound, usageError } from "../core/error.ts";
import { stripMarkdown } from "../core/prose.ts";
import { commandKey } from "../core/shell-command.ts";
import { listText, oneLine } from "../core/text.ts";
import { iso, localDay } from "../core/time.ts";
import { MAX_LINKS_MS, updateLinks } from "../memory/relate/update-links.ts";
import { block, columns, fit } from "../platform/terminal/layout.ts";
import { dim, paint } from "../platform/terminal/style.ts";
import { findFixes, folderOf, type Occurrence } from "../recall/history/fix.ts";
import { commandOf, parseInput } from "../recall/history/tool-line.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import type { ToolUseEntry } from "../store/fts/tool-search.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { defineQuery } from "./query.ts";
import { countOf, jsonOf, listOf, defineNames, schemaOf, textOrNull, timeOf, timeOrNull, whereOf } from "./schemas.ts";
import { LIMIT, readScope, SCOPE } from "./scope.ts";
import { conversationOf, shortIdsOf, when } from "./session-text.ts";

const DEFAULT_LIMIT = 5;

const USE = defineNames({ text: ["id", "session_id"], textOrNull: ["parent_session_id", "command"] });
const FAILURE = defineNames({ text: ["project", "tool"], int: ["turn"], time: ["at"], intOrNull: ["exit_code"] });

export const fix = defineQuery({
  name: "fix",
  about: "show where an error occurred before and what fixed it",
  fields: {
    error: {
      kind: "text",
      position: "[error...]",
      stdin: true,
      maxChars: 10_000_000,
      about: "the error message; one line is enough (default: stdin)",
    },
    ...SCOPE,
    ...LIMIT,
  },
  http: { path: "/api/fix", tag: "search" },
  reply: (z) => {
    const use = schemaOf(z, USE);
    return {
      data: listOf(
        z,
        z.strictObject({
          ...use,
          ...schemaOf(z, FAILURE),
          error: z.string().meta({ description: "the line of the output with the error" }),
          likeness: z.number().meta({ description: "0 to 1: how much of the given error is in that line" }),
          times: countOf(z).meta({ description: "how often it occurred in that session" }),
          changed: z.array(z.string()).meta({ description: "files changed before the command succeeded" }),
          between: z.array(z.strictObject(use)).meta({ description: "commands run before the command succeeded" }),
          fixed_by: z.strictObject({ ...use, at: timeOf(z), same_command: z.boolean() }).nullable(),
          closing: textOrNull(z).meta({ description: "the agent's last message in that turn" }),
        }),
      ),
      meta: z.strictObject({ where: whereOf(z), since: timeOrNull(z) }),
    };
  },
  run({ error = "", limit = DEFAULT_LIMIT, ...input }, context) {
    if (error.trim() === "") {
      throw usageError(
        "No error given. One line of it is enough.",
        "c-mem fix <error>, or pipe it: npm test 2>&1 | c-mem fix",
      );
    }
    const { db } = context;
    const { scope, where, anywhere } = readScope(input, context);
    updateSearchIndex(db, context.indexing);
    updateLinks(db, { maxMs: MAX_LINKS_MS });
    const { occurrences, since } = findFixes(db, error, scope, limit);
    if (occurrences.length === 0) {
      const hints = [
        `Try the one line that names the error${scope.projectId === undefined ? "" : ", or --all for every project"}.`,
        ...limitNote(since),
      ];
      throw nothingFound(`No session in ${anywhere} had this error.`, hints.join(" "));
    }
    return { data: { results: occurrences.map(occurrenceJson) }, meta: { where, since: iso(since) }, occurrences };
  },
  text({ occurrences, meta: { since } }, { db, note }) {
    const uses = occurrences.flatMap(({ failure, fixedBy }) => [failure, fixedBy?.use]);
    const shortId = shortIdsOf(db, uses);
    limitNote(since === null ? undefined : Date.parse(since)).forEach(note);
    return occurrences.map((one) => occurrenceText(one, shortId)).join("\n\n");
  },
});

function limitNote(since: number | undefined): string[] {
  return since === undefined
    ? []
    : [`The error has very common words: only output since ${localDay(since)} was searched.`];
}

function occurrenceJson(found: Occurrence) {
  const { failure, fixedBy } = found;
  return {
    ...useJson(failure, found.command),
    ...jsonOf(FAILURE, { ...failure, turn: failure.prompt_number, at: failure.created_at, tool: failure.name }),
    error: found.error,
    likeness: found.likeness,
    times: found.times,
    changed: found.changed,
    between: found.between.map((use) => useJson(use, commandOf(use.input))),
    fixed_by:
      fixedBy === undefined
        ? null
        : {
            ...useJson(fixedBy.use, fixedBy.command),
            at: iso(fixedBy.use.created_at),
            same_command: fixedBy.isSameCommand,
          },
    closing: found.closing ?? null,
  };
}

function useJson(use: ToolUseEntry, command: string | undefined) {
  return jsonOf(USE, { ...use, id: `t${use.id}`, command: command ?? null });
}

const FILES_SHOWN = 5;
const CLOSING_CHARS = 240;

function occurrenceText(found: Occurrence, shortId: ShortId): string {
  const { failure, fixedBy } = found;
  const width = columns() - 12;
  const row = (label: string, text: string): string => `  ${dim(label.padEnd(8))}  ${text}`;
  const session = paint("yellow", shortId(conversationOf(failure)));
  const times = found.times > 1 ? `, ${found.times} times` : "";
  const exit = failure.exit_code ? ` → exit ${failure.exit_code}` : "";
  return [
    `${paint("red", "✗")} ${paint("bold", fit(found.error, columns() - 2))}`,
    row("occurred", `${when(failure.created_at)} in ${session}${times}  ${dim(`t${failure.id}`)}`),
    row(found.command === undefined ? "tool" : "command", `${fit(subjectOf(found), width - exit.length)}${dim(exit)}`),
    ...(found.changed.length > 0 ? [row("changed", fit(listText(found.changed, FILES_SHOWN), width))] : []),
    ...found.between.map((use) =>
      row("ran", `${fit(commandKey(commandOf(use.input) ?? ""), width - 8)}  ${dim(`t${use.id}`)}`),
    ),
    row("then", fixedBy === undefined ? dim("no later success in that session") : successText(found, fixedBy, shortId)),
    ...saidAbout(found).map((text) => row("message", block(text, " ".repeat(12)).trimStart())),
  ].join("\n");
}

/** The sentence of the last message that names a changed file or the error: the rest is about other work. */
function saidAbout({ closing = "", changed, error }: Occurrence): string[] {
  if (closing.length <= CLOSING_CHARS) return closing === "" ? [] : [oneLine(closing, CLOSING_CHARS)];
  const names = changed.map((path) => path.slice(path.lastIndexOf("/") + 1));
  const words = errorWords(normaliseError(error)).filter((word) => word.length >= MIN_NAME_CHARS);
  const sentences = closing.split(/\n+|(?<=[.!?])\s+(?=[A-Z*`-])/);
  const isAbout = (text: string): boolean => {
    const lower = text.toLowerCase();
    if (text.endsWith(":")) return false;
    return names.some((name) => text.includes(name)) || words.filter((word) => lower.includes(word)).length >= 2;
  };
  return sentences
    .filter(isAbout)
    .slice(0, 1)
    .map((text) => oneLine(stripMarkdown(text.replace(/^[\s#>|-]+/, "")).replace(/^\*+|\*\*/g, ""), CLOSING_CHARS));
}

const MIN_NAME_CHARS = 5;

function subjectOf({ failure, command }: Occurrence): string {
  if (command !== undefined) return commandKey(command);
  const path = parseInput(failure.input)["file_path"];
  return typeof path === "string" ? `${failure.name} ${path}` : failure.name;
}

function successText(
  { failure, command }: Occurrence,
  { use, command: passed, isSameCommand }: NonNullable<Occurrence["fixedBy"]>,
  shortId: ShortId,
): string {
  // Running the same command in another folder may be the whole fix.
  const folder = folderOf(passed) === folderOf(command) ? undefined : folderOf(passed);
  const what = isSameCommand
    ? `the same command passed${folder === undefined ? "" : ` in ${fit(folder, 50)}`}`
    : `passed: ${fit(commandKey(passed ?? ""), columns() - 42)}`;
  const isLater = use.main_session_db_id !== failure.main_session_db_id;
  const where = isLater ? ` in ${paint("yellow", shortId(conversationOf(use)))}` : "";
  return `${paint("green", "✓")} ${what}, ${durationText(use.created_at - failure.created_at)} later${where}  ${dim(`t${use.id}`)}`;
}

function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
