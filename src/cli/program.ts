// The command line as a library parses it: with help, and with an answer to every mistake.
import { Command, CommanderError } from "commander";
import { AppError } from "../core/error.ts";
import { terminalSafe } from "../core/terminal.ts";
import { VERSION } from "../core/version.ts";
import { ensureRuntime } from "./ensure-runtime.ts";
import { withRepair } from "./with-repair.ts";
import { runCommand } from "./run-command.ts";
import { EXIT, reportError, STDERR, STDOUT, writeDocument } from "./output.ts";
import { COMMANDS, HOOK_COMMANDS } from "./table.ts";

const HOOK_HELP = `
Without a command, on a terminal: search as you type.

Run by the agent's hooks, with the hook's JSON on stdin:
  context   SessionStart: answers with the project's memory
  new       UserPromptSubmit: records the prompt, answers with what is known about it
  save      PostToolUse, PostToolUseFailure: records the tool use, answers with a known fix
  recall    PreToolUse, SubagentStart: answers with what is known of the file, command or task
  summary   Stop, SubagentStop, PreCompact: closes the turn
  cleanup   SessionEnd: closes the session

Data directory: ~/.c-mem (C_MEM_HOME overrides). Every command takes --json.`;

/** Everything that is not a plain command: help, mistakes, completions, no command at all. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  // What comes after "--" is what a person searches for, not an option.
  const json = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length).includes("--json");
  let exitCode: number = EXIT.ok;
  const program = new Command("c-mem")
    .description("A memory that lasts for coding agents.")
    .version(VERSION, "-v, --version")
    .addHelpText("after", HOOK_HELP)
    .showHelpAfterError("(c-mem --help shows what there is)")
    .configureOutput({
      // Not process.stdout: on Node 20 its EPIPE is an uncaught error (`c-mem --help | head -1`).
      writeOut: (text) => writeDocument(STDOUT, terminalSafe(text)),
      writeErr: (text) => (json ? undefined : writeDocument(STDERR, terminalSafe(text))),
    })
    .exitOverride();
  for (const definition of [...COMMANDS, ...HOOK_COMMANDS]) {
    const command = program
      .command(definition.name, { hidden: definition.hidden ?? false })
      .description(definition.about)
      .option("--json", "print JSON");
    for (const [flags, about] of definition.options ?? []) command.option(flags, about);
    command.action(async () => {
      exitCode = await runCommand(definition, { args: command.args, flags: command.opts(), json }, argv);
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
      const { run } = await import("./interactive/main.ts");
      // What has been asked and is not wanted any more does not keep anybody waiting.
      process.exit(await withRepair(run));
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
