// Ctrl-C or Ctrl-D at any question of any command: changes nothing and exits with 130.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorld, hook, run, type World } from "./harness.ts";
import { hasPty, startPty } from "./pty.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const SESSION = "11111111-2222-4333-8444-555555555555";

/** Hashes of all files, except those that change even when a command only reads. */
function snapshot(world: World): Record<string, string> {
  const root = dirname(world.project);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(root, name)).isFile() && !/-(?:wal|shm)$|worker|\.log$/.test(name))
    .toSorted();
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(root, name)))
        .digest("hex"),
    ]),
  );
}

async function createUsedWorld(): Promise<World> {
  const world = createWorld();
  const prompt = { hook_event_name: "UserPromptSubmit", session_id: SESSION, prompt: "Find the walrus" };
  await hook(world, "new", prompt);
  await run(world, ["list"]);
  return world;
}

function writeOldSession(world: World): void {
  const sessionId = "99999999-2222-4333-8444-555555555555";
  const path = join(world.claudeDir, "projects", "-app", `${sessionId}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const message = { role: "user", content: "Count the seals" };
  const line = { type: "user", promptId: "p1", uuid: "u1", sessionId, cwd: world.project, version: "2.1.0", message };
  writeFileSync(path, `${JSON.stringify({ ...line, timestamp: "2020-01-01T00:00:00.000Z" })}\n`);
}

/** Answers all questions but the last, presses Ctrl-C at the last one, and expects no changes. */
async function expectCancelled(
  world: World,
  args: string,
  questions: readonly [RegExp, string][],
  last: RegExp,
  key = CTRL_C,
): Promise<void> {
  const before = snapshot(world);
  const pty = startPty(world, { args });
  for (const [question, answer] of questions) {
    await pty.waitFor(question);
    pty.type(answer);
  }
  await pty.waitFor(last);
  pty.type(key);
  expect(await pty.exit).toBe(130);
  expect(pty.screen()).toContain("Nothing was changed.");
  expect(pty.screen().match(/◆/g)?.length ?? 0).toBeLessThanOrEqual(questions.length + 1);
  expect(snapshot(world)).toEqual(before);
}

describe.skipIf(!hasPty())("Ctrl-C", () => {
  it("exits cleanly at each question of install", async () => {
    const world = createWorld();
    mkdirSync(join(world.env["HOME"] ?? "", ".codex"));
    const which = /Which agents[\s\S]*Codex/;
    const statusLine = /status line\?/;
    const writer = /Who writes the memory\?/;
    await expectCancelled(world, "install", [], which);
    await expectCancelled(world, "install", [[which, "\r"]], statusLine);
    await expectCancelled(
      world,
      "install",
      [
        [which, "\r"],
        [statusLine, "y"],
      ],
      writer,
    );
    await expectCancelled(
      world,
      "install",
      [
        [which, "\r"],
        [statusLine, "y"],
        [writer, "\r"],
      ],
      /Apply these changes\?/,
    );
  });

  it("exits cleanly at the first question of install if Claude Code is the only agent", async () => {
    await expectCancelled(createWorld(), "install", [], /status line\?/);
  });

  it("or Ctrl-D exits cleanly at each kind of question", async () => {
    const world = createWorld();
    mkdirSync(join(world.env["HOME"] ?? "", ".codex"));
    const which = /Which agents[\s\S]*Codex/;
    await expectCancelled(world, "install", [], which, CTRL_D);
    await expectCancelled(world, "install", [[which, "\r"]], /status line\?/, CTRL_D);
  });

  it("exits cleanly at the question of uninstall, with and without --purge", async () => {
    const world = await createUsedWorld();
    await run(world, ["install", "--yes", "--no-sync", "--method", "settings"]);
    await expectCancelled(world, "uninstall", [], /Apply these changes\?/);
    await expectCancelled(world, "uninstall --purge", [], /Delete all of it\?/);
  });

  it("exits cleanly at the question of forget, purge and backup restore", async () => {
    const world = await createUsedWorld();
    await expectCancelled(world, `forget ${SESSION}`, [], /Delete this for good\?/);
    await run(world, ["backup", "create"]);
    await expectCancelled(world, "backup restore", [], /Restore it\?/);
    writeOldSession(world);
    await run(world, ["sync", "--quiet"]);
    await run(world, ["config", "set", "retentionEvidenceDays", "30"]);
    await expectCancelled(world, "purge", [], /Delete it\?/);
  });

  it("exits cleanly at each question of ignore", async () => {
    const world = await createUsedWorld();
    const also = /Also delete what is already stored/;
    await expectCancelled(world, "ignore .", [], also);
    await expectCancelled(world, "ignore .", [[also, "y"]], /Delete this for good\?/);
    await expectCancelled(world, "ignore . --forget", [], /Delete this for good\?/);
  });

  it("exits cleanly at the question of model install and remove", async () => {
    const world = createWorld();
    await expectCancelled(world, "model install", [], /Apply these changes\?/);
    mkdirSync(join(world.home, "models", "minilm"), { recursive: true });
    writeFileSync(join(world.home, "models", "minilm", "x"), "x");
    await expectCancelled(world, "model remove", [], /Apply these changes\?/);
  });
});

describe("c-mem ignore --dry-run", () => {
  it("changes nothing", async () => {
    const world = await createUsedWorld();
    const before = snapshot(world);
    expect(await run(world, ["ignore", ".", "--dry-run"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("This would ignore"),
    });
    expect(await run(world, ["ignore", ".", "--forget", "--dry-run"])).toMatchObject({ status: 0 });
    expect(snapshot(world)).toEqual(before);
  });
});
