// c-mem why: an agent edits, the user commits by hand, amends, rebases and squashes, and each line keeps its turn.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { contextOf, data, hook, rows, run, type World } from "./harness.ts";
import { connect } from "./mcp-client.ts";
import {
  ask,
  brief,
  commit,
  createProject,
  edit,
  git,
  overwrite,
  put,
  type Reason,
  report,
  STORE,
  why,
  write,
} from "./why-world.ts";

describe("after an agent's edits", () => {
  let world: World;
  beforeAll(async () => {
    world = await createProject();
  });

  it("every line leads to its turn before anything is committed", async () => {
    expect(brief(await why(world, "src/store.js"))).toEqual(["1-8 one/1 -"]);
    await ask(world, "one", "Also keep the done flag");
    await edit(world, "one", "src/store.js", "JSON.stringify(todos)", "JSON.stringify(todos.map(withDoneFlag))");
    expect(brief(await why(world, "src/store.js"))).toEqual(["1-1 one/1 -", "2-2 one/2 -", "3-8 one/1 -"]);
    expect(await why(world, "src/store.js:2")).toMatchObject([
      { session_id: "one", prompt: "Also keep the done flag", lines: [2, 2], confidence: 1, basis: "edit" },
    ]);
  });

  it("a line changed by hand and a file of another author have no session", async () => {
    const path = join(world.project, "src/store.js");
    writeFileSync(path, readFileSync(path, "utf8").replace('?? "[]"', '?? "[null]"'));
    expect(brief(await why(world, "src/store.js:6-8"))).toEqual(["6-6 one/1 -", "7-7 - -", "8-8 one/1 -"]);
    const { stdout } = await run(world, ["why", "lib/util.js"]);
    expect(stdout).toMatch(/1-2 +Anna, \d+ \w+, no recorded session {2}commit [0-9a-f]{9} Add helpers/);
  });

  it("the commit by hand is linked, and its own lines stay by hand", async () => {
    const sha = commit(world, "Keep todos between visits (#7)");
    const short = sha.slice(0, 7);
    expect(brief(await why(world, "src/store.js"))).toEqual([
      `1-1 one/1 ${short}`,
      `2-2 one/2 ${short}`,
      `3-6 one/1 ${short}`,
      `7-7 - ${short}`,
      `8-8 one/1 ${short}`,
    ]);
    expect(await why(world, "HEAD")).toMatchObject([{ session_id: "one", lines: null, commit: sha, basis: "lines" }]);
    const [found] = await why(world, short);
    expect(found?.confidence).toBeGreaterThan(0.6);
    expect(found?.confidence).toBeLessThan(1);
  });

  it("amending the commit changes nothing but the commit", async () => {
    const path = join(world.project, "lib/util.js");
    writeFileSync(path, `${readFileSync(path, "utf8")}export const answer = 42;\n`);
    git(world, "commit", "-q", "-a", "--amend", "-m", "Keep todos in the browser's storage (#7)");
    const short = git(world, "rev-parse", "HEAD").slice(0, 7);
    expect(brief(await why(world, "src/store.js:1-2"))).toEqual([`1-1 one/1 ${short}`, `2-2 one/2 ${short}`]);
    expect(brief(await why(world, "lib/util.js:3"))).toEqual([`3-3 - ${short}`]);
    expect(await why(world, short)).toMatchObject([{ session_id: "one" }]);
  });

  it("the words and the pull request of a commit find the session, which lists it", async () => {
    const results = async (words: string): Promise<unknown> =>
      (await data(world, ["search", words, "--limit", "3"]))["results"];
    expect(await results("browser's storage")).toMatchObject([{ session_id: "one" }]);
    expect(await results("pr 7")).toMatchObject([{ session_id: "one" }]);
    const { turns } = (await data(world, ["show", "one"])) as unknown as {
      turns: { commits: { subject: string }[] }[];
    };
    expect(turns.flatMap(({ commits }) => commits.map(({ subject }) => subject))).toContain(
      "Keep todos in the browser's storage (#7)",
    );
    expect((await run(world, ["show", "one"])).stdout).toContain("Keep todos in the browser's storage (#7)");
  });
});

describe("after a rebase and a squash", () => {
  it("each line leads to its turn, and the new commits to their sessions", async () => {
    const world = await createProject();
    const base = git(world, "rev-parse", "HEAD");
    git(world, "checkout", "-q", "-b", "feature");
    commit(world, "Store todos");
    await ask(world, "two", "Clear the todos");
    const end = `  return JSON.parse(localStorage.getItem("todos") ?? "[]");\n}\n`;
    await edit(
      world,
      "two",
      "src/store.js",
      end,
      `${end}\nexport function clearTodos() {\n  localStorage.removeItem("todos");\n}\n`,
    );
    commit(world, "Clear todos");
    git(world, "checkout", "-q", "main");
    writeFileSync(join(world.project, "lib", "more.js"), "export const more = true;\n");
    commit(world, "Add more");
    git(world, "checkout", "-q", "feature");
    git(world, "rebase", "-q", "main");
    const [second, first] = git(world, "log", "--format=%H", "-2")
      .split("\n")
      .map((sha) => sha.slice(0, 7));
    expect(brief(await why(world, "src/store.js"))).toEqual([`1-8 one/1 ${first}`, `9-12 two/1 ${second}`]);
    git(world, "checkout", "-q", "main");
    git(world, "merge", "-q", "--squash", "feature");
    const squashed = commit(world, "Todos (#12)");
    expect(brief(await why(world, "src/store.js"))).toEqual([
      `1-8 one/1 ${squashed.slice(0, 7)}`,
      `9-12 two/1 ${squashed.slice(0, 7)}`,
    ]);
    expect((await why(world, squashed)).map(({ session_id }) => session_id).toSorted()).toEqual(["one", "two"]);
    expect(brief(await why(world, "src/store.js", "--at", "feature~1"))).toEqual([`1-8 one/1 ${first}`]);
    expect(brief(await why(world, "lib/util.js"))).toEqual([`1-2 - ${base.slice(0, 7)}`]);
  });

  it("a renamed, reindented or deleted file keeps its turns", async () => {
    const world = await createProject();
    commit(world, "Store todos");
    git(world, "mv", "src/store.js", "src/todos.js");
    const moved = join(world.project, "src/todos.js");
    writeFileSync(moved, readFileSync(moved, "utf8").replaceAll("  ", "\t"));
    const sha = commit(world, "Rename the store").slice(0, 7);
    const found = await why(world, "src/todos.js");
    expect(new Set(found.map(({ session_id, prompt_number }) => `${session_id}/${prompt_number}`))).toEqual(
      new Set(["one/1"]),
    );
    expect(found.every((each) => each.commit !== null && !each.commit.startsWith(sha))).toBe(true);
    rmSync(moved);
    // Not yet committed: the last version is that of HEAD.
    expect(brief(await why(world, "src/todos.js"))).toEqual(brief(found));
    commit(world, "Remove the store");
    const deleted = await run(world, ["why", "src/todos.js", "--json"]);
    expect(JSON.parse(deleted.stdout)).toMatchObject({ meta: { is_deleted: true } });
  });
});

describe("a session in another working tree", () => {
  it("hides no turn of this one, and is found once its work is merged", async () => {
    const world = await createProject();
    const tree = join(world.project, "..", "tree");
    const short = commit(world, "Store todos").slice(0, 7);
    git(world, "worktree", "add", "-q", "-b", "other", tree);
    const there = { ...world, project: tree };
    await ask(there, "two", "Load numbers");
    // The same first lines, in a file that is not merged.
    const changed = STORE.replace('"[]"', '"[0]"');
    await write(there, "two", "src/store.js", changed);
    expect(brief(await why(world, "src/store.js"))).toEqual([`1-8 one/1 ${short}`]);
    const merged = commit(there, "Load numbers").slice(0, 7);
    git(world, "merge", "-q", "other");
    expect(brief(await why(world, "src/store.js"))).toEqual([
      `1-6 one/1 ${short}`,
      `7-7 two/1 ${merged}`,
      `8-8 one/1 ${short}`,
    ]);
  });
});

describe("a shell command", () => {
  it("that wrote another file of this name, or the output of a program, does not", async () => {
    const world = await createProject();
    const command = "cat > notes.txt <<'EOF'\nfirst note\nsecond note\nEOF";
    execFileSync("sh", ["-c", command], { cwd: world.project });
    await report(world, "one", "Bash", { command }, { stdout: "", stderr: "" });
    writeFileSync(join(world.project, "lib/notes.txt"), "first note\nsecond note\n");
    expect(brief(await why(world, "lib/notes.txt"))).toEqual(["1-2 - -"]);
    expect(brief(await why(world, "notes.txt"))).toEqual(["1-2 one/1 -"]);
    await write(world, "two", "lib/out.txt", "first result\nsecond result\n");
    const script = "sh - <<'EOF' > lib/out.txt\nprintf 'first result\\nsecond result\\n'\nEOF";
    execFileSync("sh", ["-c", script], { cwd: world.project });
    await report(world, "one", "Bash", { command: script }, { stdout: "", stderr: "" });
    expect((await why(world, "lib/out.txt")).map(({ session_id }) => session_id)).toEqual(["two"]);
  });

  it("that wrote the file leads to its turn", async () => {
    const world = await createProject();
    await ask(world, "one", "Write the notes");
    const command = "cat > lib/notes.txt <<'EOF'\nfirst note\nsecond note\nEOF";
    execFileSync("sh", ["-c", command], { cwd: world.project });
    await report(world, "one", "Bash", { command }, { stdout: "", stderr: "" });
    expect(brief(await why(world, "lib/notes.txt"))).toEqual(["1-2 one/2 -"]);
  });
});

describe("a symbol", () => {
  it("is found where it is defined", async () => {
    const world = await createProject();
    commit(world, "Store todos");
    expect((await why(world, "loadTodos")).map(({ lines }) => lines)).toEqual([[6, 8]]);
    expect(await run(world, ["why", "nothingLikeThis"])).toMatchObject({ status: 4 });
  });

  it("may name its owner, and a branch or tag may look like a file", async () => {
    const world = await createProject([["grep.column", "true"]]);
    await write(world, "two", "src/cart.js", "export class Cart {\n  saveTodos() {\n    return [];\n  }\n}\n");
    const sha = commit(world, "Store todos");
    git(world, "branch", "feature/store");
    git(world, "tag", "v1.2");
    expect(brief(await why(world, "Cart.saveTodos"))).toEqual([`2-4 two/0 ${sha.slice(0, 7)}`]);
    expect((await why(world, "loadTodos")).map(({ lines }) => lines)).toEqual([[6, 8]]);
    expect(await run(world, ["why", "Basket.saveTodos"])).toMatchObject({ status: 4 });
    for (const name of ["feature/store", "v1.2"])
      expect((await why(world, name)).map(({ session_id, commit: of }) => [session_id, of])).toContainEqual([
        "one",
        sha,
      ]);
  });
});

describe("git blame", () => {
  it("works without the file of blame.ignoreRevsFile, and in a file with quotes in its name", async () => {
    const world = await createProject([["blame.ignoreRevsFile", ".git-blame-ignore-revs"]]);
    await write(world, "one", 'src/a"b.js', "export const first = 1;\n");
    writeFileSync(join(world.project, 'src/a"b.js'), "export const first = 1;\nexport const byHand = 2;\n");
    const short = commit(world, "Store todos").slice(0, 7);
    expect(brief(await why(world, 'src/a"b.js'))).toEqual([`1-1 one/1 ${short}`, `2-2 - ${short}`]);
  });
});

describe("without git, or with a wrong target", () => {
  it.each([
    ["no such file", ["why", "src/none.js"], 4, /not on disk, and no commit has it|No file, symbol or commit/],
    ["lines beyond the end", ["why", "src/store.js:100"], 2, /has only 8 lines/],
    ["lines of an empty file", ["why", "empty.txt:1"], 2, /empty.txt is empty/],
    ["lines the wrong way round", ["why", "src/store.js:5-2"], 2, /Invalid lines/],
    ["a revision that looks like an option", ["why", "src/store.js", "--at=--output=x"], 4, /No commit/],
    ["an unknown revision", ["why", "src/store.js", "--at", "nope"], 4, /No commit "nope"/],
    ["a file outside of every project", ["why", "/etc/hostname"], 4, /not in a project|No file/],
    ["a file that a link leads out of the project", ["why", "passwd"], 4, /not in a project/],
    ["a file outside of the named project", ["why", "../../etc/passwd", "--project", "project"], 4, /not in a project/],
    ["a binary file", ["why", "picture.png"], 2, /binary/],
    ["a folder", ["why", "src"], 2, /src is a folder/],
    ["--at for a commit", ["why", "HEAD", "--at", "HEAD"], 2, /--at needs a file/],
  ])("%s", async (_name, args, status, message) => {
    const world = await sharedProject();
    const result = await run(world, args);
    expect(result).toMatchObject({ status, stdout: "" });
    expect(result.stderr).toMatch(message);
  });

  it("recorded edits still explain the lines", async () => {
    const world = await createProject();
    const { stdout } = await run(world, ["why", "src/store.js", "--json"], { env: { PATH: "/nowhere" } });
    expect(brief((JSON.parse(stdout) as { data: { results: Reason[] } }).data.results)).toEqual(["1-8 one/1 -"]);
    rmSync(join(world.project, ".git"), { recursive: true });
    const plain = await run(world, ["why", "src/store.js", "--json"]);
    expect(plain.status === 0 || plain.status === 4).toBe(true);
  });

  it("a repository's own settings start no program", async () => {
    const world = await createProject([["remote.origin.url", "ext::touch% ran"]]);
    commit(world, "Store todos");
    const trace = join(world.project, "..", "trace");
    const script = join(world.project, "..", "evil.sh");
    writeFileSync(script, `#!/bin/sh\necho ran >> ${trace}\ncat\n`, { mode: 0o755 });
    for (const key of [
      "core.fsmonitor",
      "core.pager",
      "diff.external",
      "diff.evil.textconv",
      "diff.evil.command",
      "filter.evil.clean",
      "filter.evil.smudge",
      "gpg.program",
      "core.sshCommand",
    ])
      git(world, "config", key, script);
    git(world, "config", "log.showSignature", "true");
    writeFileSync(join(world.project, ".git", "info", "attributes"), "* diff=evil filter=evil\n");
    expect(brief(await why(world, "src/store.js"))).toHaveLength(1);
    await why(world, "HEAD");
    await why(world, "loadTodos");
    // A partial clone whose missing objects a program would fetch.
    git(world, "config", "core.repositoryFormatVersion", "1");
    git(world, "config", "extensions.partialClone", "origin");
    git(world, "config", "remote.origin.promisor", "true");
    git(world, "config", "remote.origin.uploadpack", script);
    git(world, "config", "protocol.ext.allow", "always");
    const blob = git(world, "rev-parse", "HEAD:src/store.js");
    rmSync(join(world.project, ".git", "objects", blob.slice(0, 2), blob.slice(2)));
    expect(brief(await why(world, "src/store.js"))).toEqual(["1-8 one/1 -"]);
    await run(world, ["why", "src/store.js", "--at", "HEAD"]);
    expect(() => readFileSync(trace)).toThrow("ENOENT");
    expect(() => readFileSync(join(world.project, "ran"))).toThrow("ENOENT");
  });
});

let shared: Promise<World> | undefined;

function sharedProject(): Promise<World> {
  return (shared ??= createProject().then((world) => {
    writeFileSync(join(world.project, "picture.png"), Buffer.from([137, 80, 78, 71, 0, 1, 2]));
    writeFileSync(join(world.project, "empty.txt"), "");
    symlinkSync("/etc/passwd", join(world.project, "passwd"));
    commit(world, "Store todos");
    return world;
  }));
}

describe("while working", () => {
  const TITLE = "Keep todos in localStorage, because the browser has no database";

  async function decided(files = ["src/store.js"], prepare = async (_world: World) => {}): Promise<World> {
    const world = await createProject();
    await prepare(world);
    await hook(world, "summary", { session_id: "one", hook_event_name: "Stop", last_assistant_message: "Stored." });
    await run(world, ["worker", "run", "--once"]);
    const db = new DatabaseSync(join(world.home, "c-mem.db"), { timeout: 5_000 });
    db.prepare(
      `INSERT INTO observations (id, project_id, session_db_id, prompt_number, type, title, narrative, facts, concepts, files,
         evidence, origin, producer, content_hash, valid_from, created_at)
       SELECT 900, project_id, id, 1, 'decision', ?, '', '[]', '[]', ?, '[]', 'user', 'extractor', 'x', 1, 1
       FROM sessions WHERE session_id = 'one'`,
    ).run(TITLE, JSON.stringify(files));
    db.close();
    return world;
  }

  async function beforeEdit(world: World, session: string, path: string, old: string): Promise<string> {
    const input = { file_path: join(world.project, path), old_string: old, new_string: "x" };
    const event = { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: input };
    return contextOf(await hook(world, "recall", { session_id: session, ...event }));
  }

  it("the hook takes lines that an overwriting tool kept for what they are: by hand", async () => {
    const util = "export const byHand = computeByHand(1);\nexport const also = 2;\n";
    const world = await decided(["lib/util.js"], async (fresh) => {
      put(fresh, "lib/util.js", util);
      await overwrite(fresh, "one", "lib/util.js", `${util}export const cache = new Map();\n`);
    });
    const note = "Behind the lines you are changing";
    expect(await beforeEdit(world, "next", "lib/util.js", "export const cache = new Map();")).toContain(note);
    expect(await beforeEdit(world, "third", "lib/util.js", "export const byHand = computeByHand(1);")).not.toContain(
      note,
    );
  });

  it("the hook shows no decision that names no file", async () => {
    const world = await decided([]);
    expect(await beforeEdit(world, "next", "src/store.js", "JSON.stringify(todos)")).toBe("");
  });

  it("the hook names the decision behind the lines that are about to change, and only then", async () => {
    const world = await decided();
    const before = (session: string, old: string): Promise<string> => beforeEdit(world, session, "src/store.js", old);
    expect(await before("next", "a line that is not in the file")).toBe("");
    // The file was looked up, but this line has a decision behind it.
    const text = await before("next", '  localStorage.setItem("todos", text);');
    expect(text).toContain(`Behind the lines you are changing: ${TITLE}`);
    expect(text.match(/Keep todos in localStorage/g)).toHaveLength(1);
    expect(await before("next", '  localStorage.setItem("todos", text);')).toBe("");
    // A part of a line, in another session; and the session that decided it.
    expect(await before("third", "JSON.stringify(todos)")).toContain("Behind the lines you are changing");
    expect(await before("one", "JSON.stringify(todos)")).toBe("");
    // The same text elsewhere in the file is not the line that was decided.
    const path = join(world.project, "src/store.js");
    writeFileSync(path, `${STORE}function again() {\n  localStorage.setItem("todos", text);\n}\n`);
    const again = 'function again() {\n  localStorage.setItem("todos", text);\n}';
    expect(await before("fourth", again)).not.toContain("Behind the lines you are changing");
    writeFileSync(path, STORE);
    expect(await why(world, "src/store.js:1")).toMatchObject([
      { decision: { id: "o900", type: "decision", title: TITLE } },
    ]);
  });

  it("the worker links commits after a turn, and reads no repository of an excluded folder", async () => {
    const world = await createProject();
    const sha = commit(world, "Store todos");
    await hook(world, "summary", { session_id: "one", hook_event_name: "Stop", last_assistant_message: "Stored." });
    await run(world, ["worker", "run", "--once"]);
    const linked = "SELECT sha, basis, author FROM commits";
    expect(await rows(world, linked)).toEqual([{ sha, basis: "lines", author: "Anna" }]);
    await run(world, ["forget", "one", "--yes"]);
    expect(await rows(world, linked)).toEqual([]);
    expect(await rows(world, "SELECT * FROM read_commits")).toEqual([]);
    const excluded = await createProject();
    commit(excluded, "Store todos");
    writeFileSync(join(excluded.project, ".c-memignore"), "*\n");
    await run(excluded, ["worker", "run", "--once"]);
    expect(await rows(excluded, linked)).toEqual([]);
  });

  it("forgetting the words of a linked commit deletes the link for good", async () => {
    const world = await createProject();
    commit(world, "Zanzibar walrus acquisition (#7)");
    await hook(world, "summary", { session_id: "one", hook_event_name: "Stop", last_assistant_message: "Stored." });
    const work = (): Promise<unknown> => run(world, ["worker", "run", "--once"]);
    await work();
    const linked = "SELECT basis FROM commits";
    expect(await rows(world, linked)).toEqual([{ basis: "lines" }]);
    expect((await run(world, ["search", "Zanzibar walrus"])).status).toBe(0);
    expect((await run(world, ["forget", "Zanzibar walrus", "--dry-run"])).status).toBe(0);
    expect(await run(world, ["forget", "Zanzibar walrus", "--yes"])).toMatchObject({
      status: 0,
      stdout: expect.not.stringContaining("also found in"),
    });
    expect((await run(world, ["search", "Zanzibar walrus"])).status).toBe(4);
    // Neither the worker nor a question links it again, also under another hash.
    git(world, "commit", "-q", "--amend", "--no-edit", "--date=2026-01-01T00:00:00Z");
    await work();
    await why(world, "HEAD");
    expect(await rows(world, linked)).toEqual([]);
    expect(await why(world, "src/store.js")).toMatchObject([{ session_id: "one", basis: "edit" }]);
    // Its other commits are linked as before.
    await write(world, "one", "src/other.js", "export const other = loadTodos();\n");
    commit(world, "Load a zero");
    await why(world, "HEAD");
    expect(await rows(world, "SELECT subject FROM commits")).toEqual([{ subject: "Load a zero" }]);
  });

  it("an agent asks over MCP", async () => {
    const world = await createProject();
    const { call } = await connect(world);
    const { text, isError } = await call("why", { file: "src/store.js", lines: "1-3" });
    expect(isError).toBe(false);
    expect(text).toContain("Store the todos in the browser");
    expect(text).toContain("1-3");
    expect((await call("why", { file: "src/none.js" })).text).toMatch(/not on disk|No file/);
  });
});
