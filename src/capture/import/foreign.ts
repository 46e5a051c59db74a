// What another memory system's database says, as events and memory of ours.
import { basename } from "node:path";
import type { Activity, CapturedEvent, Project } from "../../core/event.ts";
import { parseLimitedJson } from "../../core/limited-json.ts";
import { filterText, filterValue } from "../../core/privacy/filter.ts";
import { CONCEPTS, type Observation, OBSERVATION_TYPES, type Summary } from "../../core/memory.ts";
import { isTime } from "../../core/time.ts";
import { titleOf } from "../../core/title.ts";
import type { Db } from "../../store/db/driver.ts";
import { projectsNamed } from "../../store/tables/projects.ts";

export interface ForeignSession {
  sessionId: string;
  events: CapturedEvent[];
  observations: { promptNumber: number; at: number; observation: Observation; files: FileUses }[];
  summaries: { promptNumber: number; at: number; summary: Summary }[];
}

/** As the other system tells them apart. */
interface FileUses {
  read: string[];
  modified: string[];
}

export type Row = Readonly<Record<string, unknown>>;

/** Versions of one program call the same column by different names. */
export function text(row: Row, ...names: string[]): string {
  const value = names.map((name) => row[name]).find((one) => typeof one === "string" && one !== "");
  return typeof value === "string" ? filterText(value, MAX_CHARS) : "";
}

const MAX_CHARS = 32_000;

/** Milliseconds; what is given in seconds or as text is made so. 0 where there is no time. */
export function time(row: Row, ...names: string[]): number {
  for (const name of names) {
    const value = row[name];
    const at =
      typeof value === "string"
        ? Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)
        : Number(value ?? 0);
    if (at > 0 && isTime(at)) return Math.trunc(at < SECONDS_UNTIL ? at * 1000 : at);
  }
  return 0;
}

const SECONDS_UNTIL = 100_000_000_000;

export function number(row: Row, name: string): number | undefined {
  const value = row[name];
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** A JSON array, or nothing. */
export function strings(row: Row, ...names: string[]): string[] {
  return names.flatMap((name) => {
    const value = parsed(row[name]);
    return Array.isArray(value)
      ? value.filter((one) => typeof one === "string").map((one) => filterText(one, MAX_CHARS))
      : [];
  });
}

export function parsed(value: unknown): unknown {
  try {
    return typeof value === "string" ? filterValue(parseLimitedJson(value), MAX_CHARS) : undefined;
  } catch {
    return undefined;
  }
}

/** A name is all there may be: the project of that name that is known here, else one of its own. */
export function projectNamed(db: Db, name: string, root: string): Project {
  const named = [...(root === "" ? [] : projectsNamed(db, root)), ...projectsNamed(db, name)];
  const known = named.find((one) => root === "" || one.root === root || one.key === root);
  if (known !== undefined) return { key: known.key, name: known.name, root: known.root };
  const own = name || basename(root) || "imported";
  return { key: root || `import:${own}`, name: own, root };
}

export function eventOf(
  session: { sessionId: string; project: Project; cwd: string },
  at: number,
  activity: Activity,
): CapturedEvent {
  return { agent: "claude-code", ...session, branch: "", at, activity };
}

export function observationFrom(row: Row): Observation {
  const narrative = text(row, "narrative", "text");
  const title = text(row, "title") || titleOf(narrative);
  const subtitle = text(row, "subtitle");
  return {
    type: OBSERVATION_TYPES.find((type) => type === row["type"]) ?? "discovery",
    title: title || "(without a title)",
    ...(subtitle !== "" && { subtitle }),
    narrative,
    facts: strings(row, "facts"),
    concepts: CONCEPTS.filter((concept) => strings(row, "concepts").includes(concept)),
    files: [...new Set(strings(row, "files_modified", "files_read"))],
    evidence: [],
    origin: "assistant",
  };
}

export function fileUsesFrom(row: Row): FileUses {
  const modified = [...new Set(strings(row, "files_modified"))];
  const read = [...new Set(strings(row, "files_read"))].filter((file) => !modified.includes(file));
  return { read, modified };
}

export function summaryFrom(row: Row): Summary {
  return {
    request: text(row, "request"),
    investigated: text(row, "investigated"),
    learned: text(row, "learned"),
    completed: text(row, "completed", "summary"),
    nextSteps: text(row, "next_steps"),
    filesRead: strings(row, "files_read"),
    filesEdited: strings(row, "files_edited"),
    notes: text(row, "notes"),
    evidence: [],
  };
}
