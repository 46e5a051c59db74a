// Help: the overview of all commands, and one command with its options.
import { VERSION } from "../core/version.ts";
import { columns, wrapLine } from "../platform/terminal/layout.ts";
import type { Field, Fields } from "../queries/fields.ts";
import type { Command } from "./command.ts";
import { COMMAND_GROUPS } from "./commands.ts";
import { type Flag, flagsOf, positionsOf } from "./parse-args.ts";

const HOOKS = `Run by agent hooks, with JSON on stdin:
  context   SessionStart: print the project's context
  new       UserPromptSubmit: record the prompt, print what matches
  save      PostToolUse: record the tool use, print a known fix
  recall    PreToolUse, SubagentStart: print what is known about the file, command or task
  summary   Stop, SubagentStop, PreCompact: close the turn
  cleanup   SessionEnd: close the session`;

export async function overview(): Promise<string> {
  const groups = await Promise.all(
    COMMAND_GROUPS.map(async ({ title, commands }) => {
      const rows = await Promise.all(
        Object.entries(commands).map(async ([name, load]): Promise<[string, string]> => {
          const { fields, about } = await load();
          return [[name, ...positionsOf(fields).map(([, { position }]) => position)].join(" "), about];
        }),
      );
      return `${title}:\n${table(rows)}`;
    }),
  );
  return [
    `c-mem ${VERSION}: persistent memory for coding agents.`,
    "Usage: c-mem <command> [options]\n       c-mem              search as you type (on a terminal)",
    ...groups,
    HOOKS,
    `Options:\n${table([
      ["--json", "print JSON (every command)"],
      ["-h, --help", "show help, also of one command"],
      ["-v, --version", "print the version"],
    ])}`,
    "Data directory: ~/.c-mem (C_MEM_HOME overrides).",
  ].join("\n\n");
}

export function commandHelp(name: string, { about, details, fields }: Command): string {
  const positions = positionsOf(fields);
  const described = positions.filter(([, field]) => field.about !== "");
  const options: [string, string][] = [
    ...flagsOf(fields).map((flag): [string, string] => [spelling(flag), withChoices(flag.field)]),
    ["--json", "print JSON"],
    ["-h, --help", "show this help"],
  ];
  return [
    usageLine(name, fields),
    `${about[0]?.toUpperCase()}${about.slice(1)}.`,
    ...(described.length > 0
      ? [`Arguments:\n${table(described.map(([, field]) => [field.position, withChoices(field)]))}`]
      : []),
    `Options:\n${table(options)}`,
    ...(details === undefined ? [] : [details]),
  ].join("\n\n");
}

/** "Usage: c-mem show [options] <session>" */
export function usageLine(name: string, fields: Fields): string {
  return ["Usage: c-mem", name, "[options]", ...positionsOf(fields).map(([, { position }]) => position)].join(" ");
}

/** "-p, --project <name>" */
function spelling({ spellings, field }: Flag): string {
  const short = field.short === undefined ? "" : `-${field.short}, `;
  const value = field.kind === "flag" ? "" : ` <${field.value ?? (field.kind === "number" ? "number" : "text")}>`;
  return `${short}${spellings[0]}${value}`;
}

function withChoices(field: Field): string {
  const choices = "choices" in field ? field.choices : undefined;
  return choices === undefined ? field.about : `${field.about}: ${choices.join(", ")}`;
}

/** Two columns; long descriptions wrap under themselves. */
function table(rows: readonly (readonly [string, string])[]): string {
  const left = Math.min(34, Math.max(...rows.map(([name]) => name.length)));
  const width = Math.max(30, columns() - left - 4);
  return rows
    .map(([name, about]) => {
      const [first = "", ...rest] = wrapLine(about, width);
      const lead = name.length > left ? `  ${name}\n${" ".repeat(left + 4)}` : `  ${name.padEnd(left)}  `;
      return [`${lead}${first}`.trimEnd(), ...rest.map((line) => " ".repeat(left + 4) + line)].join("\n");
    })
    .join("\n");
}
