// Runs one command with a Node that can.
import { ensureRuntime } from "./ensure-runtime.ts";
import { withRepair } from "./with-repair.ts";
import type { CommandOptions, Definition } from "./table.ts";

export async function runCommand(
  definition: Definition,
  options: CommandOptions,
  argv: readonly string[],
): Promise<number> {
  if (definition.usesStore) ensureRuntime(process.env, argv);
  const { run } = await definition.load();
  return withRepair(() => run(options));
}
