// Reads values from another program's rows. Each of its versions may name a column differently: all names are tried.
import { basename } from "node:path";
import type { Activity, CapturedEvent, Project } from "../../core/event.ts";
import { parseLimitedJson } from "../../core/limited-json.ts";
import type { Observation, Summary } from "../../core/memory.ts";
import { filterText, filterValue } from "../../core/privacy/filter.ts";
import { isTime } from "../../core/time.ts";
import type { Db } from "../../store/db/driver.ts";
import { projectsNamed } from "../../store/tables/projects.ts";

export interface ForeignSession {
  sessionId: string;
  events: CapturedEvent[];
  observations: {
    promptNumber: number;
    at: number;
    observation: Observation;
    files: Record<"read" | "modified", string[]>;
  }[];
  summaries: { promptNumber: number; at: number; summary: Summary }[];
}

export type Row = Readonly<Record<string, unknown>>;

const MAX_CHARS = 32_000;
/** A smaller number is a time in seconds, not milliseconds. */
const MIN_MS = 100_000_000_000;

/** The text of the first of these columns that has any. */
export function text(row: Row, ...names: string[]): string {
  const value = names.map((name) => row[name]).find((one) => typeof one === "string" && one !== "");
  return typeof value === "string" ? filterText(value, MAX_CHARS) : "";
}

/** The time in ms of the first of these columns that has one (seconds, milliseconds or an ISO time), or 0. */
export function time(row: Row, ...names: string[]): number {
  for (const name of names) {
    const value = row[name];
    const at =
      typeof value === "string"
        ? Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)
        : Number(value ?? 0);
    if (at > 0 && isTime(at)) return Math.trunc(at < MIN_MS ? at * 1000 : at);
  }
  return 0;
}

export function number(row: Row, name: string): number | undefined {
  const value = row[name];
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** The strings in the JSON arrays of these columns. */
export function strings(row: Row, ...names: string[]): string[] {
  return names.flatMap((name) => {
    const value = parsed(row[name]);
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  });
}

export function parsed(value: unknown): unknown {
  try {
    return typeof value === "string" ? filterValue(parseLimitedJson(value), MAX_CHARS) : undefined;
  } catch {
    return undefined;
  }
}

/** The stored project of this folder, or of this name if the row names no folder; otherwise a new project. */
export function projectNamed(db: Db, name: string, root: string): Project {
  const named = [...(root === "" ? [] : projectsNamed(db, root)), ...projectsNamed(db, name)];
  const known = named.find((one) => root === "" || one.root === root || one.key === root);
  if (known !== undefined) return { key: known.key, name: known.name, root: known.root };
  const newName = name || basename(root) || "imported";
  return { key: root || `import:${newName}`, name: newName, root };
}

export function eventOf(
  session: { sessionId: string; project: Project; cwd: string },
  at: number,
  activity: Activity,
): CapturedEvent {
  return { agent: "claude-code", ...session, branch: "", at, activity };
}
