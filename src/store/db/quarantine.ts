// Each quarantined database has a report in its folder: when and why it was replaced.
import { join } from "node:path";
import { listFolder, readJson } from "../../platform/read-file.ts";
import { replaceJson } from "../../platform/replace-file.ts";

export interface Report {
  at: number;
  /** "restored" by a person, or "damaged" and repaired. */
  why: "restored" | "damaged";
  /** The backup that replaced it, if there was one. */
  backup?: string;
  /** The first damage found. */
  problem?: string;
  /** Rows that were read from it into its replacement, by table, and the number that could not be read. */
  recovered?: Record<string, number>;
  lost?: number;
}

const NAME = "report.json";

export function quarantineFolder(quarantine: string, now: number): string {
  return join(quarantine, new Date(now).toISOString().replace(/[:.]/g, "-"));
}

export function writeReport(folder: string, report: Report): void {
  replaceJson(join(folder, NAME), report);
}

/** Newest first. */
export function readReports(quarantine: string): (Report & { folder: string })[] {
  const reports = listFolder(quarantine).flatMap((name) => {
    const folder = join(quarantine, name);
    const report = readJson<Report>(join(folder, NAME));
    return typeof report?.at === "number" ? [{ ...(report as Report), folder }] : [];
  });
  return reports.toSorted((a, b) => b.at - a.at);
}
