// The command line: parses, hands over to one file per command, turns what is thrown into a message and an exit code.
import { Command, CommanderError } from "commander";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { ensureRuntime } from "./ensure-runtime.ts";
import { EXIT, reportError } from "./output.ts";
import { COMMANDS, HOOK_COMMANDS } from "./table.ts";

export type { CommandOptions } from "./table.ts";

const HOOK_HELP = `
Without a command, on a terminal: search as you type.

Run by the agent's hooks, with the hook's JSON on stdin:
  context   SessionStart: answers with the project's memory
  new       UserPromptSubmit: records the prompt
  save      PostToolUse, PostToolUseFailure: records the tool use
  summary   Stop, SubagentStop, PreCompact: closes the turn
  cleanup   SessionEnd: closes the session

Data directory: ~/.c-mem (C_MEM_HOME overrides). Every command takes --json.`;

async function main(argv: readonly string[]): Promise<number> {
  const json = beforeSeparator(argv).includes("--json");
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
  const isOnTerminal = process.stdin.isTTY && process.stdout.isTTY && process.env["TERM"] !== "dumb";
  if (argv.length === 0 && !isOnTerminal) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    // What the completion scripts call: before parsing, because half a command line is not one.
    if (argv[0] === "__complete") {
      return (await import("./completions/main.ts")).complete(program, argv.slice(1), process.env);
    }
    if (argv.length === 0) {
      ensureRuntime(process.env, argv);
      return await (await import("./interactive/main.ts")).run();
    }
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

/** What comes after "--" is what a person searches for, not an option. */
function beforeSeparator(argv: readonly string[]): readonly string[] {
  const separator = argv.indexOf("--");
  return separator === -1 ? argv : argv.slice(0, separator);
}

// Whoever reads our output (`c-mem config | head -1`) may stop before we do.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.failure),
);

void main(process.argv.slice(2)).then((exitCode) => (process.exitCode = exitCode));
