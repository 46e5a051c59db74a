// The commands whose inputs are not in a field table yet.
import type { Field, Fields } from "../queries/fields.ts";
import type { Command } from "./command.ts";
import { SCOPE_OPTIONS } from "./scope-options.ts";

export interface Definition {
  name: string;
  about: string;
  options?: [flags: string, about: string][];
  /** Opens the database, so needs a Node that can. */
  usesStore?: true;
  hidden?: boolean;
  load(): Promise<{ run(options: CommandOptions): number | Promise<number> }>;
}

export interface CommandOptions {
  args: string[];
  flags: Record<string, unknown>;
  json: boolean;
}

/** For commands about one session: what `last` and words are looked for in. */
const WHICH_SESSION = SCOPE_OPTIONS.filter(([flags]) => !flags.includes("--limit"));

export const COMMANDS: Definition[] = [
  {
    name: "context [project]",
    about: "show what an agent is told when a session starts here (or in the named project)",
    options: [
      ["--source <source>", "startup, clear, compact or resume"],
      ["--days <number>", "only from the last days (default: all of it)"],
      ["--format <format>", "markdown (default), json or plain"],
      ["--preview", "also say what each part of it takes"],
    ],
    usesStore: true,
    load: () => import("./commands/context.ts"),
  },
  {
    name: "export [session...]",
    about:
      "write a session as Markdown, HTML or JSON, by id or by words from it; with --all alone everything, as JSON lines",
    options: [
      ["--format <format>", "md, html or json (default: md, or what the file's name says)"],
      ["-o, --output <file>", "into this file (- for stdout, the default)"],
      ["--force", "overwrite it"],
      ["--tools", "with what went into the tools and what came out"],
      ["--thinking", "with the assistant's thinking"],
      ...WHICH_SESSION,
    ],
    usesStore: true,
    load: () => import("./commands/export.ts"),
  },
];

const POSITION_VALUES: Readonly<Record<string, Partial<Field>>> = {
  "worker-action": { choices: ["status", "start", "stop", "restart", "logs", "run", "retry"] },
  agent: { values: "agents" },
  "backup-action": { choices: ["create", "list", "verify", "restore"] },
  session: { values: "sessions" },
  project: { values: "projects" },
  effort: { values: "efforts" },
  observation: { values: "observations" },
  observations: { values: "observations" },
  old: { values: "observations" },
  shell: { choices: ["bash", "zsh", "fish"] },
};

const OPTION_VALUES: Readonly<Record<string, Partial<Field>>> = {
  agent: { values: "agents" },
  project: { values: "projects" },
  session: { values: "sessions" },
};

export function legacyCommand(definition: Definition): Command {
  const fields: Record<string, Field> = {};
  const positions = definition.name.split(" ").slice(1);
  for (const [index, position] of positions.entries())
    fields[`arg${index}`] = {
      kind: position.includes("...") ? "list" : "text",
      position,
      about: "",
      ...POSITION_VALUES[position.replace(/[^\w-]/g, "")],
    } as Field;
  for (const [spec, about] of definition.options ?? []) {
    const [, short, isNegative, name = "", value] = /^(?:-(\w), )?--(no-)?([\w-]+)(?: <(.*)>)?$/.exec(spec) ?? [];
    const key = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const common = { about, ...(short !== undefined && { short }) };
    const twin = fields[key];
    if (isNegative && twin !== undefined) fields[`no-${name}`] = { ...common, kind: "flag" };
    else if (value === undefined) fields[key] = { ...common, kind: "flag", isNegative: isNegative !== undefined };
    else fields[key] = { ...common, kind: "text", value, ...OPTION_VALUES[key] } as Field;
  }
  return {
    about: definition.about,
    fields: fields satisfies Fields,
    ...(definition.usesStore && { needsStore: true }),
    run: async (input, { json }) => {
      const args = positions.flatMap((_, index) => (input[`arg${index}`] as string[] | string | undefined) ?? []);
      const flags = Object.fromEntries(
        Object.entries(input).filter(
          ([key, value]) =>
            !/^arg\d/.test(key) &&
            value !== undefined &&
            !(value === false && !(fields[key] as { isNegative?: boolean }).isNegative),
        ),
      );
      for (const key of Object.keys(flags)) if (key.startsWith("no-")) flags[key.slice(3)] = false;
      return (await definition.load()).run({ args, flags, json });
    },
  };
}
