// What was set aside and why: a small report beside each database that was replaced.
import { join } from "node:path";
import { replaceFile } from "../../platform/replace-file.ts";
import { listFolder, readText } from "../../platform/read-file.ts";

export interface Report {
  at: number;
  /** By a person, or because it could not be read any more. */
  why: "restored" | "damaged";
  /** The backup that has taken its place, if there was one. */
  backup?: string;
  /** What was wrong with it. */
  problem?: string;
  /** Rows that were read out of it and are in the one that took its place, by table; and what could not be read. */
  recovered?: Record<string, number>;
  lost?: number;
}

const NAME = "report.json";

export function quarantineFolder(setAside: string, now: number): string {
  return join(setAside, new Date(now).toISOString().replace(/[:.]/g, "-"));
}

export function writeReport(folder: string, report: Report): void {
  replaceFile(join(folder, NAME), `${JSON.stringify(report, null, 2)}\n`);
}

/** Newest first. */
export function readReports(setAside: string): (Report & { folder: string })[] {
  const reports = listFolder(setAside).flatMap((name) => {
    const folder = join(setAside, name);
    const report = parse(readText(join(folder, NAME)));
    return report === undefined ? [] : [{ ...report, folder }];
  });
  return reports.toSorted((a, b) => b.at - a.at);
}

function parse(text: string | undefined): Report | undefined {
  try {
    const report = JSON.parse(text ?? "") as Partial<Report> | null;
    return typeof report?.at === "number" ? (report as Report) : undefined;
  } catch {
    return undefined;
  }
}
