// Finds our hooks that still run in a lab, from the process list.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const PROCESSES = "/proc";
const POLL_MS = 50;
/** A hook that hangs is not waited for: the client has its own limits. */
const MAX_MS = 20_000;

/** For systems without /proc. */
export async function untilHooksAreThrough(root: string): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  while (hasHook(root) && performance.now() < deadline) await setTimeout(POLL_MS);
}

/** A process belongs to the lab if it runs in one of its folders. */
function hasHook(root: string): boolean {
  if (!existsSync(PROCESSES)) return false;
  return readdirSync(PROCESSES).some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const command = readFileSync(join(PROCESSES, pid, "cmdline"), "utf8");
      return /hook\.cjs\W+save/.test(command) && readlinkSync(join(PROCESSES, pid, "cwd")).startsWith(root);
    } catch {
      // It has just ended, or it is another user's.
      return false;
    }
  });
}
