// What is piped into a command.
import { readFileSync } from "node:fs";

let piped: string | undefined;

/** The words that were typed; of "-", or without words and not at a terminal, what is piped in. */
export function textOf(words: readonly string[]): string {
  const isPiped = words.length === 0 && !process.getBuiltinModule("node:tty").isatty(0);
  return isPiped || (words.length === 1 && words[0] === "-") ? readStdin() : words.join(" ");
}

/** Read once: a command that is run again after a repair finds it still there. */
export function readStdin(): string {
  return (piped ??= readFileSync(0, "utf8"));
}
