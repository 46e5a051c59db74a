// c-mem why: what git can and cannot say about a line: reindented, renamed, cut off, or in a repository of its own.
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorld, data, run } from "./harness.ts";
import { connect } from "./mcp-client.ts";
import { ask, brief, commit, createProject, edit, git, put, report, STORE, why, write } from "./why-world.ts";

describe("lines that were changed by hand since", () => {
  it("keep their session if only their indentation changed", async () => {
    const world = await createProject();
    const short = commit(world, "Store todos").slice(0, 7);
    put(world, "src/store.js", STORE.replaceAll("  ", "\t"));
    commit(world, "Use tabs");
    expect(brief(await why(world, "src/store.js"))).toEqual([`1-8 one/1 ${short}`]);
  });

  it("keep it also if that is not committed yet", async () => {
    const world = await createProject();
    const short = commit(world, "Store todos").slice(0, 7);
    put(world, "src/store.js", STORE.replaceAll("  ", "    "));
    expect(brief(await why(world, "src/store.js"))).toEqual([`1-8 one/1 ${short}`]);
  });

  it("keep it if they were moved within the file", async () => {
    const world = await createProject();
    const load = "export function loadAll(key) {\n  return JSON.parse(localStorage.getItem(key));\n}\n";
    const save = "export function saveAll(key, all) {\n  localStorage.setItem(key, JSON.stringify(all));\n}\n";
    await write(world, "one", "src/all.js", load + save);
    commit(world, "Add all");
    put(world, "src/all.js", save + load);
    commit(world, "Swap the functions");
    for (const target of ["src/all.js:1-2", "src/all.js:4-5"])
      expect((await why(world, target)).map(({ session_id }) => session_id)).toEqual(["one"]);
  });

  it("have the same session alone as in the whole file, if they were moved to another file", async () => {
    const world = await createProject();
    commit(world, "Store todos");
    put(world, "src/moved.js", STORE);
    rmSync(join(world.project, "src/store.js"));
    put(world, "src/store.js", "export {};\n");
    commit(world, "Move the store");
    const sessionsOf = async (target: string) => (await why(world, target)).map(({ session_id }) => session_id);
    expect(await sessionsOf("src/moved.js")).toEqual(["one"]);
    expect(await sessionsOf("src/moved.js:3")).toEqual(["one"]);
  });

  it("have none if they are a copy of a line that is still there", async () => {
    const world = await createProject();
    const line = '  const response = await fetch("https://example.org/api/todos");\n';
    await write(world, "one", "src/api.js", `export async function first() {\n${line}  return response.json();\n}\n`);
    const first = commit(world, "Add the api").slice(0, 7);
    put(
      world,
      "src/api.js",
      `export async function first() {\n${line}  return response.json();\n}\nexport const b = 1;\n${line}`,
    );
    commit(world, "Repeat it");
    const found = await why(world, "src/api.js");
    expect(brief(found)[0]).toBe(`1-4 one/1 ${first}`);
    expect(found.slice(1).map(({ session_id }) => session_id)).not.toContain("one");
    expect((await why(world, "src/api.js:6")).map(({ session_id }) => session_id)).toEqual([null]);
  });
});

it("a file with Windows line ends in git is compared line by line", async () => {
  const world = await createProject();
  put(world, "notes.txt", "first by hand\r\nsecond by hand\r\nthird by hand\r\n");
  const before = commit(world, "Add notes").slice(0, 7);
  await edit(world, "one", "notes.txt", "second by hand", "second by the agent");
  const after = commit(world, "Change notes").slice(0, 7);
  const expected = [`1-1 - ${before}`, `2-2 one/1 ${after}`, `3-3 - ${before}`];
  expect(brief(await why(world, "notes.txt"))).toEqual(expected);
  expect(brief(await why(world, "notes.txt:1-3"))).toEqual(expected);
});

describe("a file that was renamed and not committed", () => {
  it.each(["src/todos.js", "src/todos.js:1-8"])("keeps its sessions and commits: %s", async (target) => {
    const world = await createProject();
    const short = commit(world, "Store todos").slice(0, 7);
    git(world, "mv", "src/store.js", "src/todos.js");
    git(world, "mv", "lib/util.js", "lib/numbers.js");
    expect(brief(await why(world, target))).toEqual([`1-8 one/1 ${short}`]);
    const base = git(world, "rev-parse", "--short=7", "HEAD~1");
    expect(brief(await why(world, "lib/numbers.js"))).toEqual([`1-2 - ${base}`]);
  });
});

it("a commit by hand of text from a here-document leads to the session", async () => {
  const world = await createProject();
  commit(world, "Store todos");
  const text = "[walrus]\ndepot = 'north'\nlimit = 42\n";
  put(world, "conf.toml", text);
  await report(world, "one", "Bash", { command: `cat > conf.toml <<'EOF'\n${text}EOF` }, { stdout: "", stderr: "" });
  const sha = commit(world, "Configure the walrus (#61)");
  expect(brief(await why(world, sha))).toEqual([expect.stringContaining("one/1")]);
});

it("an edit and a patch of OpenCode are read", async () => {
  const world = await createProject();
  commit(world, "Store todos");
  const full = join(world.project, "src/store.js");
  const line = "  return JSON.parse(localStorage.todos ?? '[]').filter(Boolean);";
  const before = STORE.split("\n")[1] ?? "";
  put(
    world,
    "src/store.js",
    STORE.replace(before, () => line),
  );
  await ask(world, "two", "Leave out empty todos");
  await report(world, "two", "Edit", { file_path: full, oldString: before, newString: line }, {});
  expect((await why(world, "src/store.js:2")).map(({ session_id }) => session_id)).toEqual(["two"]);
});

describe("whether a line is committed", () => {
  it("is known from git, also before the first commit", async () => {
    const world = await createProject();
    expect(await why(world, "src/store.js")).toMatchObject([{ commit: null, committed: "no" }]);
    expect(await why(world, "lib/util.js")).toMatchObject([{ committed: "yes" }]);
    const fresh = createWorld();
    git(fresh, "init", "-q", "-b", "main");
    await ask(fresh, "one", "Begin");
    await write(fresh, "one", "a.js", "export const first = 1;\n");
    expect(await why(fresh, "a.js")).toMatchObject([{ session_id: "one", committed: "no" }]);
  });

  it("is not known without git, without a repository, or if its objects are missing", async () => {
    const world = await createProject();
    commit(world, "Store todos");
    const env = { PATH: "/nowhere" };
    const { stdout } = await run(world, ["why", "lib/util.js"], { env });
    expect(stdout).toContain("commit unknown, no recorded session");
    expect(stdout).not.toContain("not committed");
    const { call } = await connect({ ...world, env: { ...world.env, ...env } });
    expect((await call("why", { file: "lib/util.js" })).text).toContain("commit unknown");
    const head = git(world, "rev-parse", "HEAD");
    rmSync(join(world.project, ".git/objects", head.slice(0, 2), head.slice(2)));
    expect(await why(world, "src/store.js")).toMatchObject([{ session_id: "one", committed: "unknown" }]);
    rmSync(join(world.project, ".git"), { recursive: true });
    const plain = createWorld();
    await ask(plain, "one", "Begin");
    await write(plain, "one", "a.js", "export const first = 1;\n");
    expect(await why(plain, "a.js")).toMatchObject([{ session_id: "one", committed: "unknown" }]);
    const at = await run(plain, ["why", "a.js", "--at", "HEAD"]);
    expect(at.stderr).toMatch(/git finds no repository in/);
  });
});

it("the first commit of a shallow clone is not behind all of its lines", async () => {
  const world = await createProject();
  commit(world, "Store todos");
  put(world, "other.js", "export const anna = 'by hand';\n");
  commit(world, "Add another file");
  put(world, "last.md", "The last document\n");
  const last = commit(world, "Add a document", "Bob");
  const shallow = join(world.project, "..", "shallow");
  git(world, "clone", "-q", "--depth", "1", `file://${world.project}`, shallow);
  renameSync(world.project, join(world.project, "..", "full"));
  renameSync(shallow, world.project);
  git(world, "remote", "remove", "origin");
  expect(await why(world, "other.js")).toMatchObject([{ session_id: null, author: null, committed: "cut" }]);
  expect((await run(world, ["why", "other.js"])).stdout).toContain("before the clone's history, no recorded session");
  expect(await why(world, "src/store.js")).toMatchObject([{ session_id: "one", basis: "edit", committed: "cut" }]);
  expect(await why(world, last)).toMatchObject([{ session_id: null, author: "Bob" }]);
  put(world, "last.md", "The last document\nAnd one more line\n");
  const next = commit(world, "Go on").slice(0, 7);
  expect(brief(await why(world, "last.md"))).toEqual(["1-1 - -", `2-2 - ${next}`]);
});

describe("a repository inside of the project", () => {
  it("without sessions of its own has those of the project around it", async () => {
    const world = await createProject();
    commit(world, "Store todos");
    const inner = { ...world, project: join(world.project, "vendor") };
    put(inner, "first.js", "export const first = 1;\n");
    put(inner, "second.js", "export const second = 2;\n");
    git(inner, "init", "-q", "-b", "main");
    const short = commit(inner, "Begin", "Bob").slice(0, 7);
    await edit(
      world,
      "one",
      "vendor/first.js",
      "export const first = 1;\n",
      "export const first = 1;\nexport const two = 2;\n",
    );
    const expected = [`1-1 - ${short}`, "2-2 one/1 -"];
    expect(brief(await why(world, "vendor/first.js"))).toEqual(expected);
    expect(brief(await why(world, "vendor/first.js:1-2"))).toEqual(expected);
    expect(brief(await why(world, "vendor/first.js", "--project", "project"))).toEqual(expected);
    const { stdout } = await run(inner, ["why", "first.js", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ meta: { path: "vendor/first.js" } });
    const other = await run(world, ["why", "vendor/second.js"]);
    expect(other).toMatchObject({ status: 4 });
  });
});

describe("a symbol", () => {
  it("is a whole word, and says where else it is defined", async () => {
    const world = await createProject();
    await write(world, "one", "src/a.js", "export const saveAll = () => save();\n");
    await write(world, "one", "src/b.js", "export function save() {\n  return 1;\n}\n");
    await write(world, "one", "src/c.js", "export function load() {\n  const save = 1;\n}\n");
    await write(world, "one", "src/d.js", "export const other = 1, load = 2;\nexport function load() {}\n");
    commit(world, "Add functions");
    const meta = async (symbol: string) =>
      (JSON.parse((await run(world, ["why", symbol, "--json"])).stdout) as { meta: object }).meta;
    expect(await meta("save")).toMatchObject({ path: "src/b.js", also: [] });
    expect(await meta("load")).toMatchObject({ path: "src/c.js", also: ["src/d.js:2"] });
    expect((await run(world, ["why", "load"])).stdout).toContain("also defined in src/d.js:2");
    const { call } = await connect(world);
    expect((await call("why", { file: "load" })).text).toContain("Also defined in src/d.js:2.");
  });
});

describe("a target with lines that are no numbers", () => {
  it.each(["src/store.js:1-", "src/store.js:abc"])("%s gets an example", async (target) => {
    const world = await createProject();
    const { status, stderr } = await run(world, ["why", target]);
    expect(status).toBe(4);
    expect(stderr).toContain("Lines: src/store.js:10-20");
  });

  it("gets it over MCP, too", async () => {
    const world = await createProject();
    const { call } = await connect(world);
    const { text } = await call("why", { file: "src/store.js:1", lines: "2" });
    expect(text).toContain("Lines: src/store.js:10-20");
    expect(await data(world, ["why", "src/store.js:2"])).toMatchObject({ results: [{ lines: [2, 2] }] });
  });

  it.each(["", "HEAD:src/store.js"])("--at %j is no revision", async (at) => {
    const world = await createProject();
    expect(await run(world, ["why", "src/store.js", `--at=${at}`])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Invalid revision"),
    });
  });
});
