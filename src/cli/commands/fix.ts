// c-mem fix: where an error was met before and what made it go away.
import { questionOf } from "../../queries/legacy.ts";
import { AppError } from "../../core/error.ts";
import { oneLine } from "../../core/text.ts";
import { localDay } from "../../core/time.ts";
import { MAX_LINKS_MS, updateLinks } from "../../memory/relate/update-links.ts";
import { type Encounter, findFixes } from "../../recall/history/fix.ts";
import { commandKey } from "../../core/shell-command.ts";
import { commandOf, parseInput } from "../../recall/history/tool-line.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { type ShortId, shortIds } from "../../store/reads/short-ids.ts";
import { block, columns, fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { iso } from "../../core/time.ts";
import { dim } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";
import { textOf } from "../stdin.ts";
import { listText, when } from "../../queries/session-text.ts";
import { paint } from "../../platform/terminal/style.ts";

const DEFAULT_LIMIT = 5;
const FILES_SHOWN = 5;
const CLOSING_CHARS = 240;

export function run({ args, flags, json }: CommandOptions): number {
  const text = textOf(args);
  if (text.trim() === "") {
    throw new AppError("usage", "Which error? One line of it is enough.", {
      hint: "c-mem fix <error>, or pipe it in: npm test 2>&1 | c-mem fix",
    });
  }
  return ask(flags, (asked) => {
    const { db } = asked;
    const { scope, limit, where } = questionOf(asked, DEFAULT_LIMIT);
    updateSearchIndex(db);
    updateLinks(db, { maxMs: MAX_LINKS_MS });
    const { met: encounters, since } = findFixes(db, text, scope, limit);
    const howFar = since === undefined ? "" : `Such common words were looked for only since ${localDay(since)}.`;
    if (encounters.length === 0) {
      throw new AppError("nothing_found", `This error was not met in ${where}.`, {
        hint: `Try the one line that names the error${scope.projectId === undefined ? "" : ", or --all for every project"}. ${howFar}`.trim(),
      });
    }
    if (json) printJson("fix", { results: encounters.map(encounterJson) }, { where, since: iso(since) });
    else {
      const uses = encounters.flatMap(({ failure, fixedBy }) => [failure, fixedBy?.use]);
      const shortId = shortIds(
        db,
        uses.map((use) => use?.parent_session_id ?? use?.session_id),
      );
      print(encounters.map((met) => encounterText(met, shortId)).join("\n\n"));
    }
    if (!json && howFar !== "") say(howFar);
    return EXIT.ok;
  });
}

function encounterText(met: Encounter, shortId: ShortId): string {
  const { failure, fixedBy } = met;
  const width = columns() - 12;
  const times = met.times > 1 ? `, ${met.times} times` : "";
  const row = (label: string, text: string): string => `  ${dim(label.padEnd(8))}  ${text}`;
  const exit = failure.exit_code ? ` → exit ${failure.exit_code}` : "";
  const lines = [
    `${paint("red", "✗")} ${paint("bold", fit(met.error, columns() - 2))}`,
    row(
      "met",
      `${when(failure.created_at)} in ${paint("yellow", shortId(failure.parent_session_id ?? failure.session_id))}${times}  ${dim(`t${failure.id}`)}`,
    ),
    row("by", `${fit(subjectOf(failure.name, failure.input, met.command), width - exit.length)}${dim(exit)}`),
  ];
  if (met.changed.length > 0) lines.push(row("changed", fit(listText(met.changed, FILES_SHOWN), width)));
  for (const use of met.between)
    lines.push(row("ran", `${fit(commandKey(commandOf(use.input) ?? ""), width - 8)}  ${dim(`t${use.id}`)}`));
  if (fixedBy === undefined) lines.push(row("then", dim("not seen to pass in that session")));
  else {
    const what = fixedBy.isSameCommand
      ? `the same passed${otherFolder(met)}`
      : `passed: ${fit(commandKey(fixedBy.command ?? ""), width - 30)}`;
    lines.push(
      row(
        "then",
        `${paint("green", "✓")} ${what}, ${gap(fixedBy.use.created_at - failure.created_at)} later${inAnother(met, shortId)}  ${dim(`t${fixedBy.use.id}`)}`,
      ),
    );
  }
  if (met.closing !== undefined) {
    lines.push(row("words", block(oneLine(met.closing, CLOSING_CHARS), " ".repeat(12)).trimStart()));
  }
  return lines.join("\n");
}

/** The same command in another folder is the whole answer at times. */
function otherFolder({ command, fixedBy }: Encounter): string {
  const folder = (typed: string | undefined): string | undefined =>
    /^\s*cd\s+("[^"]*"|'[^']*'|\S+)\s*(?:&&|;)/.exec(typed ?? "")?.[1];
  const passed = folder(fixedBy?.command);
  return passed === undefined || passed === folder(command) ? "" : ` in ${fit(passed, 50)}`;
}

/** A later session may have fixed what this one left. */
function inAnother({ failure, fixedBy }: Encounter, shortId: ShortId): string {
  if (fixedBy === undefined || fixedBy.use.main_session_db_id === failure.main_session_db_id) return "";
  return ` in ${paint("yellow", shortId(fixedBy.use.parent_session_id ?? fixedBy.use.session_id))}`;
}

function subjectOf(name: string, input: string, command: string | undefined): string {
  if (command !== undefined) return commandKey(command);
  const subject = parseInput(input)["file_path"];
  return typeof subject === "string" ? `${name} ${subject}` : name;
}

function gap(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function encounterJson(met: Encounter): Record<string, unknown> {
  const { failure, fixedBy } = met;
  return {
    id: `t${failure.id}`,
    session_id: failure.session_id,
    parent_session_id: failure.parent_session_id,
    project: failure.project,
    turn: failure.prompt_number,
    at: iso(failure.created_at),
    tool: failure.name,
    command: met.command ?? null,
    exit_code: failure.exit_code,
    error: met.error,
    likeness: met.likeness,
    times: met.times,
    changed: met.changed,
    between: met.between.map((use) => ({
      id: `t${use.id}`,
      session_id: use.session_id,
      parent_session_id: use.parent_session_id,
      command: commandOf(use.input) ?? null,
    })),
    fixed_by:
      fixedBy === undefined
        ? null
        : {
            id: `t${fixedBy.use.id}`,
            session_id: fixedBy.use.session_id,
            parent_session_id: fixedBy.use.parent_session_id,
            at: iso(fixedBy.use.created_at),
            command: fixedBy.command ?? null,
            same_command: fixedBy.isSameCommand,
          },
    closing: met.closing ?? null,
  };
}
