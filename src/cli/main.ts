// The command line: parses the arguments, runs the command, turns errors into messages and exit codes.
import { resolvePaths } from "../config/paths.ts";
import { nearestWord } from "../core/edit-distance.ts";
import { AppError } from "../core/error.ts";
import { terminalSafe } from "../core/terminal.ts";
import { VERSION } from "../core/version.ts";
import { readInput } from "../queries/fields.ts";
import type { Command } from "./command.ts";
import { COMMAND_NAMES, loadCommand } from "./commands.ts";
import { ensureRuntime } from "./ensure-runtime.ts";
import { EXIT, reportError, say, writeDocument } from "./output.ts";
import { STDOUT } from "../platform/terminal/style.ts";
import { optionName, parseArgs } from "./parse-args.ts";
import { withRepair } from "./store.ts";

async function main(argv: readonly string[]): Promise<number> {
  const [name = "", ...rest] = argv;
  // After "--", an option is a word to search: c-mem search -- --json
  const options = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
  const json = options.includes("--json");
  try {
    if (name === "__complete") return await (await import("./complete.ts")).complete(rest, process.env);
    if (name === "-v" || name === "--version") return printText(VERSION);
    if (name === "--help" || name === "-h" || name === "help") return await printHelp(rest);
    if (name === "" || name.startsWith("-")) return await runWithoutCommand(argv);
    const command = await loadCommand(name);
    if (command === undefined) throw unknownCommand(name);
    return await runCommand(name, command, rest, argv);
  } catch (error) {
    const exitCode = reportError(name, error, json);
    if (exitCode === EXIT.usage && !json && COMMAND_NAMES.includes(name)) await printUsage(name);
    return exitCode;
  }
}

async function runCommand(
  name: string,
  command: Command,
  args: readonly string[],
  argv: readonly string[],
): Promise<number> {
  const { values, json, help } = parseArgs(command.fields, args);
  if (help) return printText((await import("./help.ts")).commandHelp(name, command));
  if (command.needsStore) ensureRuntime(process.env, argv);
  // Reads stdin only now: ensureRuntime may run the command in another process.
  const [piped] = Object.entries(command.fields).find(([, { stdin }]) => stdin) ?? [];
  if (piped !== undefined) values[piped] = (await import("./stdin.ts")).textOrStdin(values[piped]);
  const input = readInput(command.fields, values, (key) => nameField(command, key));
  const { env } = process;
  return await withRepair(() => command.run(input, { json, paths: resolvePaths(env), env }));
}

function nameField({ fields }: Command, key: string): string {
  const field = fields[key];
  return field?.position ?? optionName(key, field);
}

async function runWithoutCommand(argv: readonly string[]): Promise<number> {
  const isOnTerminal = process.stdin.isTTY && process.stdout.isTTY && process.env["TERM"] !== "dumb";
  const [first] = argv;
  if (first !== undefined && first !== "--json")
    throw new AppError("usage", `Unknown option ${first}.`, { hint: "`c-mem --help` lists the commands." });
  if (first !== undefined || !isOnTerminal) return await printHelp([]);
  ensureRuntime(process.env, argv);
  const { run } = await import("./interactive/main.ts");
  // Exits at once, without waiting for a search in the background.
  process.exit(await withRepair(run));
}

async function printHelp([name]: readonly string[]): Promise<number> {
  const { commandHelp, overview } = await import("./help.ts");
  if (name === undefined || name.startsWith("-")) return printText(await overview());
  const command = await loadCommand(name);
  if (command === undefined) throw unknownCommand(name);
  return printText(commandHelp(name, command));
}

async function printUsage(name: string): Promise<void> {
  const { usageLine } = await import("./help.ts");
  say(`${usageLine(name, (await loadCommand(name))?.fields ?? {})}\n(c-mem ${name} --help shows the options)`);
}

function unknownCommand(name: string): AppError {
  const meant = nearestWord(name, COMMAND_NAMES);
  return new AppError("usage", `Unknown command "${name}".`, {
    hint: meant === undefined ? "`c-mem --help` lists the commands." : `Did you mean ${meant}?`,
  });
}

/** Not process.stdout: on Node 20 its EPIPE is an uncaught error (`c-mem --help | head -1`). */
function printText(text: string): number {
  writeDocument(STDOUT, `${terminalSafe(text)}\n`);
  return EXIT.ok;
}

void main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
