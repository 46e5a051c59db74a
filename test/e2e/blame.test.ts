// c-mem blame finds files and folders from any current folder, and files of sessions recorded on Windows.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createWorld, data, hook, rows, run, type World } from "./harness.ts";
import { connect } from "./mcp-client.ts";

interface Found {
  path: string;
  session_id: string;
}

async function blamed(world: World, args: string[], cwd = world.project): Promise<string[]> {
  const { results } = (await data(world, ["blame", ...args], { cwd })) as unknown as { results: Found[] };
  return results.map(({ path }) => path).toSorted();
}

async function edit(world: World, id: string, cwd: string, files: string[], extra: object = {}): Promise<void> {
  await hook(world, "new", { session_id: id, cwd, hook_event_name: "UserPromptSubmit", prompt: `Work of ${id}` });
  for (const [index, file] of files.entries())
    await hook(world, "save", {
      session_id: id,
      cwd,
      hook_event_name: "PostToolUse",
      tool_name: "Edit",
      tool_use_id: `${id}-${index}`,
      tool_input: { file_path: file, old_string: "a", new_string: "b" },
      tool_response: {},
      ...extra,
    });
}

describe("blame", () => {
  const world = createWorld();
  const { project } = world;
  const other = join(project, "..", "other");
  beforeAll(async () => {
    execFileSync("git", ["init", "-q", project]);
    for (const folder of [join(project, "src", "ui"), join(other, "lib")]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(project, "src", "ui", "a.ts"), "");
    await edit(
      world,
      "one",
      project,
      ["src/ui/a.ts", "src/ui/b.ts", "src/core.ts", "srcs/no.ts", "README.md"].map((file) => join(project, file)),
    );
    await edit(world, "two", other, [join(other, "lib", "c.ts")]);
  });

  it.each([
    ["src/ui", ["src/ui/a.ts", "src/ui/b.ts"]],
    ["src/", ["src/core.ts", "src/ui/a.ts", "src/ui/b.ts"]],
    ["./src", ["src/core.ts", "src/ui/a.ts", "src/ui/b.ts"]],
    ["ui", ["src/ui/a.ts", "src/ui/b.ts"]],
    [".", ["README.md", "src/core.ts", "src/ui/a.ts", "src/ui/b.ts", "srcs/no.ts"]],
    ["src/ui/a.ts", ["src/ui/a.ts"]],
  ])("lists files below %s", async (folder, expected) => {
    expect(await blamed(world, [folder])).toEqual(expected);
  });

  it("lists files below the current folder", async () => {
    expect(await blamed(world, ["."], join(project, "src", "ui"))).toEqual(["src/ui/a.ts", "src/ui/b.ts"]);
    expect(await blamed(world, [".."], join(project, "src", "ui"))).toHaveLength(3);
  });

  it.each([
    ["a file", () => join(project, "src", "ui", "a.ts"), ["src/ui/a.ts"]],
    ["a file that is gone", () => join(project, "src", "ui", "b.ts"), ["src/ui/b.ts"]],
    ["a folder", () => join(project, "src", "ui"), ["src/ui/a.ts", "src/ui/b.ts"]],
    ["a folder with a slash", () => `${join(project, "src", "ui")}/`, ["src/ui/a.ts", "src/ui/b.ts"]],
    ["the root", () => project, ["README.md", "src/core.ts", "src/ui/a.ts", "src/ui/b.ts", "srcs/no.ts"]],
  ])("finds %s by its absolute path from any other folder", async (_name, path, expected) => {
    for (const cwd of [project, other, "/"]) expect(await blamed(world, [path()], cwd)).toEqual(expected);
  });

  it("finds a relative path into another project", async () => {
    expect(await blamed(world, ["../other/lib"])).toEqual(["lib/c.ts"]);
  });

  it("finds a relative path from a parent folder into a project", async () => {
    const above = join(project, "..");
    expect(await blamed(world, ["project/src/ui"], above)).toEqual(["src/ui/a.ts", "src/ui/b.ts"]);
    expect(await blamed(world, ["other/lib/c.ts"], above)).toEqual(["lib/c.ts"]);
  });

  it("reports a path without recorded changes", async () => {
    const result = await run(world, ["blame", "/nowhere/x.ts"], { cwd: other });
    expect(result).toMatchObject({ status: 4, stderr: expect.stringContaining("/nowhere/x.ts") });
  });

  it("prints how many files it lists", async () => {
    const { stdout } = await run(world, ["blame", "."], { cwd: project });
    expect(stdout).toMatch(/^5 files below \./);
  });

  it("says how to list more if the limit cuts the list", async () => {
    const { stdout, stderr } = await run(world, ["blame", ".", "-n", "4"], { cwd: project });
    expect(stdout).toMatch(/^Files below \./);
    expect(stderr).toContain("The 4 newest changes (-n 8 shows more)");
    expect((await run(world, ["blame", ".", "-n", "5"], { cwd: project })).stderr).toBe("");
  });

  it("ignores a folder that was only an agent's current folder", async () => {
    const root = "/elsewhere/repo";
    await edit(world, "three", root, [`${root}/apps/web/src/d.ts`]);
    await edit(world, "three", `${root}/apps/web`, [`${root}/apps/web/src/e.ts`], { tool_use_id: "three-e" });
    expect(await rows(world, "SELECT root FROM projects WHERE root LIKE '/elsewhere/%' ORDER BY root")).toEqual([
      { root },
      { root: `${root}/apps/web` },
    ]);
    expect(await blamed(world, [`${root}/apps/web/src`], other)).toEqual(["apps/web/src/d.ts", "apps/web/src/e.ts"]);
  });

  it("answers file_history the same way", async () => {
    const { call } = await connect(world, { cwd: other });
    expect((await call("file_history", { path: join(project, "src", "ui") })).text).toContain("src/ui/b.ts");
  });
});

describe("a session that was recorded on Windows", () => {
  const cwd = String.raw`C:\Users\x\proj`;
  const files = [
    String.raw`C:\Users\x\proj\src\a.ts`,
    String.raw`c:\users\x\proj/src\b.ts`,
    String.raw`\\?\C:\Users\x\proj\src\c.ts`,
    "/c/Users/x/proj/src/d.ts",
  ];
  const stored = ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"];
  const folder = "project of sync";

  /** A transcript as Claude Code writes it on Windows. */
  function transcript(world: World): void {
    const shared = { sessionId: "synced", cwd, version: "2.1.0", gitBranch: "main", isSidechain: false };
    const lines: object[] = [
      { ...shared, type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "Tidy up" } },
      ...files.flatMap((file, index) => [
        {
          ...shared,
          type: "assistant",
          uuid: `a${index}`,
          parentUuid: "u1",
          message: {
            id: `msg${index}`,
            role: "assistant",
            model: "m",
            content: [
              {
                type: "tool_use",
                id: `tool${index}`,
                name: "Edit",
                input: { file_path: file, old_string: "a", new_string: "b" },
              },
            ],
          },
        },
        {
          ...shared,
          type: "user",
          uuid: `r${index}`,
          parentUuid: `a${index}`,
          message: { role: "user", content: [{ type: "tool_result", tool_use_id: `tool${index}`, content: "done" }] },
        },
      ]),
    ];
    const at = (index: number) => new Date(Date.UTC(2026, 0, 5, 9, index)).toISOString();
    mkdirSync(join(world.claudeDir, "projects", folder), { recursive: true });
    writeFileSync(
      join(world.claudeDir, "projects", folder, "synced.jsonl"),
      lines.map((line, index) => `${JSON.stringify({ ...line, timestamp: at(index) })}\n`).join(""),
    );
  }

  it.each(["hooks", "sync"])("has paths relative to its project if recorded by %s", async (way) => {
    const world = createWorld();
    // The repository in which the commands run must not become the session's project.
    execFileSync("git", ["init", "-q", world.project]);
    if (way === "hooks") await edit(world, "synced", cwd, files);
    else {
      transcript(world);
      expect((await run(world, ["sync", "--quiet"])).status).toBe(0);
    }
    expect(await rows(world, "SELECT key, name, root FROM projects")).toEqual([{ key: cwd, name: "proj", root: cwd }]);
    expect(await rows(world, "SELECT path FROM file_touches ORDER BY path")).toEqual(stored.map((path) => ({ path })));
    for (const path of stored) expect(await blamed(world, [path, "--project", "proj"])).toEqual([path]);
    expect(await blamed(world, ["src", "--project", "proj"])).toEqual(stored);
    expect(await blamed(world, [String.raw`c:\Users\X\proj\src\a.ts`])).toEqual(["src/a.ts"]);
    expect(await blamed(world, [String.raw`C:\Users\x\proj`])).toEqual(stored);
    expect(await blamed(world, [String.raw`src\a.ts`, "--all"])).toEqual(["src/a.ts"]);
  });

  it("keeps the project's root when the agent changes into a folder of it", async () => {
    const world = createWorld();
    await edit(world, "w", cwd, [String.raw`C:\Users\x\proj\a.ts`]);
    await edit(world, "w", String.raw`C:\Users\x\proj\web`, [String.raw`C:\Users\x\proj\web\b.ts`], {
      tool_use_id: "later",
    });
    expect(await rows(world, "SELECT path FROM file_touches ORDER BY path")).toEqual([
      { path: "a.ts" },
      { path: "web/b.ts" },
    ]);
  });
});
