// Finds C-Mem's hooks that still run in a lab, from the process list.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const PROCESSES = "/proc";
const POLL_MS = 50;
/** Longest wait: a hook that hangs is left to the client, which has its own limits. */
const MAX_MS = 20_000;

/** Waits until no async hook of the lab runs. Without /proc it returns at once. */
export async function waitForHooks(root: string): Promise<void> {
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
      // The process has just ended or belongs to another user.
      return false;
    }
  });
}
