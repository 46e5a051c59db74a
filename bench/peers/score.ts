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

const STOP_WORDS = new Set(
  "a an and are as at be by can did do does for from had has have he her his how i in into is it its like of on or our s she so t that the their them then there they this to was we were what when where which who why will with would you your".split(
    " ",
  ),
);

const MAX_KEYWORDS = 4;

/** The longest words, in their order: "When did Ann visit the museum?" -> "Ann visit museum". Paths stay whole. */
export function keywordsOf(query: string): string {
  const words = query
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").replace(/'s$/, ""));
  const useful = [...new Set(words)].filter((word) => word.length > 1 && !STOP_WORDS.has(word.toLowerCase()));
  const longest = new Set(useful.toSorted((a, b) => b.length - a.length).slice(0, MAX_KEYWORDS));
  return useful.filter((word) => longest.has(word)).join(" ");
}
