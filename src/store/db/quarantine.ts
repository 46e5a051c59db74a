// Reports of quarantined databases. Each says when and why the database was replaced.
import { join } from "node:path";
import { listFolder, readJson } from "../../platform/read-file.ts";
import { replaceJson } from "../../platform/replace-file.ts";

export interface QuarantineReport {
  at: number;
  /** "restored": the user restored a backup. "damaged": the database was damaged and repaired. */
  why: "restored" | "damaged";
  /** The backup that replaced the database. */
  backup?: string;
  /** The first damage found. */
  problem?: string;
  /** Number of rows copied from the damaged database to its replacement, by table. */
  recovered?: Record<string, number>;
  /** Number of rows that could not be read. */
  lost?: number;
}

const NAME = "report.json";

export function quarantineFolder(quarantine: string, now: number): string {
  return join(quarantine, new Date(now).toISOString().replace(/[:.]/g, "-"));
}

export function writeReport(folder: string, report: QuarantineReport): void {
  replaceJson(join(folder, NAME), report);
}

/** Newest first. */
export function readReports(quarantine: string): (QuarantineReport & { folder: string })[] {
  const reports = listFolder(quarantine).flatMap((name) => {
    const folder = join(quarantine, name);
    const report = readJson<QuarantineReport>(join(folder, NAME));
    return typeof report?.at === "number" ? [{ ...(report as QuarantineReport), folder }] : [];
  });
  return reports.toSorted((a, b) => b.at - a.at);
}
