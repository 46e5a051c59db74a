// A data directory on a full disk: commands report it and exit, and hooks keep working.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, createWorld, data, hook, ROOT, rows, run, type World } from "../e2e/harness.ts";

const SIZE_MB = 32;

interface Disk {
  /** Leaves this many bytes free. */
  fill(leave?: number): void;
  empty(): void;
}

/** Mounts a small disk as the data directory. Undefined if mounting is not allowed. */
function smallDisk(world: World): Disk | undefined {
  mkdirSync(world.home, { recursive: true, mode: 0o700 });
  const options = `size=${SIZE_MB}m,mode=700`;
  if (spawnSync("mount", ["-t", "tmpfs", "-o", options, "c-mem-test", world.home]).status !== 0) return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", world.home]));
  const ballast = join(world.home, "ballast");
  return {
    fill(leave = 0) {
      const { bavail, bsize } = statfsSync(world.home);
      const bytes = bavail * bsize - leave;
      try {
        if (bytes > 0) appendFileSync(ballast, Buffer.alloc(bytes));
      } catch (error) {
        // Another process wrote to the disk after statfs: the disk is full anyway.
        if (!(error instanceof Error) || !error.message.startsWith("ENOSPC")) throw error;
      }
    },
    empty: () => rmSync(ballast, { force: true }),
  };
}

const toolUse = (id: string, bytes = 100) => ({
  session_id: "s1",
  hook_event_name: "PostToolUse",
  tool_name: "Bash",
  tool_use_id: id,
  tool_input: { command: `echo ${id}` },
  tool_response: { stdout: `line of ${id}\n`.repeat(bytes / 12) },
});

/** Spools so many events that SQLite runs out of space inside the transaction, not at its end. */
async function fillWithMuchWork(world: World, disk: Disk): Promise<void> {
  await hook(world, "save", toolUse("t0"));
  await run(world, ["projects"]);
  await hook(world, "save", toolUse("copied", 20_000));
  const spool = join(world.home, "spool");
  const name = readdirSync(spool).find((each) => each.endsWith(".json")) ?? "";
  const drop = readFileSync(join(spool, name), "utf8");
  for (let index = 1; index < 180; index++)
    writeFileSync(join(spool, name.replace(".json", `${index}.json`)), drop.replaceAll("copied", `copied${index}`));
  disk.fill(600 * 1024);
}

/** Creates a database, and drops that need more space than `leave`. */
async function fillWithWork(world: World, disk: Disk, leave: number): Promise<void> {
  await hook(world, "save", toolUse("t0"));
  await run(world, ["projects"]);
  for (let index = 1; index < 12; index++) await hook(world, "save", toolUse(`t${index}`, 20_000));
  disk.fill(leave);
}

const DISK_FULL = /^error: .*c-mem\.db cannot grow: the disk is full\.\nhint: {2}Free some space.*\n$/;

/** No space, too little for SQLite's shared memory, enough to start a transaction. */
const FREE_BYTES = [0, 16 * 1024, 200 * 1024];

describe("on a full disk", () => {
  it.for([
    { leave: 0, command: ["projects"] },
    { leave: 16 * 1024, command: ["search", "line"] },
    { leave: 200 * 1024, command: ["list", "--all"] },
    { leave: 200 * 1024, command: ["forget", "line", "--yes"] },
    { leave: 200 * 1024, command: ["remember", "The disk was full."] },
  ])(
    "with $leave bytes left `c-mem $command` says so, loses nothing and exits with 1",
    async ({ leave, command }, { skip }) => {
      const world = createWorld();
      const disk = smallDisk(world);
      if (disk === undefined) return skip("mounting is not allowed here");
      await fillWithWork(world, disk, leave);
      const { status, stdout, stderr } = await run(world, command);
      expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: expect.stringMatching(DISK_FULL) });
      const json = await run(world, [...command, "--json"]);
      expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "disk_full" } });
      disk.empty();
      expect(await rows(world, "SELECT count(*) AS n FROM tool_uses")).toEqual([{ n: 12 }]);
    },
  );

  it("inside a transaction, a command says so, loses nothing and exits with 1", async ({ skip }) => {
    const world = createWorld();
    const disk = smallDisk(world);
    if (disk === undefined) return skip("mounting is not allowed here");
    await fillWithMuchWork(world, disk);
    const { status, stdout, stderr } = await run(world, ["projects"]);
    expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: expect.stringMatching(DISK_FULL) });
    disk.empty();
    expect(await rows(world, "SELECT count(*) AS n FROM tool_uses")).toEqual([{ n: 181 }]);
  });

  it.for(FREE_BYTES)(
    "with %d bytes left `worker run --once` says so and ends",
    { timeout: 40_000 },
    async (leave, { skip }) => {
      const world = createWorld();
      const disk = smallDisk(world);
      if (disk === undefined) return skip("mounting is not allowed here");
      await fillWithWork(world, disk, leave);
      const start = performance.now();
      const { status, stderr } = await run(world, ["worker", "run", "--once"]);
      expect(performance.now() - start).toBeLessThan(20_000);
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("the disk is full") });
      expect(stderr).toContain("Free some space");
      disk.empty();
      expect((await run(world, ["worker", "run", "--once"])).status).toBe(0);
      expect(await rows(world, "SELECT count(*) AS n FROM tool_uses")).toEqual([{ n: 12 }]);
    },
  );

  it("`worker start` says so at once", async ({ skip }) => {
    const world = createWorld();
    const disk = smallDisk(world);
    if (disk === undefined) return skip("mounting is not allowed here");
    disk.fill();
    const start = performance.now();
    const { status, stderr } = await run(world, ["worker", "start"]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^error: .* could not be written: the disk is full/),
    });
    expect(performance.now() - start).toBeLessThan(10_000);
    disk.empty();
    expect((await run(world, ["worker", "start"])).status).toBe(0);
    expect((await run(world, ["worker", "stop"])).stdout).toContain("Stopped the worker");
  });

  it("`worker stop` stops the worker", async ({ skip }) => {
    const world = createWorld();
    const disk = smallDisk(world);
    if (disk === undefined) return skip("mounting is not allowed here");
    expect((await run(world, ["worker", "start"])).status).toBe(0);
    disk.fill();
    const stopped = await run(world, ["worker", "stop"]);
    disk.empty();
    if (stopped.status !== 0) await run(world, ["worker", "stop"]);
    expect(stopped).toMatchObject({ status: 0, stdout: expect.stringContaining("Stopped the worker") });
  });

  it("an export and a bug report say so and leave no empty file", async ({ skip }) => {
    const world = createWorld();
    const said = { session_id: "s1", hook_event_name: "UserPromptSubmit", prompt: "Fix the login" };
    await hook(world, "new", said);
    await run(world, ["list"]);
    const out = join(world.home, "out");
    mkdirSync(out);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=4k", "c-mem-test", out]).status !== 0)
      return skip("mounting is not allowed here");
    onTestFinished(() => void spawnSync("umount", ["-l", out]));
    writeFileSync(join(out, "old.md"), "old");
    for (const args of [
      ["export", "s1", "-o", join(out, "new.md")],
      ["export", "s1", "--force", "-o", join(out, "old.md")],
      ["bug-report", "-o", join(out, "report.txt")],
    ]) {
      const { status, stderr } = await run(world, args);
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("the disk is full (ENOSPC)") });
      expect(stderr).toContain("hint:");
    }
    expect(readdirSync(out)).toEqual(["old.md"]);
    expect(readFileSync(join(out, "old.md"), "utf8")).toBe("old");
  });

  it("the error names what is full: the output or the temporary folder", async ({ skip }) => {
    const world = createWorld();
    const temporary = join(world.project, "..", "tmp");
    mkdirSync(temporary);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4k", "c-mem-test", temporary]);
    if (mounted.status !== 0) return skip("mounting is not allowed here");
    onTestFinished(() => void spawnSync("umount", ["-l", temporary]));
    writeFileSync(join(temporary, "full"), Buffer.alloc(4096));
    await hook(world, "new", { session_id: "s1", hook_event_name: "UserPromptSubmit", prompt: "Fix the login" });
    const { status, stderr } = await run(world, ["list"], { env: { TMPDIR: temporary } });
    expect(status).toBe(1);
    expect(stderr).toContain(`The temporary folder ${temporary} is full.`);
    const output = openSync("/dev/full", "w");
    const full = spawnSync(process.execPath, [BIN, "list"], {
      cwd: world.project,
      env: world.env,
      stdio: ["ignore", output, "pipe"],
      encoding: "utf8",
    });
    expect(full).toMatchObject({ status: 1, stderr: expect.stringMatching(/^error: The output could not be written/) });
  });

  it("`doctor --fix` says which file could not be written", async ({ skip }) => {
    const world = createWorld();
    const disk = smallDisk(world);
    if (disk === undefined) return skip("mounting is not allowed here");
    await run(world, ["worker", "run", "--once"]);
    disk.fill();
    const { status, stdout } = await run(world, ["doctor", "--fix"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/hooks installed: .*home\/.c-mem\/\S+ could not be written: the disk is full/);
    expect(stdout).not.toContain("copyfile");
  });

  it("`config set` leaves the file as it was and nothing beside it", async ({ skip }) => {
    const world = createWorld();
    const disk = smallDisk(world);
    if (disk === undefined) return skip("mounting is not allowed here");
    await run(world, ["config", "set", "port", "38001"]);
    const before = readFileSync(join(world.home, "config.json"), "utf8");
    const files = readdirSync(world.home);
    disk.fill();
    const { status, stderr } = await run(world, ["config", "set", "port", "38002"]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^error: .*config\.json could not be written: the disk is full/),
    });
    expect(readFileSync(join(world.home, "config.json"), "utf8")).toBe(before);
    expect(readdirSync(world.home)).toEqual([...files, "ballast"].sort());
  });

  it("and a full temporary folder, hooks exit 0; `status` and `doctor` report how many events were lost", async ({
    skip,
  }) => {
    if (ROOT.startsWith("/tmp/")) return skip("this checkout lies under /tmp, which the test hides");
    const world = createWorld("/var/tmp");
    const disk = smallDisk(world);
    if (disk === undefined) return skip("mounting is not allowed here");
    await hook(world, "save", toolUse("t0"));
    await run(world, ["worker", "run", "--once"]);
    expect(await data(world, ["status"])).toMatchObject({ lost_events: 0 });
    disk.fill();
    for (const id of ["t1", "t2", "t3"]) {
      // Give the hook a temporary folder that is full, too.
      const script = `mount -t tmpfs -o size=4k c-mem-test /tmp && echo full > /tmp/full && exec "$@"`;
      const { status, stdout } = spawnSync(
        "unshare",
        ["--mount", "sh", "-c", script, "sh", process.execPath, BIN, "save"],
        { env: world.env, encoding: "utf8", input: JSON.stringify({ cwd: world.project, ...toolUse(id) }) },
      );
      expect({ status, stdout }).toEqual({ status: 0, stdout: '{"continue":true,"suppressOutput":true}\n' });
    }
    disk.empty();
    expect(await rows(world, "SELECT tool_use_id FROM tool_uses")).toEqual([{ tool_use_id: "t0" }]);
    expect(await data(world, ["status"])).toMatchObject({ lost_events: 3 });
    expect((await run(world, ["doctor"])).stdout).toContain("at least 3 events could not be recorded");
  });
});
