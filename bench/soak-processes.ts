// Counts the workers of one data directory while things go on: how many are at work at once, how much each holds.
// A worker counts as running from taking the lock until it exits or finds the lock taken; its process title says so.
import { readdirSync, readFileSync } from "node:fs";
import type { World } from "../test/e2e/harness.ts";

export interface Household {
  mostWorkers: number;
  mostMb: number;
  mostHandles: number;
  end(): void;
}

const LOOK_MS = 500;
/** Who was stopped and is woken finishes the step it was in, and sees then that another has taken its place. */
const SETTLED_LOOKS = 4;

export function watchProcesses(world: World): Household {
  const seen = new Map<number, number>();
  const household: Household = { mostWorkers: 0, mostMb: 0, mostHandles: 0, end: () => clearInterval(timer) };
  const timer = setInterval(() => {
    const awake = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => isWorker(pid, world));
    for (const pid of seen.keys()) if (!awake.includes(pid)) seen.delete(pid);
    for (const pid of awake) seen.set(pid, (seen.get(pid) ?? 0) + 1);
    const settled = [...seen].filter(([, looks]) => looks >= SETTLED_LOOKS);
    household.mostWorkers = Math.max(household.mostWorkers, settled.length);
    for (const pid of awake) {
      household.mostMb = Math.max(household.mostMb, megabytes(pid));
      household.mostHandles = Math.max(household.mostHandles, handles(pid));
    }
  }, LOOK_MS);
  return household;
}

/** One that stands still is not awake. */
function isWorker(pid: number, world: World): boolean {
  const isStopped = /^State:\s+[TZ]/m.test(read(`/proc/${pid}/status`));
  return (
    !isStopped &&
    read(`/proc/${pid}/comm`).startsWith("c-mem worker") &&
    read(`/proc/${pid}/environ`).includes(`C_MEM_HOME=${world.home}\0`)
  );
}

export function megabytes(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024);
}

export function handles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
