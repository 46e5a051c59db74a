// On a Node without SQLite, runs the command again with the Node that `install` found or downloaded.
import type { Env } from "../config/paths.ts";
import { resolvePaths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { hasSqlite } from "../store/db/driver.ts";
import { HANDED_OVER, fallbackNode } from "../platform/state/install-record.ts";

export function ensureRuntime(env: Env, argv: readonly string[]): void {
  if (hasSqlite()) return;
  const node = fallbackNode(resolvePaths(env).install, env);
  if (node === undefined) {
    throw new AppError("node_too_old", `C-Mem needs Node 22.16 or newer; this is Node ${process.versions.node}.`, {
      hint: "Run `c-mem install`: it finds or downloads a newer Node, and every command then uses that.",
    });
  }
  const { status } = process.getBuiltinModule("node:child_process").spawnSync(node, [process.argv[1] ?? "", ...argv], {
    stdio: "inherit",
    env: { ...env, [HANDED_OVER]: "1" },
  });
  process.exit(status ?? 1);
}
