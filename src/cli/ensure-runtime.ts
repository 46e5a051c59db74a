// On a Node that cannot open a database: goes on with the one `install` has found or fetched.
import type { Env } from "../config/paths.ts";
import { resolvePaths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { hasSqlite } from "../store/driver.ts";
import { readInstall } from "../config/install-record.ts";

/** What `install` noted may be a name that now stands for a Node as old as this one: tried once, not for ever. */
const HANDED_OVER = "C_MEM_HANDED_OVER";

export function ensureRuntime(env: Env, argv: readonly string[]): void {
  if (hasSqlite()) return;
  const node = readInstall(resolvePaths(env).install)?.node;
  if (node === undefined || node === process.execPath || env[HANDED_OVER] !== undefined) {
    throw new AppError("node_too_old", `This needs Node 22.16 or newer; this is ${process.versions.node}.`, {
      hint: "Run `c-mem install`: it finds or fetches a Node that works, and every command then uses it.",
    });
  }
  const { status } = process.getBuiltinModule("node:child_process").spawnSync(node, [process.argv[1] ?? "", ...argv], {
    stdio: "inherit",
    env: { ...env, [HANDED_OVER]: "1" },
  });
  process.exit(status ?? 1);
}
