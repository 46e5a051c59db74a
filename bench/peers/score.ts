// any@5: whether one of the wanted sessions is among the first five that a tool found.
import type { Query, Session } from "./worlds.ts";

export interface Scored {
  task: string;
  isFound: boolean;
}

/** `found`: ids or tags, best first, with repetitions. Sessions that the query rules out do not count. */
export function sessionsFound(found: readonly string[], query: Query, sessions: readonly Session[]): boolean {
  const byName = new Map(
    sessions.flatMap((session) => [[session.id, session] as const, [session.tag, session] as const]),
  );
  const known = found.flatMap((name) => byName.get(name) ?? []);
  const ids = known
    .filter(({ startedAt }) => query.before === undefined || startedAt < query.before)
    .map(({ id }) => id)
    .filter((id) => !query.exclude.includes(id));
  return [...new Set(ids)].slice(0, 5).some((id) => query.gold.includes(id));
}

/** In percent: the mean over tasks, so that tasks with many queries do not count more. */
export function scoreOf(scored: readonly Scored[]): number {
  const tasks = [...Map.groupBy(scored, ({ task }) => task).values()];
  const shares = tasks.map((list) => list.filter(({ isFound }) => isFound).length / list.length);
  return (100 * shares.reduce((sum, share) => sum + share, 0)) / Math.max(1, shares.length);
}
