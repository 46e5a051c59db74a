// What is piped into a command.
import { readFileSync } from "node:fs";

let piped: string | undefined;

/** Read once: a command that is run again after a repair finds it still there. */
export function readStdin(): string {
  return (piped ??= readFileSync(0, "utf8"));
}
