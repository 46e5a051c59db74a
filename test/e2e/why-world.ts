// A project with a repository, in which agents and people change files, and questions to `c-mem why` about it.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { createWorld, data, hook, type World } from "./harness.ts";

export interface Reason {
  session_id: string | null;
  prompt_number: number | null;
  prompt: string | null;
  lines: [number, number] | null;
  commit: string | null;
  author: string | null;
  confidence: number | null;
  basis: string;
  subject: string | null;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Anna",
  GIT_AUTHOR_EMAIL: "anna@example.org",
  GIT_COMMITTER_NAME: "Anna",
  GIT_COMMITTER_EMAIL: "anna@example.org",
};

export function git(world: World, ...args: string[]): string {
  const env = {
    ...world.env,
    ...IDENTITY,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
  };
  return execFileSync("git", args, {
    cwd: world.project,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

export function commit(world: World, message: string, author = "Anna"): string {
  git(world, "add", "-A");
  git(world, "commit", "-q", "-m", message, `--author=${author} <${author.toLowerCase()}@example.org>`);
  return git(world, "rev-parse", "HEAD");
}

/** Writes a file by hand. */
export function put(world: World, path: string, content: string): void {
  const full = join(world.project, path);
  mkdirSync(join(full, ".."), { recursive: true });
  writeFileSync(full, content);
}

export async function ask(world: World, session: string, prompt: string): Promise<void> {
  await hook(world, "new", { session_id: session, hook_event_name: "UserPromptSubmit", prompt });
}

let uses = 0;

/** Changes the file as the agent's tool does, and reports that. */
export async function edit(world: World, session: string, path: string, before: string, after: string): Promise<void> {
  const full = join(world.project, path);
  const old = readFileSync(full, "utf8");
  expect(old.split(before)).toHaveLength(2);
  writeFileSync(
    full,
    old.replace(before, () => after),
  );
  await report(world, session, "Edit", { file_path: full, old_string: before, new_string: after }, {});
}

export async function write(
  world: World,
  session: string,
  path: string,
  content: string,
  top = world.project,
): Promise<void> {
  const full = join(top, path);
  mkdirSync(join(full, ".."), { recursive: true });
  writeFileSync(full, content);
  await report(world, session, "Write", { file_path: full, content }, { type: "create", content });
}

export async function report(
  world: World,
  session: string,
  tool: string,
  input: object,
  response: object,
): Promise<void> {
  await hook(world, "save", {
    session_id: session,
    hook_event_name: "PostToolUse",
    tool_name: tool,
    tool_use_id: `t${uses++}`,
    tool_input: input,
    tool_response: response,
  });
}

export async function why(world: World, ...args: string[]): Promise<Reason[]> {
  return ((await data(world, ["why", ...args])) as unknown as { results: Reason[] }).results;
}

/** "1-3 one/2 abc1234" for each range; "-" for what is not known. */
export function brief(results: readonly Reason[]): string[] {
  return results.map(
    ({ lines, session_id, prompt_number, commit: sha }) =>
      `${lines?.join("-")} ${session_id === null ? "-" : `${session_id}/${prompt_number}`} ${sha?.slice(0, 7) ?? "-"}`,
  );
}

export const STORE = `export function saveTodos(todos) {
  const text = JSON.stringify(todos);
  localStorage.setItem("todos", text);
}

export function loadTodos() {
  return JSON.parse(localStorage.getItem("todos") ?? "[]");
}
`;

/** A project with a file by hand (lib/util.js) and one by the session "one" in its first turn (src/store.js). */
export async function createProject(config: readonly (readonly [string, string])[] = []): Promise<World> {
  const world = createWorld();
  git(world, "init", "-q", "-b", "main");
  for (const [key, value] of config) git(world, "config", key, value);
  mkdirSync(join(world.project, "lib"));
  writeFileSync(
    join(world.project, "lib", "util.js"),
    "export const add = (a, b) => a + b;\nexport const none = undefined;\n",
  );
  commit(world, "Add helpers");
  await ask(world, "one", "Store the todos in the browser");
  await write(world, "one", "src/store.js", STORE);
  return world;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** The patch that Claude Code logs. */
function structuredPatch(before: string, after: string): Hunk[] {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-patch-"));
  writeFileSync(join(folder, "a"), before);
  writeFileSync(join(folder, "b"), after);
  const args = ["diff", "--no-index", "--no-color", "-U3", "a", "b"];
  const { stdout } = spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  const hunks: Hunk[] = [];
  for (const line of stdout.split("\n")) {
    const [, oldStart, oldLines = 1, newStart, newLines = 1] =
      /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (oldStart !== undefined)
      hunks.push({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newStart: Number(newStart),
        newLines: Number(newLines),
        lines: [],
      });
    else if (line !== "") hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

interface Part {
  old_string: string;
  new_string: string;
}

/** Makes several changes as MultiEdit does, and logs their patch. */
export async function multiEdit(world: World, session: string, path: string, edits: readonly Part[]): Promise<void> {
  const full = join(world.project, path);
  const old = readFileSync(full, "utf8");
  const now = edits.reduce((text, part) => text.replace(part.old_string, () => part.new_string), old);
  writeFileSync(full, now);
  const response = { filePath: full, edits, structuredPatch: structuredPatch(old, now) };
  await report(world, session, "MultiEdit", { file_path: full, edits }, response);
}

/** Writes a file that exists, and logs the patch. */
export async function overwrite(world: World, session: string, path: string, content: string): Promise<void> {
  const full = join(world.project, path);
  const old = readFileSync(full, "utf8");
  writeFileSync(full, content);
  const response = { type: "update", filePath: full, content, structuredPatch: structuredPatch(old, content) };
  await report(world, session, "Write", { file_path: full, content }, response);
}

/** Runs a command as the agent's tool does, and reports what it printed. */
export async function shell(world: World, session: string, command: string): Promise<string> {
  const { stdout, stderr } = spawnSync("sh", ["-c", command], {
    cwd: world.project,
    env: { ...world.env, ...IDENTITY },
    encoding: "utf8",
  });
  await report(world, session, "Bash", { command }, { stdout: stdout + stderr, stderr: "", interrupted: false });
  return stdout;
}
