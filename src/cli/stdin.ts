// The text piped into a command.
import { readFileSync } from "node:fs";

/** Returns stdin for "-", or if there is no argument and stdin is not a terminal; otherwise `typed`. */
export function textOrStdin(typed: unknown): unknown {
  const isPiped = typed === undefined && !process.getBuiltinModule("node:tty").isatty(0);
  return isPiped || typed === "-" ? readStdin() : typed;
}

let piped: string | undefined;

/** Read once, because a command runs again after a repair. */
export function readStdin(): string {
  return (piped ??= readFileSync(0, "utf8"));
}
