// Measures `why` on real sessions: lines to edits, commits to sessions, and the time in a large store.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { attributeLines } from "../src/core/lines/attribute-lines.ts";
import { readEdit, splitLines } from "../src/core/lines/file-change.ts";
import { parseJson } from "../src/core/json.ts";
import { blameLines } from "../src/recall/lines/blame-commits.ts";
import { explainFile } from "../src/recall/lines/explain-file.ts";
import { fileInCommit } from "../src/recall/lines/blame-commits.ts";
import type { Db } from "../src/store/db/driver.ts";
import { outputOf } from "../src/store/tables/tool-uses.ts";
import { BIN, percent, printRatios, type Sample } from "./measure.ts";
import { type RealStore, withRealSessions } from "./real-sessions.ts";
import { rebuildFile } from "./why-rebuild.ts";

/** The folder of the repositories that belong to the real sessions: *.bundle and commits.jsonl. */
const REPOS = resolve(
  process.env["C_MEM_REAL_REPOS"] ?? join(process.env["C_MEM_REAL_SESSIONS"] ?? "none", "..", "repos"),
);
const ROUNDS = 15;

export async function benchWhy(rounds: number): Promise<void> {
  await withRealSessions("why", async (store) => {
    benchReplay(store.db);
    await benchCommits(store);
    await benchClone(store);
  });
  if (rounds > 1) await benchSpeed(Math.min(rounds, ROUNDS));
}

interface Touched {
  path: string;
  project_id: number;
}

interface Use {
  name: string;
  input: string;
  output: string | null;
  kind: string;
  session_db_id: number;
  prompt_number: number;
}

/** Files whose recorded edits give their whole text: each line's edit is known, and compared with the one found. */
function benchReplay(db: Db): void {
  const total = { files: 0, lines: 0, edits: 0, turns: 0, missing: 0 };
  const files =
    db.all<Touched>(`SELECT f.path, s.project_id FROM file_touches f JOIN sessions s ON s.id = f.session_db_id
    WHERE f.kind <> 'read' GROUP BY 1, 2`);
  for (const { path, project_id } of files) {
    const uses = db.all<Use>(
      `SELECT t.name, t.input, ${outputOf("t").text} AS output, f.kind, t.session_db_id, t.prompt_number
       FROM file_touches f JOIN tool_uses t ON t.id = f.tool_use_db_id JOIN sessions s ON s.id = f.session_db_id
       WHERE f.path = ? AND s.project_id = ? AND f.kind <> 'read' ORDER BY f.created_at, f.id`,
      path,
      project_id,
    );
    const rebuilt = rebuildFile(uses);
    if (rebuilt === undefined) continue;
    const edits = uses.map((use) => readEdit({ ...use, input: parseJson(use.input) }, path));
    const origins = attributeLines(
      rebuilt.map(({ text }) => text),
      edits,
    );
    total.files += 1;
    for (const [index, { by }] of rebuilt.entries()) {
      const found = origins[index]?.edit;
      const [wanted, got] = [uses[by], found === undefined ? undefined : uses[found]];
      total.lines += 1;
      if (found === undefined) total.missing += 1;
      if (found === by) total.edits += 1;
      if (got?.session_db_id === wanted?.session_db_id && got?.prompt_number === wanted?.prompt_number)
        total.turns += 1;
    }
  }
  console.log(`Lines of ${total.files} files rebuilt from recorded edits (${total.lines} lines)`);
  console.log(`  led to the edit that inserted them: ${percent(total.edits, total.lines)} (goal: 98%)`);
  console.log(
    `  led to its turn: ${percent(total.turns, total.lines)}; without an edit: ${percent(total.missing, total.lines)}`,
  );
}

interface ListedCommit {
  repo: string;
  sha: string;
  author_time: number;
  commit_time: number;
  subject: string;
  files: string[][];
  sessions: string[];
}

/** The project of a repository: that of most of its sessions. */
function projectOf({ db, repos }: RealStore, repo: string): number | undefined {
  const ids = [...repos].filter(([, name]) => name === repo).map(([id]) => id);
  return db.value(
    "SELECT project_id FROM sessions WHERE session_id IN (SELECT value FROM json_each(?)) GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    JSON.stringify(ids),
  );
}

/** Thresholds were tuned on the first repository; the others show what they are worth. */
const TUNED_ON = "PackmindHub/context-evaluator";

async function benchCommits(store: RealStore): Promise<void> {
  const file = join(REPOS, "commits.jsonl");
  if (!existsSync(file)) return console.log("  commits: skipped, no commits.jsonl (C_MEM_REAL_REPOS)");
  // These modules import SQL files, which need the loader of dev/text-hooks.ts.
  const { updateLinks } = await import("../src/memory/relate/update-links.ts");
  const { findSessions } = await import("../src/memory/commits/find-sessions.ts");
  updateLinks(store.db, { maxMs: Infinity });
  const commits = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ListedCommit);
  console.log(
    "Commits linked to sessions by hash in the transcript, files, time and mentions; without trailers or lines",
  );
  for (const repo of [TUNED_ON, ...new Set(commits.map((commit) => commit.repo).filter((name) => name !== TUNED_ON))]) {
    const projectId = projectOf(store, repo);
    if (projectId === undefined) continue;
    const count = { links: 0, right: 0, labelled: 0, found: 0, unlabelled: 0, certain: 0 };
    for (const commit of commits.filter((each) => each.repo === repo)) {
      const links = findSessions(store.db, projectId, {
        sha: commit.sha,
        author: "",
        authoredAt: commit.author_time * 1000,
        committedAt: commit.commit_time * 1000,
        subject: commit.subject,
        body: "",
        files: commit.files.map((each) => ({ path: each.at(-1) ?? "" })),
      });
      const isRight = ({ sessionDbId }: { sessionDbId: number }): boolean =>
        commit.sessions.includes(sessionIdOf(store.db, sessionDbId));
      if (commit.sessions.length === 0) {
        count.unlabelled += links.length;
        count.certain += links.filter(({ basis }) => basis === "output").length;
        continue;
      }
      count.labelled += 1;
      count.links += links.length;
      count.right += links.filter(isRight).length;
      count.found += links.some(isRight) ? 1 : 0;
    }
    const role = repo === TUNED_ON ? "thresholds tuned here" : "looked at while the rules were chosen";
    console.log(`  ${repo} (${role}): ${count.labelled} commits with known sessions`);
    console.log(`    precision ${percent(count.right, count.links)} of ${count.links} links (goal: 95%)`);
    console.log(`    recall ${percent(count.found, count.labelled)} of commits (goal: 75%)`);
    console.log(
      `    links of commits without a trailer, not counted: ${count.unlabelled}, of which git printed ${count.certain} in the session`,
    );
  }
}

function sessionIdOf(db: Db, id: number): string {
  return db.value<string>("SELECT session_id FROM sessions WHERE id = ?", id) ?? "";
}

/** In a clone: the links by lines, and how many lines that the sessions' commits changed lead to a session. */
async function benchClone(store: RealStore): Promise<void> {
  const bundle = existsSync(REPOS) ? readdirSync(REPOS).find((name) => name.endsWith(".bundle")) : undefined;
  const list = join(REPOS, "commits.jsonl");
  if (bundle === undefined || !existsSync(list)) return console.log("  clone: skipped, no bundle (C_MEM_REAL_REPOS)");
  const repo = [...new Set(store.repos.values())].find((name) => name.endsWith(`/${bundle.replace(/\.bundle$/, "")}`));
  const projectId = repo === undefined ? undefined : projectOf(store, repo);
  if (projectId === undefined) return;
  const { linkNewCommits } = await import("../src/memory/commits/link-commits.ts");
  const commits = readFileSync(list, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ListedCommit);
  const labelled = new Map(
    commits.filter((each) => each.repo === repo && each.sessions.length > 0).map((each) => [each.sha, each]),
  );
  const top = mkdtempSync(join(tmpdir(), "c-mem-why-"));
  try {
    git(top, "clone", "--quiet", "--no-checkout", join(REPOS, bundle), ".");
    const branch = git(top, "for-each-ref", "--format=%(refname)", "refs/remotes")
      .split("\n")
      .find((name) => !name.endsWith("/HEAD"));
    git(top, "checkout", "--quiet", "-b", "bench", branch ?? "HEAD");
    const shas = git(top, "rev-list", "HEAD").split("\n");
    const done = await linkNewCommits(store.db, { id: projectId, root: top }, { env: process.env, now: Date.now() });
    const links = store.db.all<{ sha: string; session_id: string }>(
      `SELECT c.sha, s.session_id FROM commits c JOIN sessions s ON s.id = c.session_db_id
       WHERE s.project_id = ? AND c.author IS NOT NULL`,
      projectId,
    );
    const known = links.flatMap(({ sha, session_id }) => {
      const commit = labelled.get(shas.find((full) => full.startsWith(sha)) ?? "");
      return commit === undefined ? [] : [{ commit, isRight: commit.sessions.includes(session_id) }];
    });
    const found = new Set(known.filter(({ isRight }) => isRight).map(({ commit }) => commit.sha));
    const all = shas.filter((sha) => labelled.has(sha)).length;
    console.log(`A clone of ${repo}: ${done?.read} commits since its first session compared, ${done?.linked} links`);
    console.log(
      `  with lines: precision ${percent(known.filter(({ isRight }) => isRight).length, known.length)} of ${known.length} links, recall ${percent(found.size, all)} of ${all} commits`,
    );
    await benchLines(store.db, { projectId, top, labelled });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** Lines of today's files that commits with known sessions wrote. */
async function benchLines(
  db: Db,
  { projectId, top, labelled }: { projectId: number; top: string; labelled: ReadonlyMap<string, ListedCommit> },
): Promise<void> {
  const total = { lines: 0, led: 0, right: 0, edited: 0, editedLed: 0 };
  const changed = new Set([...labelled.values()].flatMap((commit) => commit.files.map((each) => each.at(-1) ?? "")));
  const place = { top, env: process.env };
  const sha = git(top, "rev-parse", "HEAD");
  for (const path of git(top, "ls-files", "-z").split("\0")) {
    if (!changed.has(path)) continue;
    const [blamed, content] = [
      await blameLines(place, { sha, path, followMoves: true }),
      await fileInCommit(place, sha, path),
    ];
    if (blamed === undefined || content === undefined || content.includes("\0")) continue;
    const lines = splitLines(content);
    const reasons = await explainFile(db, {
      projectId,
      top,
      path,
      lines,
      history: Promise.resolve({ blamed, committed: lines }),
      until: Number.MAX_SAFE_INTEGER,
      readCommitted: (commit, file) => fileInCommit(place, commit, file),
      linkCommits: async () => {},
    });
    const isEdited = db.has(
      "SELECT 1 FROM file_touches f JOIN sessions s ON s.id = f.session_db_id WHERE f.path = ? AND f.kind <> 'read' AND s.project_id = ?",
      path,
      projectId,
    );
    for (const [index, reason] of reasons.entries()) {
      const commit = labelled.get(blamed.get(index + 1)?.commit.sha ?? "");
      if (commit === undefined) continue;
      const session = reason.turn && sessionIdOf(db, reason.turn.sessionDbId);
      total.lines += 1;
      total.led += session === undefined ? 0 : 1;
      total.right += session !== undefined && commit.sessions.includes(session) ? 1 : 0;
      total.edited += isEdited ? 1 : 0;
      total.editedLed += isEdited && session !== undefined ? 1 : 0;
    }
  }
  console.log(
    `  ${total.lines} lines of commits with known sessions: ${percent(total.led, total.lines)} lead to a session`,
  );
  console.log(`    of these ${percent(total.right, total.led)} to one behind the commit`);
  console.log(
    `    in the files that a recorded session edited: ${percent(total.editedLed, total.edited)} of ${total.edited} lines`,
  );
}

const TOOL_USES = 1_000_000;
const FILE_LINES = 5_000;
const EDITS = 400;
const COMMITS = 40;

/** A file that a recorded session wrote and edited often, in a repository with as many commits by hand. */
async function benchSpeed(rounds: number): Promise<void> {
  const { createStore } = await import("./fill-store.ts");
  const home = mkdtempSync(join(tmpdir(), "c-mem-why-"));
  const project = join(home, "app");
  const empty = join(home, "empty.cjs");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(empty, "");
  try {
    const db = createStore(home, TOOL_USES);
    git(project, "init", "--quiet");
    db.run("UPDATE projects SET key = ?, root = ? WHERE id = 1", project, project);
    writeHistory(db, project);
    db.close();
    const env = { PATH: process.env["PATH"], C_MEM_WORKER: "0", HOME: home };
    const start = (args: string[]) => () => {
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: project, env, maxBuffer: 1e9 });
      if (status !== 0) throw new Error(`${args.join(" ")}: ${String(stderr)}`);
    };
    const samples: Sample[] = [
      { name: "bare node", run: start([empty]) },
      { name: "why, the whole file", run: start([BIN, "why", "src/big.js"]) },
      { name: "why, one line", run: start([BIN, "why", "src/big.js:2500"]) },
      { name: "why, one line, --json", run: start([BIN, "why", "src/big.js:2500", "--json"]) },
      { name: "why, a commit", run: start([BIN, "why", "HEAD"]) },
    ];
    for (const { run } of samples) run();
    console.log(
      `A file of ${FILE_LINES} lines, ${EDITS} edits and ${COMMITS} commits, in a store with ${TOOL_USES.toLocaleString("en")} tool uses (${rounds} rounds, goal: at most 6)`,
    );
    printRatios(samples, rounds);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function writeHistory(db: Db, project: string): void {
  const lines = Array.from(
    { length: FILE_LINES },
    (_, index) => `export const value${index} = compute(${index}, "first");`,
  );
  const session = db.value<number>("SELECT max(id) FROM sessions WHERE project_id = 1") ?? 0;
  const use = (id: string, at: number, input: object, kind: string): void => {
    const { lastId } = db.run(
      "INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, output, is_error, created_at) VALUES (?, ?, ?, 'Edit', ?, '', 0, ?)",
      session,
      1 + (at % 5),
      id,
      JSON.stringify(input),
      at,
    );
    db.run(
      "INSERT INTO file_touches (session_db_id, tool_use_db_id, path, kind, created_at) VALUES (?, ?, 'src/big.js', ?, ?)",
      session,
      lastId,
      kind,
      at,
    );
  };
  const path = join(project, "src", "big.js");
  let at = Date.now() - 1_000_000;
  writeFileSync(path, `${lines.slice(0, FILE_LINES / 2).join("\n")}\n`);
  git(project, "add", "-A");
  git(project, "-c", "user.name=Anna", "-c", "user.email=anna@example.org", "commit", "--quiet", "-m", "Begin");
  for (let edit = 0; edit < EDITS; edit++) {
    const line = (edit * 997) % FILE_LINES;
    const before = lines[line] ?? "";
    lines[line] = `export const value${line} = compute(${line}, "edit ${edit}");`;
    use(`big-${edit}`, at, { file_path: path, old_string: before, new_string: lines[line] }, "edit");
    at += 1_000;
    if (edit % (EDITS / COMMITS) > 0) continue;
    writeFileSync(path, `${lines.join("\n")}\n`);
    git(project, "add", "-A");
    git(
      project,
      "-c",
      "user.name=Anna",
      "-c",
      "user.email=anna@example.org",
      "commit",
      "--quiet",
      "-m",
      `Change ${edit}`,
    );
  }
  writeFileSync(path, `${lines.join("\n")}\n`);
}

function git(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, encoding: "utf8", maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}
