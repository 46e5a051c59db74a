// The command line: hands over to one file per command, turns what is thrown into a message and an exit code.
import { reportError } from "./output.ts";
import { parseCommandLine } from "./parse.ts";
import { runCommand } from "./run-command.ts";

async function main(argv: readonly string[]): Promise<number> {
  const parsed = parseCommandLine(argv);
  if (parsed === undefined) return (await import("./program.ts")).runProgram(argv);
  try {
    process.exitCode = await runCommand(parsed.definition, parsed, argv);
  } catch (error) {
    process.exitCode = reportError(argv[0] ?? "", error, parsed.json);
  }
  // Everything is written by now, and Node would take its time to tidy up.
  if (parsed.definition.usesStore) process.exit();
  return process.exitCode;
}

void main(process.argv.slice(2)).then((exitCode) => (process.exitCode = exitCode));
