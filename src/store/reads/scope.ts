// Which sessions a question is about: a project, an agent, a span of time. Everything that lists or searches takes one.
import type { Param } from "../db/driver.ts";

export interface Scope {
  projectId?: number | undefined;
  agent?: string | undefined;
  since?: number | undefined;
  before?: number | undefined;
}

/** A condition on a sessions table aliased `s`, with its parameters. */
export function scopeCondition(scope: Scope): { sql: string; params: Param[] } {
  const parts: [string, Param | undefined][] = [
    ["s.project_id = ?", scope.projectId],
    ["s.agent = ?", scope.agent],
    ["s.last_at >= ?", scope.since],
    ["s.started_at < ?", scope.before],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  return { sql: ["1", ...given.map(([sql]) => sql)].join(" AND "), params: given.map(([, value]) => value as Param) };
}
