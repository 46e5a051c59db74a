// Measures how well search finds the right session, on real sessions with queries and gold answers. Each repository has
// its own store, as on a user's machine, and every query is a `c-mem search --json` of its own.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";
import type { SemanticQuery } from "../src/recall/search/semantic.ts";
import { searchSessions } from "../src/recall/search/search.ts";
import { embedQueries, type IndexSet } from "./indexes.ts";
import { BIN } from "./measure.ts";
import { type Query, readQueries, type RealStore, withRealSessions } from "./real-sessions.ts";

const TASKS = ["commit", "intent", "learning", "friction", "next", "error", "file"];
const LIMIT = 50;

interface Tally {
  first: number;
  five: number;
  reciprocal: number;
  queries: number;
}

/** By task, of all repositories. */
type Tallies = Map<string, Tally>;
type Answers = (string[] | undefined)[];

export async function benchRecall(): Promise<void> {
  const queries = readQueries();
  if (queries.length === 0) return withRealSessions("recall", () => undefined);
  console.log(
    "Finding the right session. first, five: percent of queries for which it is ranked first, in the first five; rank: mean of 100 / its rank (targets for the mean of five: 88 with all indexes, 86 with keywords)",
  );
  const sums = new Map<string, Tallies>();
  for (const [repo, own] of Map.groupBy(queries, (query) => query.repo)) {
    await withRealSessions("recall", (store) => measure(store, repo, own, sums), repo);
  }
  for (const [name, tallies] of sums) report(name, tallies);
}

async function measure(store: RealStore, repo: string, queries: Query[], sums: Map<string, Tallies>): Promise<void> {
  const ask = async (name: string): Promise<void> => {
    const own = count(sums, name, queries, await askCommand(store.home, queries));
    console.log(`  ${name.padEnd(11)} ${repo.padEnd(32)} five ${meanOf(own)[1].toFixed(1).padStart(5)}`);
  };
  await ask("keywords");
  const texts = queries.map(({ query }) => ({ text: query }));
  const { indexSets, vectors } = await embedQueries(store.db, store.home, texts);
  if (vectors.length > 0) await ask("all indexes");
  // The command always searches all indexes, so the sets without one are asked of the engine.
  for (const set of indexSets.filter(({ without }) => without.some((index) => index !== "meaning")))
    count(sums, set.name, queries, askEngine(store, queries, vectors, set));
}

/** Some commands at a time, each answered with the ids of the sessions that it found, best first. */
async function askCommand(home: string, queries: readonly Query[]): Promise<Answers> {
  const answers: Answers = [];
  const waiting = [...queries.entries()];
  const askNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, query] = next;
      answers[index] = await search(home, query);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, askNext));
  return answers;
}

const NOTHING_FOUND = 4;

async function search(home: string, { query, before }: Query): Promise<string[]> {
  const limits = ["--all", "--limit", String(LIMIT), ...(before === undefined ? [] : ["--before", before])];
  const child = spawn(process.execPath, [BIN, "search", "--json", ...limits, "--", query], {
    env: { PATH: process.env["PATH"], C_MEM_WORKER: "0", C_MEM_HOME: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [output, status] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]);
  if (status === NOTHING_FOUND) return [];
  if (status !== 0) throw new Error(`c-mem search failed: ${output}`);
  const { data } = JSON.parse(output) as { data: { results: { session_id: string }[] } };
  return data.results.map((result) => result.session_id);
}

function askEngine(
  { db }: RealStore,
  queries: readonly Query[],
  vectors: (SemanticQuery | undefined)[],
  { without }: IndexSet,
): Answers {
  const rows = db.all<{ id: number; session_id: string; started_at: number }>(
    "SELECT id, session_id, started_at FROM sessions",
  );
  const sessions = new Map(rows.map((row) => [row.id, row]));
  return queries.map((query, index) => {
    const before = query.before === undefined ? Infinity : Date.parse(query.before);
    const accept = (id: number): boolean => (sessions.get(id)?.started_at ?? Infinity) < before;
    const { hits } = searchSessions(db, query.query, { limit: LIMIT, accept, meaning: vectors[index], without });
    return hits.map((hit) => sessions.get(hit.session)?.session_id ?? "");
  });
}

/** Adds the answers to the sums. Returns the tallies of these queries alone. */
function count(sums: Map<string, Tallies>, name: string, queries: readonly Query[], answers: Answers): Tallies {
  const own: Tallies = new Map();
  const all = sums.get(name) ?? new Map<string, Tally>(TASKS.map((task) => [task, newTally()]));
  sums.set(name, all);
  for (const [index, { task, gold, exclude = [] }] of queries.entries()) {
    const found = (answers[index] ?? []).filter((id) => !exclude.includes(id));
    const rank = found.findIndex((id) => gold.includes(id));
    if (!own.has(task)) own.set(task, newTally());
    for (const tallies of [own, all]) addRank(tallies.get(task), rank);
  }
  return own;
}

function newTally(): Tally {
  return { first: 0, five: 0, reciprocal: 0, queries: 0 };
}

function addRank(tally: Tally | undefined, rank: number): void {
  if (tally === undefined) return;
  tally.queries += 1;
  if (rank === 0) tally.first += 1;
  if (rank >= 0 && rank < 5) tally.five += 1;
  if (rank >= 0) tally.reciprocal += 1 / (rank + 1);
}

function sharesOf({ first, five, reciprocal, queries }: Tally): [number, number, number] {
  const share = (value: number): number => (100 * value) / Math.max(1, queries);
  return [share(first), share(five), share(reciprocal)];
}

/** The mean over tasks, so that tasks with many queries do not count more. */
function meanOf(tallies: Tallies): [number, number, number] {
  const shares = [...tallies.values()].map(sharesOf);
  const mean = (column: 0 | 1 | 2): number => shares.reduce((sum, row) => sum + row[column], 0) / shares.length;
  return [mean(0), mean(1), mean(2)];
}

function report(name: string, tallies: Tallies): void {
  console.log(`  ${name.trim().padEnd(11)}  first  five  rank`);
  const print = (label: string, row: readonly number[], rest: string): void =>
    console.log(`    ${label.padEnd(9)} ${row.map((value) => value.toFixed(1).padStart(6)).join("")}${rest}`);
  for (const [task, tally] of tallies) print(task, sharesOf(tally), `   of ${tally.queries}`);
  print("mean", meanOf(tallies), "");
}
