// c-mem why: lines and commits by hand get no session, whatever a session did before or beside them.
import { describe, expect, it } from "vitest";
import { hook, run } from "./harness.ts";
import {
  ask,
  brief,
  commit,
  createProject,
  edit,
  git,
  multiEdit,
  overwrite,
  put,
  report,
  shell,
  STORE,
  why,
  write,
} from "./why-world.ts";

const CONFIG = "export const settings = {\n  port: 80,\n  name: 'server-name',\n  a: 1,\n};\n";
const BY_HAND = "export const add = (a, b) => a + b;\nexport const byHand = 'Anna wrote this herself';\n";

/** "one lines" for each session behind a commit. */
function behind(results: Awaited<ReturnType<typeof why>>): string[] {
  return results.flatMap(({ session_id, basis }) => (session_id === null ? [] : [`${session_id} ${basis}`])).toSorted();
}

describe("a commit by hand, of a file that a session wrote", () => {
  it.each([
    ["changes a short line", CONFIG.replace("a: 1", "a: 2")],
    ["adds a short line", CONFIG.replace("  a: 1,\n", "  a: 1,\n  if (a > b) x = y;\n")],
    ["deletes a line", CONFIG.replace("  name: 'server-name',\n", "")],
    ["empties the file", ""],
    ["repeats a line in a new place", `${CONFIG}export const more = {\n  name: 'server-name',\n};\n`],
  ])("that %s", async (_name, content) => {
    const world = await createProject();
    await write(world, "one", "src/config.js", CONFIG);
    const made = commit(world, "Add config").slice(0, 7);
    put(world, "src/config.js", content);
    const sha = commit(world, "Change it by hand");
    expect(behind(await why(world, sha))).toEqual([]);
    const lines = brief(await why(world, "src/config.js"));
    expect(lines.filter((each) => each.endsWith(sha.slice(0, 7)) && each.includes("one"))).toEqual([]);
    if (content !== "") expect(lines[0]).toMatch(new RegExp(`^1-\\d one/1 ${made}$`));
  });

  it("that reverts the session's commit", async () => {
    const world = await createProject();
    commit(world, "Store todos");
    git(world, "revert", "--no-edit", "HEAD");
    expect(behind(await why(world, "HEAD"))).toEqual([]);
    await hook(world, "summary", { session_id: "one", hook_event_name: "Stop", last_assistant_message: "Stored." });
    await run(world, ["worker", "run", "--once"]);
    expect((await run(world, ["show", "one"])).stdout).not.toContain("Revert");
  });
});

describe("a file that a session did not write", () => {
  it.each([
    ["read", "Read", (path: string) => ({ file_path: path })],
    ["printed", "Bash", () => ({ command: "cat lib/util.js && npx vitest run lib/util.js" })],
    ["committed", "Bash", () => ({ command: "git add lib/util.js" })],
    ["had explored", "Task", () => ({ subagent_type: "Explore", prompt: "Look at lib/util.js" })],
  ])("but %s", async (_name, tool, input) => {
    const world = await createProject();
    await report(world, "one", tool, input(`${world.project}/lib/util.js`), { stdout: BY_HAND });
    put(world, "lib/util.js", BY_HAND);
    const short = commit(world, "Store todos and a constant").slice(0, 7);
    expect(brief(await why(world, "lib/util.js:2"))).toEqual([`2-2 - ${short}`]);
    expect(brief(await why(world, "src/store.js:1"))).toEqual([`1-1 one/1 ${short}`]);
  });

  it("but a command of the session, before the commit that has its other work", async () => {
    const world = await createProject();
    await shell(world, "one", "printf 'first result\\nsecond result\\n' | sort > lib/out.txt");
    const short = commit(world, "Store todos and results").slice(0, 7);
    const found = await why(world, "lib/out.txt");
    expect(brief(found)).toEqual([`1-2 one/1 ${short}`]);
    expect(found).toMatchObject([{ basis: "command", confidence: 0.6 }]);
  });
});

describe("a session that only made the commit", () => {
  it("of changes by hand", async () => {
    const world = await createProject();
    put(world, "lib/util.js", BY_HAND);
    await ask(world, "two", "Commit my changes");
    await shell(world, "two", "git add -A && git commit -m 'Add a constant'");
    const sha = git(world, "rev-parse", "HEAD");
    expect(brief(await why(world, "lib/util.js:2"))).toEqual([`2-2 - ${sha.slice(0, 7)}`]);
    // The commit itself is the session's.
    expect(behind(await why(world, sha))).toEqual(["one lines", "two output"]);
  });

  it.each([
    ["cherry-picked it", "git cherry-pick bob"],
    ["merged the branch", "git merge --no-ff bob -m 'Merge bob'"],
    ["squashed the branch", "git merge --squash bob && git commit -m 'Squash bob'"],
    ["changed its message", "git merge -q --ff-only bob && git commit --amend -m 'A better message'"],
  ])("and %s", async (_name, command) => {
    const world = await createProject();
    commit(world, "Store todos");
    git(world, "checkout", "-q", "-b", "bob");
    put(world, "bob.js", "export const bobWroteThis = 'bob';\nexport const bobToo = 2;\n");
    commit(world, "Bob's feature", "Bob");
    git(world, "checkout", "-q", "main");
    await ask(world, "two", "Get Bob's work");
    await shell(world, "two", command);
    expect((await why(world, "bob.js")).map(({ session_id }) => session_id)).toEqual([null]);
  });

  it("of a file that it edited is named as the one that committed the other lines", async () => {
    const world = await createProject();
    put(world, "src/store.js", "// typed by hand\n");
    await edit(world, "one", "src/store.js", "// typed by hand\n", "// typed by hand\nexport const version = 1;\n");
    put(world, "src/store.js", "// typed by hand\nexport const version = 1;\nexport const other = 2;\n");
    await shell(world, "one", "git add -A && git commit -m 'Add the version'");
    const [first, second, third] = await why(world, "src/store.js");
    expect([first, third]).toMatchObject([
      { session_id: "one", basis: "commit", confidence: 0.5 },
      { session_id: "one", basis: "commit", confidence: 0.5 },
    ]);
    expect(second).toMatchObject({ session_id: "one", basis: "edit", confidence: 1 });
    expect((await run(world, ["why", "src/store.js:3"])).stdout).toMatch(/3 +committed by one turn 1 \(50%\)/);
  });
});

describe("a commit with the subject and time of a session's commit", () => {
  it("is another one, as long as that is still there", async () => {
    const world = await createProject();
    await shell(world, "one", "git add -A && git commit -m wip");
    put(world, "bob.js", "export const bobWroteThis = 'bob';\n");
    const sha = commit(world, "wip", "Bob");
    expect(behind(await why(world, sha))).toEqual([]);
    expect(brief(await why(world, "bob.js"))).toEqual([`1-1 - ${sha.slice(0, 7)}`]);
  });

  it("replaces it if it was amended by hand, and the new files stay by hand", async () => {
    const world = await createProject();
    await shell(world, "one", "git add -A && git commit -m 'Store todos'");
    put(world, "anna.js", "export const annaWroteThis = 'anna';\n");
    put(world, "src/store.js", `${STORE}export const alsoAnna = 2;\n`);
    git(world, "add", "-A");
    git(world, "commit", "-q", "--amend", "--no-edit");
    expect(behind(await why(world, "HEAD"))).toEqual(["one rewritten"]);
    expect((await why(world, "anna.js")).map(({ session_id }) => session_id)).toEqual([null]);
    expect((await why(world, "src/store.js")).map(({ session_id }) => session_id)).toEqual(["one", null]);
  });
});

it("several edits of one tool use leave equal lines by hand alone", async () => {
  const world = await createProject();
  const guard = "  if (req.user === undefined) return unauthorized();\n";
  const handlers = Array.from(
    { length: 12 },
    (_, index) => `export function handler${index}(req) {\n${index === 10 ? "" : guard}  return run${index}(req);\n}\n`,
  ).join("");
  put(world, "src/handlers.js", handlers);
  const short = commit(world, "Add handlers").slice(0, 7);
  await multiEdit(world, "one", "src/handlers.js", [
    { old_string: "return run1(req);", new_string: "return runFirst(req);" },
    { old_string: "  return run11(req);\n", new_string: guard },
    { old_string: "export function handler10(req) {\n", new_string: `export function handler10(req) {\n${guard}` },
  ]);
  expect(brief(await why(world, "src/handlers.js"))).toEqual([
    `1-6 - ${short}`,
    "7-7 one/1 -",
    `8-41 - ${short}`,
    "42-42 one/1 -",
    `43-46 - ${short}`,
    "47-47 one/1 -",
    `48-48 - ${short}`,
  ]);
});

it("a commit names every session whose edit it has, however small", async () => {
  const world = await createProject();
  const values = Array.from({ length: 30 }, (_, index) => `export const value${index} = compute(${index});\n`).join("");
  await write(world, "one", "src/values.js", values);
  await ask(world, "two", "Make the seventh one fast");
  await overwrite(world, "two", "src/values.js", values.replace("compute(7)", "computeFast(7)"));
  const sha = commit(world, "Compute values");
  expect(brief(await why(world, "src/values.js:8"))).toEqual([`8-8 two/1 ${sha.slice(0, 7)}`]);
  expect(behind(await why(world, sha))).toEqual(["one lines", "two lines"]);
});
