// How well search finds the right session: real sessions with queries and gold answers, through the product's own sync and search.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { searchSessions } from "../src/recall/search.ts";
import { type Db, openDriver } from "../src/store/driver.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Real sessions are not part of the project: C_MEM_REAL_SESSIONS says where some are. */
const DATA = resolve(process.env["C_MEM_REAL_SESSIONS"] ?? "none");
const TASKS = ["commit", "intent", "learning", "friction", "next", "error", "file"];

interface Query {
  task: string;
  repo: string;
  query: string;
  gold: string[];
  before?: string;
  exclude?: string[];
}

interface Tally {
  first: number;
  five: number;
  reciprocal: number;
  queries: number;
}

export async function benchRecall(): Promise<void> {
  if (!existsSync(join(DATA, "queries.jsonl"))) {
    console.log("recall: skipped, no sessions to search (C_MEM_REAL_SESSIONS)");
    return;
  }
  const home = mkdtempSync(join(tmpdir(), "c-mem-recall-"));
  const repos = layOutSessions(home);
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "bin", "c-mem.cjs"), "sync", "--quiet"], {
    env: { PATH: process.env["PATH"], HOME: home, C_MEM_HOME: join(home, ".c-mem") },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const db = openDriver(join(home, ".c-mem", "c-mem.db"), { busyTimeoutMs: 1000 });
  const tallies = score(db, repos);
  db.close();
  rmSync(home, { recursive: true, force: true });
  report(tallies);
}

/** Puts the sessions where each agent would keep them; returns which repository each belongs to. */
function layOutSessions(home: string): Map<string, string> {
  const repos = new Map<string, string>();
  for (const line of readLines("manifest.jsonl")) {
    const entry = JSON.parse(line) as { file: string; repo: string; agent: string; session_id: string };
    repos.set(entry.session_id, entry.repo);
    const path = join(home, placeOf(entry));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, gunzipSync(readFileSync(join(DATA, `${entry.file}.gz`))));
  }
  return repos;
}

function placeOf({ agent, repo, session_id: id }: { agent: string; repo: string; session_id: string }): string {
  if (agent === "Codex")
    return join(".codex", "sessions", "2026", "01", "01", `rollout-2026-01-01T00-00-00-${id}.jsonl`);
  if (agent === "Copilot CLI") return join(".copilot", "session-state", id, "events.jsonl");
  return join(".claude", "projects", repo.replaceAll("/", "-"), `${id}.jsonl`);
}

function score(db: Db, repos: Map<string, string>): Map<string, Tally> {
  const rows = db.all<{ id: number; session_id: string; started_at: number }>(
    "SELECT id, session_id, started_at FROM sessions",
  );
  const sessions = new Map(rows.map((row) => [row.id, row]));
  const tallies = new Map<string, Tally>(TASKS.map((task) => [task, { first: 0, five: 0, reciprocal: 0, queries: 0 }]));
  for (const line of readLines("queries.jsonl")) {
    const query = JSON.parse(line) as Query;
    const before = query.before === undefined ? Infinity : Date.parse(query.before);
    const accept = (id: number): boolean => {
      const session = sessions.get(id);
      if (session === undefined || repos.get(session.session_id) !== query.repo) return false;
      return session.started_at < before && !query.exclude?.includes(session.session_id);
    };
    const { hits } = searchSessions(db, query.query, { limit: 50, accept });
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

function report(tallies: Map<string, Tally>): void {
  console.log("Finding the right session (share of queries; any@1, any@5, mean reciprocal rank)");
  const shares = [...tallies].map(([task, { first, five, reciprocal, queries }]) => {
    const row = [first, five, reciprocal].map((value) => (100 * value) / Math.max(1, queries));
    console.log(`  ${task.padEnd(9)} ${row.map((value) => value.toFixed(1).padStart(6)).join("")}   of ${queries}`);
    return row;
  });
  const mean = [0, 1, 2].map((column) => shares.reduce((sum, row) => sum + (row[column] ?? 0), 0) / shares.length);
  console.log(
    `  ${"mean".padEnd(9)} ${mean.map((value) => value.toFixed(1).padStart(6)).join("")}   wanted: any@5 at least 84`,
  );
}

function readLines(name: string): string[] {
  return readFileSync(join(DATA, name), "utf8").trim().split("\n");
}
