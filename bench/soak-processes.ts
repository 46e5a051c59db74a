// Samples the workers of one data directory: how many run at once, with their highest memory and open files.
// A process counts as a worker while its title is "c-mem worker", which it has while it holds the lock.
import { readdirSync, readFileSync } from "node:fs";
import type { World } from "../test/e2e/harness.ts";

export interface ProcessPeaks {
  mostWorkers: number;
  mostMb: number;
  mostHandles: number;
  end(): void;
}

const POLL_MS = 500;
/** Polls before a worker counts: after SIGCONT, one that lost its lock first finishes its step. */
const SETTLED_POLLS = 4;

export function watchProcesses(world: World): ProcessPeaks {
  const seen = new Map<number, number>();
  const peaks: ProcessPeaks = { mostWorkers: 0, mostMb: 0, mostHandles: 0, end: () => clearInterval(timer) };
  const timer = setInterval(() => {
    const running = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => isWorker(pid, world));
    for (const pid of seen.keys()) if (!running.includes(pid)) seen.delete(pid);
    for (const pid of running) seen.set(pid, (seen.get(pid) ?? 0) + 1);
    const settled = [...seen].filter(([, polls]) => polls >= SETTLED_POLLS);
    peaks.mostWorkers = Math.max(peaks.mostWorkers, settled.length);
    for (const pid of running) {
      peaks.mostMb = Math.max(peaks.mostMb, megabytes(pid));
      peaks.mostHandles = Math.max(peaks.mostHandles, handles(pid));
    }
  }, POLL_MS);
  return peaks;
}

/** True for a worker of this data directory that is neither suspended nor a zombie. */
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
