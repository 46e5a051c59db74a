// Which sessions a question is about: project, agent, time.
import { AGENTS } from "../agents/spec.ts";
import { findProjectHere } from "../capture/capture-context.ts";
import type { Env, Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { parseTime, spanOf } from "../core/time.ts";
import type { Db } from "../store/db/driver.ts";
import { projectsNamed } from "../store/tables/projects.ts";
import type { Scope } from "../store/reads/scope.ts";
import { listAgents } from "../store/reads/session-list.ts";

export interface Question {
  scope: Scope;
  limit: number;
  /** What was asked about, in words: for messages and `meta`. */
  where: string;
}

export function readScope(
  db: Db,
  flags: Record<string, unknown>,
  context: { paths: Paths; env: Env; cwd: string | undefined; limit: number },
): Question {
  const range = readRange(flags, db);
  const project = flags["all"] === true ? undefined : readProject(db, flags["project"], context);
  return {
    scope: { projectId: project?.id, ...range },
    limit: flags["limit"] === undefined ? context.limit : positiveInteger("--limit", flags["limit"]),
    where: project?.name ?? "all projects",
  };
}

/** What to try where nothing was found. */
export function wider({ projectId }: Scope): string {
  return projectId === undefined ? "Widen --since or --agent" : "Widen --since, --agent or the project (--all)";
}

/** The part of a scope that no project is needed for. */
export function readRange(flags: Record<string, unknown>, db: Db): Pick<Scope, "agent" | "since" | "before"> {
  const now = Date.now();
  const days = flags["days"] === undefined ? undefined : now - positiveInteger("--days", flags["days"]) * 86_400_000;
  return spanOf({
    // Or one that an editor has told of.
    agent: listAgents(db).includes(String(flags["agent"])) ? String(flags["agent"]) : checkAgent(flags["agent"]),
    since: flags["since"] === undefined ? days : parseTime(String(flags["since"]), now),
    before: flags["before"] === undefined ? undefined : parseTime(String(flags["before"]), now),
  });
}

function readProject(
  db: Db,
  name: unknown,
  { paths, env, cwd }: { paths: Paths; env: Env; cwd: string | undefined },
): { id: number; name: string } | undefined {
  if (typeof name === "string") {
    const [named, ...others] = projectsNamed(db, name);
    if (named !== undefined)
      return others.length === 0 ? named : { id: named.id, name: `${named.name} (${named.key})` };
    throw new AppError("nothing_found", `There is no project "${name}".`, { hint: "`c-mem projects` lists them." });
  }
  if (cwd === undefined) return undefined;
  const { here, known } = findProjectHere(db, { paths, env, cwd });
  if (known !== undefined) return known;
  throw new AppError("nothing_found", `Nothing is remembered of ${here.name} (${here.key}) yet.`, {
    hint: "Use --all for every project, or `c-mem sync` to bring in earlier sessions.",
  });
}

/** Nobody has more of anything; SQLite takes no number that is larger than it can count to. */
const MAX_COUNT = 1_000_000_000;

/** How many are passed over: for a reader that goes page by page. */
export function readOffset(flags: Record<string, unknown>): number {
  return wholeNumber("offset", flags["offset"] ?? 0);
}

/** 0 included. */
export function wholeNumber(name: string, value: unknown): number {
  const number = value === "" ? Number.NaN : Number(value);
  if (Number.isInteger(number) && number >= 0 && number <= MAX_COUNT) return number;
  throw new AppError("usage", `${name} takes a whole number, not "${String(value)}".`);
}

/** One whose sessions are read here. */
export function checkAgent(id: unknown): string | undefined {
  if (id === undefined || AGENTS.some((agent) => agent.id === id)) return id as string | undefined;
  throw new AppError("usage", `There is no agent "${String(id)}".`, {
    hint: `One of: ${AGENTS.map((agent) => agent.id).join(", ")}`,
  });
}

export function positiveInteger(flag: string, value: unknown): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && number <= MAX_COUNT) return number;
  throw new AppError("usage", `${flag} takes a whole number above 0, not "${String(value)}".`);
}
