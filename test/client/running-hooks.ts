// Which hooks of ours are still running in a lab, as the system says.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const PROCESSES = "/proc";
const POLL_MS = 50;
/** One that hangs is not waited for: the client has limits of its own. */
const MAX_MS = 20_000;

/** Where the system does not say so, what the model takes to think has to do. */
export async function untilHooksAreThrough(root: string): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  while (hasHook(root) && performance.now() < deadline) await setTimeout(POLL_MS);
}

/** Of a lab is whatever runs in one of its folders. */
function hasHook(root: string): boolean {
  if (!existsSync(PROCESSES)) return false;
  return readdirSync(PROCESSES).some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const command = readFileSync(join(PROCESSES, pid, "cmdline"), "utf8");
      return /hook\.cjs\W+save/.test(command) && readlinkSync(join(PROCESSES, pid, "cwd")).startsWith(root);
    } catch {
      // It has just ended, or belongs to another user.
      return false;
    }
  });
}
