// Creates a store of real sessions: writes their transcripts where the agents would, and reads them with `c-mem sync`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Db, openDriver } from "../src/store/db/driver.ts";
import { updateSearchIndex } from "../src/store/fts/search-index.ts";
import { BIN } from "./measure.ts";

/** The folder of the real sessions, which are not part of the repository. */
export const DATA = resolve(process.env["C_MEM_REAL_SESSIONS"] ?? "none");

export interface RealStore {
  db: Db;
  home: string;
  /** The repository of each session, by the agent's id of the session. */
  repos: Map<string, string>;
}

/** Runs a benchmark. Without real sessions, prints that it is skipped. `repo`: only the sessions of this repository. */
export async function withRealSessions(
  name: string,
  work: (store: RealStore) => unknown,
  repo?: string,
): Promise<void> {
  if (!existsSync(join(DATA, "queries.jsonl"))) {
    console.log(`${name}: skipped, no real sessions (C_MEM_REAL_SESSIONS)`);
    return;
  }
  const home = mkdtempSync(join(tmpdir(), "c-mem-real-"));
  const repos = layOutSessions(home, repo);
  for (const command of [
    ["sync", "--quiet"],
    ["rebuild", "--all"],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...command], {
      env: { PATH: process.env["PATH"], C_MEM_WORKER: "0", HOME: home, C_MEM_HOME: join(home, ".c-mem") },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
  }
  const db = openDriver(join(home, ".c-mem", "c-mem.db"), { busyTimeoutMs: 1000 });
  // A session whose last turn has no end event would stay active, and active sessions are not embedded.
  db.run("UPDATE sessions SET status = 'completed' WHERE status = 'active'");
  updateSearchIndex(db);
  try {
    await work({ db, home: join(home, ".c-mem"), repos });
  } finally {
    db.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The lines of all transcripts; none without real sessions. */
export function readTranscriptLines(): string[] {
  if (!existsSync(join(DATA, "manifest.jsonl"))) return [];
  return readLines("manifest.jsonl").flatMap((line) => {
    const { file } = JSON.parse(line) as { file: string };
    return gunzipSync(readFileSync(join(DATA, `${file}.gz`)))
      .toString()
      .trim()
      .split("\n");
  });
}

/** Writes the transcripts where the agents would. Returns the repository of each session. */
export function layOutSessions(home: string, repo: string | undefined): Map<string, string> {
  const repos = new Map<string, string>();
  for (const line of readLines("manifest.jsonl")) {
    const entry = JSON.parse(line) as { file: string; repo: string; agent: string; session_id: string };
    if (repo !== undefined && entry.repo !== repo) continue;
    repos.set(entry.session_id, entry.repo);
    const path = join(home, transcriptPath(entry));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, gunzipSync(readFileSync(join(DATA, `${entry.file}.gz`))));
  }
  return repos;
}

function transcriptPath({ agent, repo, session_id: id }: { agent: string; repo: string; session_id: string }): string {
  if (agent === "Codex")
    return join(".codex", "sessions", "2026", "01", "01", `rollout-2026-01-01T00-00-00-${id}.jsonl`);
  if (agent === "Copilot CLI") return join(".copilot", "session-state", id, "events.jsonl");
  return join(".claude", "projects", repo.replaceAll("/", "-"), `${id}.jsonl`);
}

export interface Query {
  task: string;
  repo: string;
  query: string;
  gold: string[];
  before?: string;
  exclude?: string[];
}

/** What the user wanted in each session, from the summary in the manifest. Sessions without it are left out. */
export function readIntents(): { sessionId: string; repo: string; intent: string }[] {
  return readLines("manifest.jsonl").flatMap((line) => {
    const entry = JSON.parse(line) as { session_id: string; repo: string; summaries: { intent?: string }[] };
    const intent = entry.summaries[0]?.intent;
    return intent === undefined ? [] : [{ sessionId: entry.session_id, repo: entry.repo, intent }];
  });
}

/** None without real sessions. */
export function readQueries(): Query[] {
  if (!existsSync(join(DATA, "queries.jsonl"))) return [];
  return readLines("queries.jsonl").map((line) => JSON.parse(line) as Query);
}

function readLines(name: string): string[] {
  return readFileSync(join(DATA, name), "utf8").trim().split("\n");
}
