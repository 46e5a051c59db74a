// How long a search takes as the store grows: rare, common and long queries against a plain FTS5 query of the same words.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { quoted } from "../src/core/query.ts";
import { scopeWord, wordsOf } from "../src/core/words.ts";
import { searchSessions } from "../src/recall/search.ts";
import { type Db, openDriver } from "../src/store/driver.ts";
import { transaction } from "../src/store/transaction.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SIZES = [100_000, 1_000_000];
/** Tool uses to a turn, turns to a session. */
const USES_PER_TURN = 10;
const TURNS_PER_SESSION = 5;
const VOCABULARY = 40_000;
const WORDS_PER_ROW = 40;

export async function benchSearch(): Promise<void> {
  console.log(
    `Searching (Node ${process.versions.node}); p50 / p95 / slowest in ms, and p50 against a plain FTS5 OR of the same words`,
  );
  for (const size of SIZES) {
    const home = mkdtempSync(join(tmpdir(), "c-mem-search-bench-"));
    // The schema comes from the program itself.
    spawnSync(process.execPath, [join(ROOT, "bin", "c-mem.cjs"), "projects"], {
      env: { PATH: process.env["PATH"], HOME: home },
    });
    const db = openDriver(join(home, ".c-mem", "c-mem.db"), { busyTimeoutMs: 1000 });
    fill(db, size);
    measure(db, size);
    db.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Words by Zipf's law, as in real text: few very common ones, many rare ones; the same on every run. */
let seed = 1;
function random(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
}

function word(): string {
  return `w${Math.floor(VOCABULARY ** random())}x`;
}

function text(words: number): string {
  return Array.from({ length: words }, word).join(" ");
}

function fill(db: Db, size: number): void {
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;");
  db.run("INSERT INTO projects (key, name, root, created_at) VALUES ('app', 'app', '/app', 1)");
  const perSession = USES_PER_TURN * TURNS_PER_SESSION;
  for (let session = 0; session < size / perSession; session += 200) {
    transaction(db, () => {
      for (let index = session; index < Math.min(session + 200, size / perSession); index++) addSession(db, index);
    });
  }
  for (const table of ["turns_fts", "tool_uses_fts"]) db.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
}

function addSession(db: Db, index: number): void {
  const scope = scopeWord(1);
  const { lastId: session } = db.run(
    "INSERT INTO sessions (session_id, agent, project_id, cwd, prompt_count, started_at, last_at) VALUES (?, 'claude-code', 1, '/app', ?, ?, ?)",
    `s${index}`,
    TURNS_PER_SESSION,
    index * 1000,
    index * 1000 + 500,
  );
  for (let turn = 1; turn <= TURNS_PER_SESSION; turn++) {
    const { lastId: prompt } = db.run(
      "INSERT INTO prompts (session_db_id, prompt_number, text, created_at) VALUES (?, ?, '', ?)",
      session,
      turn,
      index * 1000 + turn,
    );
    db.run(
      "INSERT INTO turns_fts (rowid, scope, prompt, answer, calls) VALUES (?, ?, ?, ?, ?)",
      prompt,
      scope,
      text(12),
      text(WORDS_PER_ROW * 3),
      text(WORDS_PER_ROW),
    );
    for (let use = 0; use < USES_PER_TURN; use++) {
      const { lastId: id } = db.run(
        "INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, is_error, created_at) VALUES (?, ?, ?, 'Bash', '{}', 0, ?)",
        session,
        turn,
        `${turn}-${use}`,
        index * 1000 + turn,
      );
      db.run(
        "INSERT INTO tool_uses_fts (rowid, scope, input, output) VALUES (?, ?, ?, ?)",
        id,
        scope,
        text(8),
        text(WORDS_PER_ROW),
      );
    }
  }
}

const KINDS: Record<string, () => string> = {
  rare: () => Array.from({ length: 3 }, () => `w${Math.floor(VOCABULARY * (0.5 + random() / 2))}x`).join(" "),
  common: () => Array.from({ length: 4 }, () => `w${Math.floor(1 + random() * 30)}x`).join(" "),
  long: () => text(300),
};

function measure(db: Db, size: number): void {
  for (const [kind, make] of Object.entries(KINDS)) {
    const queries = Array.from({ length: 40 }, make);
    const ours = queries.map((query) => time(() => searchSessions(db, query, { limit: 10, project: 1 })));
    const plain = queries.slice(0, kind === "rare" ? 40 : 5).map((query) => time(() => plainSearch(db, query)));
    const [p50, p95, slowest] = [0.5, 0.95, 1].map((share) => quantile(ours, share));
    const ratio = (p50 ?? 0) / quantile(plain, 0.5);
    console.log(
      `  ${size.toLocaleString("en").padStart(9)} tool uses, ${kind.padEnd(6)} ${[p50, p95, slowest].map((ms) => (ms ?? 0).toFixed(1).padStart(7)).join("")}   ${ratio.toFixed(3)} of plain`,
    );
  }
}

function plainSearch(db: Db, query: string): void {
  const any = [...new Set(wordsOf(query))].map((each) => quoted(each)).join(" OR ");
  for (const table of ["turns_fts", "tool_uses_fts"]) {
    db.all(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY bm25(${table}) LIMIT 10`, any);
  }
}

function time(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
