// Renders docs/benchmarks.md.
import { arch, availableParallelism, loadavg, platform, release, totalmem } from "node:os";
import type { Report } from "./results.ts";
import type { Machine } from "./results.ts";

export function machineOf(): Machine {
  const cores = availableParallelism();
  return {
    cores,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${platform()} ${arch()} ${release().split(/[.-]/).slice(0, 2).join(".")}`,
    node: process.versions.node,
    load: (loadavg()[0] ?? 0) / cores,
  };
}

export function renderDoc(report: Report): string {
  return JSON.stringify(report);
}
