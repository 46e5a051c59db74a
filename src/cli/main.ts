// The command line: parses, hands over to one file per command, turns what is thrown into a message and an exit code.
import { Command, CommanderError } from "commander";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { ensureRuntime } from "./ensure-runtime.ts";
import { EXIT, reportError } from "./output.ts";

interface Definition {
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

const YES: [string, string] = ["-y, --yes", "do not ask"];
const DRY_RUN: [string, string] = ["--dry-run", "show what would change, change nothing"];

const COMMANDS: Definition[] = [
  {
    name: "install",
    about: "add C-Mem to Claude Code (shows what it changes and asks first)",
    options: [
      YES,
      DRY_RUN,
      ["--method <method>", "plugin or settings (default: plugin where the claude command is found)"],
      ["--claude <path>", "the claude executable to use"],
    ],
    load: () => import("./commands/install.ts"),
  },
  {
    name: "uninstall",
    about: "take C-Mem out of Claude Code; the memory stays",
    options: [
      YES,
      DRY_RUN,
      ["--purge", "delete the data directory as well"],
      ["--claude <path>", "the claude executable to use"],
    ],
    load: () => import("./commands/uninstall.ts"),
  },
  {
    name: "context [project]",
    about: "show what an agent is told when a session starts here (or in the named project)",
    options: [["--source <source>", "startup, clear, compact or resume"]],
    usesStore: true,
    load: () => import("./commands/context.ts"),
  },
  {
    name: "sync",
    about: "bring in the sessions Claude Code has on this machine",
    options: [["-q, --quiet", "no progress"]],
    usesStore: true,
    load: () => import("./commands/sync.ts"),
  },
  {
    name: "projects",
    about: "the projects there is memory of",
    usesStore: true,
    load: () => import("./commands/projects.ts"),
  },
  {
    name: "status",
    about: "what is stored, which hooks fire, what went wrong last",
    usesStore: true,
    load: () => import("./commands/status.ts"),
  },
  {
    name: "doctor",
    about: "check everything and say how to mend what is broken",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "config",
    about: "every setting, its value and where it came from",
    load: () => import("./commands/config.ts"),
  },
];

/** The hook commands as a person might type them; an agent's calls never come here (see bin/c-mem.cjs). */
const HOOK_COMMANDS: Definition[] = ["new", "save", "summary", "cleanup"].map((name) => ({
  name,
  about: "run by the agent's hooks, with the hook's JSON on stdin",
  hidden: true,
  load: () => import("./commands/hook-by-hand.ts"),
}));

const HOOK_HELP = `
Run by the agent's hooks, with the hook's JSON on stdin:
  context   SessionStart: answers with the project's memory
  new       UserPromptSubmit: records the prompt
  save      PostToolUse, PostToolUseFailure: records the tool use
  summary   Stop, SubagentStop, PreCompact: closes the turn
  cleanup   SessionEnd: closes the session

Data directory: ~/.c-mem (C_MEM_HOME overrides). Every command takes --json.`;

async function main(argv: readonly string[]): Promise<number> {
  const json = argv.includes("--json");
  let exitCode: number = EXIT.ok;
  const program = new Command("c-mem")
    .description("A memory that lasts for coding agents.")
    .version(VERSION, "-v, --version")
    .addHelpText("after", HOOK_HELP)
    .showHelpAfterError("(c-mem --help shows what there is)")
    .configureOutput({ writeErr: (text) => (json ? undefined : process.stderr.write(text)) })
    .exitOverride();
  for (const definition of [...COMMANDS, ...HOOK_COMMANDS]) {
    const command = program
      .command(definition.name, { hidden: definition.hidden ?? false })
      .description(definition.about)
      .option("--json", "print JSON");
    for (const [flags, about] of definition.options ?? []) command.option(flags, about);
    command.action(async () => {
      if (definition.usesStore) ensureRuntime(process.env, argv);
      const { run } = await definition.load();
      exitCode = await run({ args: command.args, flags: command.opts(), json });
    });
  }
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      if (json) reportError(argv[0] ?? "", new AppError("usage", error.message.replace(/^error: /, "")), json);
      return EXIT.usage;
    }
    return reportError(argv[0] ?? "", error, json);
  }
}

// Whoever reads our output (`c-mem config | head -1`) may stop before we do.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.failure),
);

process.exitCode = await main(process.argv.slice(2));
