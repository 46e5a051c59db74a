// Efforts: sessions that belong together, one undertaking over many of them. Found in the links whenever somebody asks: nothing
// is kept that could grow out of date.
import { sha256 } from "../../platform/sha256.ts";
import type { Db } from "../../store/db/driver.ts";
import { effortEdges, type EffortMember, effortMembers } from "../../store/reads/efforts.ts";
import type { Scope } from "../../store/reads/scope.ts";

/** Links this sure make an effort; a weaker guess ties two sessions, but not all that hangs on either of them. */
export const EFFORT_WEIGHT = 0.5;

export interface Effort {
  /** Of the session it began with: it stays the same while the effort grows. */
  id: string;
  /** Two at the least, in the order they began. */
  members: EffortMember[];
  lastAt: number;
}

/** The one worked on last comes first. */
export function findEfforts(db: Db, scope: Scope = {}): Effort[] {
  return groupSessions(db)
    .filter((effort) => isInScope(effort, scope))
    .sort((a, b) => b.lastAt - a.lastAt || (a.id < b.id ? -1 : 1));
}

/** By its id, also by one it had before an earlier session was found to belong to it, or by a session in it. */
export function findEffort(db: Db, wanted: { id: string } | { sessionDbId: number }): Effort | undefined {
  const isIt = (member: EffortMember): boolean =>
    "id" in wanted ? effortId(member.session_id) === wanted.id : member.id === wanted.sessionDbId;
  return groupSessions(db).find(({ members }) => members.some(isIt));
}

const ID_DIGITS = 9;

function effortId(sessionId: string): string {
  return `e${sha256(sessionId).slice(0, ID_DIGITS)}`;
}

export function isEffortId(text: string): boolean {
  return new RegExp(`^e[0-9a-f]{${ID_DIGITS}}$`).test(text);
}

function groupSessions(db: Db): Effort[] {
  const edges = effortEdges(db, EFFORT_WEIGHT);
  const parents = new Map<number, number>();
  const rootOf = (id: number): number => {
    let root = id;
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up;
    // The next one who asks has a shorter way.
    if (root !== id) parents.set(id, root);
    return root;
  };
  for (const { source, target } of edges) {
    const [one, other] = [rootOf(source), rootOf(target)];
    if (one !== other) parents.set(Math.max(one, other), Math.min(one, other));
  }
  const ids = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const groups = Map.groupBy(effortMembers(db, [...ids]), ({ id }) => rootOf(id));
  return [...groups.values()]
    .filter((members) => members.length > 1)
    .map((members) => ({
      id: effortId(members[0]?.session_id ?? ""),
      members,
      lastAt: Math.max(...members.map(({ last_at }) => last_at)),
    }));
}

function isInScope({ members, lastAt }: Effort, { projectId, agent, since, before }: Scope): boolean {
  if (since !== undefined && lastAt < since) return false;
  if (before !== undefined && (members[0]?.started_at ?? 0) >= before) return false;
  return members.some(
    (one) => (projectId === undefined || one.project_id === projectId) && (agent === undefined || one.agent === agent),
  );
}
