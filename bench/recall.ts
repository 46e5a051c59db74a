// How well search finds the right session: real sessions with queries and gold answers, through the product's own sync and search.
import type { SemanticQuery } from "../src/recall/search/semantic.ts";
import { searchSessions } from "../src/recall/search/search.ts";
import type { Db } from "../src/store/db/driver.ts";
import { embedStore, type Lanes, laneSettings } from "./lanes.ts";
import { openRealSessions, type Query, readQueries } from "./real-sessions.ts";

const TASKS = ["commit", "intent", "learning", "friction", "next", "error", "file"];

interface Tally {
  first: number;
  five: number;
  reciprocal: number;
  queries: number;
}

export async function benchRecall(): Promise<void> {
  const real = openRealSessions();
  if (real === undefined) {
    console.log("recall: skipped, no sessions to search (C_MEM_REAL_SESSIONS)");
    return;
  }
  console.log(
    "Finding the right session (share of queries; any@1, any@5, mean reciprocal rank; wanted: any@5 at least 88 with all lanes, 85 by words)",
  );
  const ask = await embedStore(real.db, real.home);
  const queries = readQueries();
  const meanings: (SemanticQuery | undefined)[] = [];
  for (const { query } of queries) meanings.push(await ask?.(query));
  for (const lanes of laneSettings(ask !== undefined))
    report(lanes, score(real.db, real.repos, queries, meanings, lanes));
  real.close();
}

function score(
  db: Db,
  repos: Map<string, string>,
  queries: Query[],
  meanings: (SemanticQuery | undefined)[],
  { without }: Lanes,
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
    const { hits } = searchSessions(db, query.query, { limit: 50, accept, meaning: meanings[index], without });
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

function report({ name }: Lanes, tallies: Map<string, Tally>): void {
  console.log(`  ${name.trim()}`);
  const shares = [...tallies].map(([task, { first, five, reciprocal, queries }]) => {
    const row = [first, five, reciprocal].map((value) => (100 * value) / Math.max(1, queries));
    console.log(`    ${task.padEnd(9)} ${row.map((value) => value.toFixed(1).padStart(6)).join("")}   of ${queries}`);
    return row;
  });
  const mean = [0, 1, 2].map((column) => shares.reduce((sum, row) => sum + (row[column] ?? 0), 0) / shares.length);
  console.log(`    ${"mean".padEnd(9)} ${mean.map((value) => value.toFixed(1).padStart(6)).join("")}`);
}
