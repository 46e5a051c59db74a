// Measures how long each hook command takes, against a bare start of the same Node, interleaved.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PLUGIN, printRatios, type Sample } from "./measure.ts";

const HOOK = join(PLUGIN, "hook.cjs");
/** How many prompts and tool uses, and how many observations, the store has. */
const ROWS = 10_000;
const OBSERVATIONS = 100_000;

export async function benchHooks(rounds: number): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "c-mem-bench-"));
  const project = join(scratch, "project");
  const home = join(scratch, "home");
  const empty = join(scratch, "empty.cjs");
  mkdirSync(project);
  writeFileSync(empty, "");
  spawnSync("git", ["init", "-q"], { cwd: project });
  const start =
    (args: string[], input: string, extra: Record<string, string> = {}) =>
    () => {
      const { status } = spawnSync(process.execPath, args, {
        input,
        cwd: project,
        env: { PATH: process.env["PATH"], C_MEM_HOME: home, HOME: scratch, ...extra },
      });
      if (status !== 0) throw new Error(`exit ${status}`);
    };
  const hook = (command: string, payload: object, extra: Record<string, string> = {}) =>
    start([HOOK, command], JSON.stringify({ session_id: "bench", prompt_id: "p", cwd: project, ...payload }), extra);
  fakeHeartbeat(home);
  fill(home, project, hook);
  // The bytecode cached while the store was empty lacks functions that the measured runs call.
  rmSync(join(home, "cache"), { recursive: true, force: true });
  const samples: Sample[] = [
    { name: "bare node", before: () => fakeHeartbeat(home), run: start([empty], "") },
    { name: "save, 5 KB", run: hook("save", toolUse(5)) },
    { name: "save, 5 KB, worker disabled", run: hook("save", toolUse(5), { C_MEM_WORKER: "0" }) },
    { name: "save, 100 KB", run: hook("save", toolUse(100)) },
    { name: "save, 1 MB", run: hook("save", toolUse(1024)) },
    { name: "new, 5 KB", run: hook("new", { hook_event_name: "UserPromptSubmit", prompt: text(5) }) },
    { name: "new, 100 KB", run: hook("new", { hook_event_name: "UserPromptSubmit", prompt: text(100) }) },
    { name: "summary, 5 KB", run: hook("summary", { hook_event_name: "Stop", last_assistant_message: text(5) }) },
    { name: "cleanup", run: hook("cleanup", { hook_event_name: "SessionEnd", reason: "other" }) },
    {
      name: `context, ${ROWS.toLocaleString("en")} rows`,
      before: () => rmSync(join(home, "spool"), { recursive: true, force: true }),
      run: hook("context", { session_id: "next", hook_event_name: "SessionStart", source: "startup" }),
    },
  ];
  const recallHook = (tool: string, input: object) => {
    // A file or command is looked up once per session, so each call is in another session.
    let session = 0;
    return () =>
      hook("recall", {
        session_id: `r${session++}`,
        hook_event_name: "PreToolUse",
        tool_name: tool,
        tool_input: input,
      })();
  };
  const failure = {
    hook_event_name: "PostToolUseFailure",
    tool_name: "Bash",
    tool_use_id: "f",
    tool_input: { command: "make" },
  };
  let promptCount = 0;
  samples.push(
    { name: "recall, a known file", run: recallHook("Edit", { file_path: join(project, "src/file-7.ts") }) },
    { name: "recall, an unknown file", run: recallHook("Edit", { file_path: join(project, "src/none.ts") }) },
    { name: "recall, a command", run: recallHook("Bash", { command: "npm run task-3" }) },
    {
      name: "recall, the same file again",
      run: hook("recall", {
        hook_event_name: "PreToolUse",
        tool_name: "Edit",
        tool_input: { file_path: join(project, "src/file-8.ts") },
      }),
    },
    {
      name: "new, a prompt with a match",
      run: () =>
        hook("new", { session_id: `q${promptCount++}`, hook_event_name: "UserPromptSubmit", prompt: QUESTION })(),
    },
    { name: "new, a reply", run: hook("new", { hook_event_name: "UserPromptSubmit", prompt: "yes, go on" }) },
    {
      name: "save, a known failure",
      run: hook("save", { ...failure, error: "Exit code 2\nError: widget 77 has no frobnicator" }),
    },
    {
      name: "save, an unknown failure",
      run: hook("save", { ...failure, error: "Exit code 2\nError: quite another thing went wrong here" }),
    },
  );
  samples.push({ name: "statusline", run: hook("statusline", { workspace: { current_dir: project } }) });
  console.log(`Hook commands against a bare start of Node ${process.versions.node} (${rounds} rounds, interleaved)`);
  printRatios(samples, rounds);
  console.log("  targets for the ratio: save, 5 KB <= 1.35; recall <= 1.50; context <= 1.60; statusline <= 2");
  rmSync(scratch, { recursive: true, force: true });
}

/** Fakes a worker's heartbeat, so that hooks start no worker. */
function fakeHeartbeat(home: string): void {
  mkdirSync(join(home, "worker"), { recursive: true });
  writeFileSync(join(home, "worker", "lock.json"), "{}");
}

const LINES = [
  "  const result = await fetchUser(id); // returns undefined when logged out",
  "src/user.ts:42:  export function rename(user: User, name: string): User {",
  "PASS  test/user.test.ts (12 tests, 340 ms)",
  "+    if (response.status !== 200) throw new HttpError(response.status);",
  "drwxr-xr-x  5 dev dev  4096 Nov  3 12:04 components",
  "commit 3f9a1c7be04d5826a1f0c39b7e5d8402bc6a91fe  Merge branch 'settings'",
  "  <Button onClick={() => setOpen(true)}>Rename</Button>",
];
/** The word "token" makes the filter check this line more closely. */
const SUSPECT = "  const result = await refresh(id); // returns undefined when the session token is gone";

/** Output as usual: one line in eight has a word such as "token". */
function text(kilobytes: number): string {
  const block = `${[...LINES, SUSPECT].join("\n")}\n`;
  return block.repeat(Math.ceil((kilobytes * 1024) / block.length));
}

function toolUse(kilobytes: number): object {
  return {
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: "t",
    tool_input: { command: "cat src/user.ts" },
    tool_response: { stdout: text(kilobytes), stderr: "" },
  };
}

const QUESTION = "Why does widget4711 lose its calibration when gateway4711 restarts part4711?";

/** Fills the store as after months of work: real hooks create the schema, SQL inserts the rows. */
function fill(home: string, project: string, hook: (command: string, payload: object) => () => void): void {
  hook("new", { hook_event_name: "UserPromptSubmit", prompt: "first" })();
  hook("context", { session_id: "next", hook_event_name: "SessionStart", source: "startup" })();
  const db = new DatabaseSync(join(home, "c-mem.db"));
  db.exec(`BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO sessions (session_id, agent, project_id, title, prompt_count, git_branch, cwd, started_at, last_at)
      SELECT 's' || i, 'claude-code', 1, 'Session ' || i, 10, 'main', '${project}', i * 100000, i * 100000 + 5000 FROM n;
    INSERT INTO prompts (session_db_id, prompt_number, text, response, created_at, ended_at)
      SELECT s.id, p.value, 'Prompt ' || p.value || ' of ' || s.session_id, 'Done.', s.started_at, s.started_at + 1
      FROM sessions s, json_each('[1,2,3,4,5,6,7,8,9,10]') p WHERE s.session_id LIKE 's%';
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS / 100 - 10})
      INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, output, is_error, exit_code, created_at)
      SELECT s.id, 1 + n.i % 10, s.session_id || '-' || n.i, CASE n.i % 3 WHEN 0 THEN 'Edit' ELSE 'Bash' END,
        json_object('command', 'npm run task-' || (n.i % 20), 'file_path', 'src/file-' || n.i % 30 || '.ts'),
        'line of output' || char(10) || 'Error: something', n.i % 5 = 0, n.i % 5 = 0, s.started_at + n.i
      FROM sessions s, n WHERE s.session_id LIKE 's%';
    INSERT INTO file_touches (session_db_id, tool_use_db_id, path, kind, added, removed, created_at)
      SELECT session_db_id, id, json_extract(input, '$.file_path'), 'edit', 3, 1, created_at FROM tool_uses WHERE name = 'Edit';
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${OBSERVATIONS})
      INSERT INTO observations (project_id, session_db_id, prompt_number, type, title, narrative, facts, concepts, files, evidence, origin,
        subject, producer, content_hash, valid_from, created_at)
      SELECT 1, 1 + n.i % 100, 1, CASE n.i % 3 WHEN 0 THEN 'decision' WHEN 1 THEN 'bugfix' ELSE 'change' END,
        'Calibration of widget' || n.i || ' is lost by gateway' || n.i, 'It lost word' || (n.i % 997) || ' after a restart of part' || n.i || '.',
        '[]', '[]', json_array('src/file-' || (n.i % 5000) || '.ts'), '["p1"]', 'user',
        CASE n.i % 50 WHEN 0 THEN 'error:widget # has no frobnicator' || n.i END, 'extractor', 'h' || n.i, n.i * 1000, n.i * 1000 FROM n;
    INSERT INTO observations_fts (rowid, scope, title, body, files)
      SELECT id, 'cmemproject1', title, narrative, files FROM observations;
    INSERT INTO observation_keys (kind, key, observation_id)
      SELECT 'file', json_extract(files, '$[0]'), id FROM observations;
    COMMIT;`);
  db.close();
}
