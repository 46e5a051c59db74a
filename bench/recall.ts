// Measures how well search finds the right session, on real sessions with queries and gold answers.
import type { SemanticQuery } from "../src/recall/search/semantic.ts";
import { searchSessions } from "../src/recall/search/search.ts";
import type { Db } from "../src/store/db/driver.ts";
import { embedQueries, type IndexSet } from "./indexes.ts";
import { type Query, readQueries, type RealStore, withRealSessions } from "./real-sessions.ts";

const TASKS = ["commit", "intent", "learning", "friction", "next", "error", "file"];

interface Tally {
  first: number;
  five: number;
  reciprocal: number;
  queries: number;
}

export const benchRecall = (): Promise<void> => withRealSessions("recall", measure);

async function measure({ db, home, repos }: RealStore): Promise<void> {
  console.log(
    "Finding the right session. first, five: percent of queries for which it is ranked first, in the first five; rank: mean of 100 / its rank (targets for the mean of five: 88 with all indexes, 85 with keywords)",
  );
  const queries = readQueries();
  const texts = queries.map(({ query }) => ({ text: query }));
  const { indexSets, vectors } = await embedQueries(db, home, texts);
  for (const set of indexSets) report(set, score(db, repos, queries, vectors, set));
}

function score(
  db: Db,
  repos: Map<string, string>,
  queries: Query[],
  vectors: (SemanticQuery | undefined)[],
  { without }: IndexSet,
): Map<string, Tally> {
  const rows = db.all<{ id: number; session_id: string; started_at: number }>(
    "SELECT id, session_id, started_at FROM sessions",
  );
  const sessions = new Map(rows.map((row) => [row.id, row]));
  const tallies = new Map<string, Tally>(TASKS.map((task) => [task, { first: 0, five: 0, reciprocal: 0, queries: 0 }]));
  for (const [index, query] of queries.entries()) {
    const before = query.before === undefined ? Infinity : Date.parse(query.before);
    const accept = (id: number): boolean => {
      const session = sessions.get(id);
      if (session === undefined || repos.get(session.session_id) !== query.repo) return false;
      return session.started_at < before && !query.exclude?.includes(session.session_id);
    };
    const { hits } = searchSessions(db, query.query, { limit: 50, accept, meaning: vectors[index], without });
    const rank = hits.findIndex((hit) => query.gold.includes(sessions.get(hit.session)?.session_id ?? ""));
    count(tallies.get(query.task), rank);
  }
  return tallies;
}

function count(tally: Tally | undefined, rank: number): void {
  if (tally === undefined) return;
  tally.queries += 1;
  if (rank === 0) tally.first += 1;
  if (rank >= 0 && rank < 5) tally.five += 1;
  if (rank >= 0) tally.reciprocal += 1 / (rank + 1);
}

function report({ name }: IndexSet, tallies: Map<string, Tally>): void {
  console.log(`  ${name.trim().padEnd(11)}  first  five  rank`);
  const shares = [...tallies].map(([task, { first, five, reciprocal, queries }]) => {
    const row = [first, five, reciprocal].map((value) => (100 * value) / Math.max(1, queries));
    console.log(`    ${task.padEnd(9)} ${row.map((value) => value.toFixed(1).padStart(6)).join("")}   of ${queries}`);
    return row;
  });
  const mean = [0, 1, 2].map((column) => shares.reduce((sum, row) => sum + (row[column] ?? 0), 0) / shares.length);
  console.log(`    ${"mean".padEnd(9)} ${mean.map((value) => value.toFixed(1).padStart(6)).join("")}`);
}
