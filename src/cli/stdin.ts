// The text piped into a command.
import { readFileSync } from "node:fs";

/** Stdin for "-", and without an argument if stdin is not a terminal. */
export function textOrStdin(typed: unknown): unknown {
  const isPiped = typed === undefined && !process.getBuiltinModule("node:tty").isatty(0);
  return isPiped || typed === "-" ? readStdin() : typed;
}

let piped: string | undefined;

/** Read once, because a command runs again after a repair. */
export function readStdin(): string {
  return (piped ??= readFileSync(0, "utf8"));
}
