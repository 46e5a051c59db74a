// Shared by the benchmarks: timing, medians, and a table of ratios to the first sample.
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "..");
export const BIN = join(ROOT, "bin", "c-mem.cjs");
export const PLUGIN = join(ROOT, "plugin", "dist");

export function wallMs(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** CPU time instead of wall time, because other programs use the machine, too. */
export function cpuMs(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** The fastest of several runs. */
export function fastest(rounds: number, timeOnce: () => number): number {
  return Math.min(...Array.from({ length: rounds }, timeOnce));
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** "12.5%" */
export function percent(part: number, whole: number, digits = 1): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(digits)}%`;
}

export interface Sample {
  name: string;
  /** Runs before each timed run. */
  before?: () => void;
  run: () => void;
}

/** Runs the samples in turn, so that a busy machine slows down all of them. Prints ratios to the first sample. */
export function printRatios(samples: readonly Sample[], rounds: number): void {
  const times = samples.map(() => [] as number[]);
  for (let round = -1; round < rounds; round++) {
    for (const [index, sample] of samples.entries()) {
      sample.before?.();
      const elapsed = wallMs(sample.run);
      // The first round warms the caches.
      if (round >= 0) times[index]?.push(elapsed);
    }
  }
  const medians = times.map(median);
  const lows = times.map((list) => Math.min(...list));
  const width = Math.max(...samples.map((sample) => sample.name.length));
  console.log(`  ${"".padEnd(width)}  ratio (ratio of the fastest runs)  median`);
  for (const [index, sample] of samples.entries()) {
    const ratio = (value: number[]) => ((value[index] ?? 0) / (value[0] ?? 1)).toFixed(2);
    const ms = (medians[index] ?? 0).toFixed(1);
    console.log(`  ${sample.name.padEnd(width)}  ${ratio(medians)} (fastest runs: ${ratio(lows)})  ${ms} ms`);
  }
}
