// Which sessions a query covers: project, agent, time.
import { AGENTS } from "../agents/spec.ts";
import { findProjectHere } from "../capture/capture-context.ts";
import { nothingFound, usageError } from "../core/error.ts";
import { parseTime, validSpan } from "../core/time.ts";
import type { Db } from "../store/db/driver.ts";
import { projectsNamed } from "../store/tables/projects.ts";
import type { Scope } from "../store/reads/scope.ts";
import { listAgents } from "../store/reads/session-list.ts";
import { fields, type InputOf } from "./fields.ts";
import type { QueryContext } from "./query.ts";

/**
 * Limits the sessions that a query covers. A query about one session looks for "last" and for words only in these
 * sessions.
 */
export const SCOPE = fields({
  project: {
    kind: "text",
    short: "p",
    value: "name",
    values: "projects",
    about: "a project by name or key (default: the current one)",
  },
  all: { kind: "flag", short: "a", about: "every project" },
  agent: {
    kind: "text",
    value: "agent",
    values: "agents",
    about: "claude-code, codex, gemini-cli, copilot-cli or opencode",
  },
  since: { kind: "text", value: "time", about: "from this time on: 2026-01-31, 3d, 2w" },
  before: { kind: "text", value: "time", about: "before this time" },
  days: { kind: "number", value: "number", about: "the last days" },
});

export const LIMIT = fields({
  limit: { kind: "number", short: "n", value: "number", about: "at most this many" },
});

export const OFFSET = fields({
  offset: { kind: "number", min: 0, only: "http", about: "skip this many" },
});

/** The session that a query is about, for `resolveSession`. */
export const SESSION = fields({
  id: {
    kind: "text",
    position: "<session>",
    required: true,
    values: "sessions",
    about: 'a session id, an item (p12, m34, t56, o78) or "last"',
  },
});

/** Like SESSION, but also accepts words from the session. */
export const SESSION_OR_WORDS = fields({
  id: { ...SESSION.id, position: "<session...>", about: 'a session id, an item (p12, o78), "last", or words of it' },
});

export type ScopeInput = Partial<InputOf<typeof SCOPE>>;

export interface ReadScope {
  scope: Scope;
  /** For messages and `meta`: a project's name, or "all projects". */
  where: string;
  /** For messages such as "No session in any project matches": a project's name, or "any project". */
  anywhere: string;
}

type ScopeContext = Pick<QueryContext, "db" | "paths" | "env" | "cwd">;

export function readScope(input: ScopeInput, context: ScopeContext): ReadScope {
  const range = readRange(input, context.db);
  const project = input.all === true ? undefined : readProject(input.project, context);
  return {
    scope: { projectId: project?.id, ...range },
    where: project?.name ?? "all projects",
    anywhere: project?.name ?? "any project",
  };
}

/** Reads the scope except the project. */
export function readRange(
  { agent, since, before, days }: Omit<ScopeInput, "project" | "all">,
  db: Db,
): Pick<Scope, "agent" | "since" | "before"> {
  const now = Date.now();
  const daysAgo = days === undefined ? undefined : now - days * 86_400_000;
  return validSpan({
    // An editor that records over HTTP chooses its agent name, so any name in the store is valid, too.
    agent: agent !== undefined && listAgents(db).includes(agent) ? agent : checkAgent(agent),
    since: since === undefined ? daysAgo : parseTime(since, now),
    before: before === undefined ? undefined : parseTime(before, now),
  });
}

/** The hint if no session is in the scope. */
export function widerScope({ projectId }: Scope): string {
  return projectId === undefined ? "Widen --since or --agent" : "Widen --since, --agent or the project (--all)";
}

function readProject(
  name: string | undefined,
  { db, paths, env, cwd }: ScopeContext,
): { id: number; name: string } | undefined {
  if (name !== undefined) {
    const [named, ...others] = projectsNamed(db, name);
    if (named !== undefined)
      return others.length === 0 ? named : { id: named.id, name: `${named.name} (${named.key})` };
    throw nothingFound(`No project "${name}".`, "`c-mem projects` lists them.");
  }
  if (cwd === undefined) return undefined;
  const { here, known } = findProjectHere(db, { paths, env, cwd });
  if (known !== undefined) return known;
  throw nothingFound(
    `No sessions of ${here.name} (${here.key}) yet.`,
    "Use --all for every project, or `c-mem sync` to import earlier sessions.",
  );
}

export function checkAgent(id: string | undefined): string | undefined {
  if (id === undefined || AGENTS.some((agent) => agent.id === id)) return id;
  throw usageError(`Unknown agent "${id}".`, `One of: ${AGENTS.map((agent) => agent.id).join(", ")}`);
}
