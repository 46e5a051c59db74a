// doctor --fix repairs reported problems and lists each fix. Logs and bug reports contain no private text.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { machineId } from "../../src/platform/worker-lock.ts";
import { ALNUM, seeded } from "../secrets/random.ts";
import { createWorld, data, hook, rows, run, type World } from "./harness.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";
const HOUR = 60 * 60 * 1000;

async function createUsedWorld(): Promise<World> {
  const world = createWorld();
  await hook(world, "new", { session_id: SESSION, hook_event_name: "UserPromptSubmit", prompt: "Rumpelstilzchen" });
  await rows(world, "SELECT 1");
  return world;
}

type Doctor = {
  results: { name: string; state: string; message: string }[];
  fixed: { name: string; done: string; is_fixed: boolean }[];
};
const doctor = async (world: World, ...args: string[]) => (await data(world, ["doctor", ...args])) as unknown as Doctor;
const stateOf = ({ results }: Doctor, name: string) => results.find((check) => check.name === name)?.state;
const doneOf = ({ fixed }: Doctor, name: string) => fixed.find((one) => one.name === name);

describe("the data directory", () => {
  it("is readable only by the user from the first write on", async () => {
    const world = await createUsedWorld();
    await run(world, ["search", "x"]);
    await run(world, ["config", "set", "archive", "true"]);
    for (const name of readdirSync(world.home, { recursive: true, encoding: "utf8" })) {
      expect({ name, open: statSync(join(world.home, name)).mode & 0o077 }).toEqual({ name, open: 0 });
    }
    expect(statSync(world.home).mode & 0o077).toBe(0);
  });
});

describe("c-mem doctor --fix", () => {
  it("removes other users' read access", async () => {
    const world = await createUsedWorld();
    mkdirSync(join(world.home, "logs"), { recursive: true });
    writeFileSync(join(world.home, "logs", "hook.log"), "");
    for (const path of [world.home, join(world.home, "c-mem.db"), join(world.home, "logs", "hook.log")])
      chmodSync(path, 0o755);
    expect(stateOf(await doctor(world), "privacy")).toBe("fail");
    const fixed = await doctor(world, "--fix");
    expect(doneOf(fixed, "privacy")).toMatchObject({
      is_fixed: true,
      done: expect.stringMatching(/^made \d+ files readable by you only$/),
    });
    expect(stateOf(fixed, "privacy")).toBe("ok");
    expect(statSync(join(world.home, "logs", "hook.log")).mode & 0o077).toBe(0);
  });

  it("registers missing hooks", async () => {
    const world = await createUsedWorld();
    const fixed = await doctor(world, "--fix");
    expect(doneOf(fixed, "hooks installed")).toEqual({
      name: "hooks installed",
      done: "ran c-mem install",
      is_fixed: true,
      mended: true, // check-words: data
    });
    expect(stateOf(fixed, "hooks installed")).toBe("ok");
    const path = join(world.claudeDir, "settings.json");
    const settings = JSON.parse(readFileSync(path, "utf8")) as { hooks: Record<string, unknown[]> };
    delete settings.hooks["Stop"];
    writeFileSync(path, JSON.stringify(settings));
    expect(stateOf(await doctor(world), "hooks installed")).toBe("fail");
    expect(stateOf(await doctor(world, "--fix"), "hooks installed")).toBe("ok");
    expect(readFileSync(path, "utf8")).toContain("Stop");
  });

  it("restores the programs of hooks and memory tools in one run", async () => {
    const world = await createUsedWorld();
    await doctor(world, "--fix");
    rmSync(join(world.home, "plugin"), { recursive: true });
    const names = ["hook runs", "memory tools"];
    const before = await doctor(world);
    expect(names.map((name) => stateOf(before, name))).toEqual(["fail", "fail"]);
    const fixed = await doctor(world, "--fix");
    for (const name of names) expect(doneOf(fixed, name)).toMatchObject({ done: "ran c-mem install", is_fixed: true });
    expect(names.map((name) => stateOf(fixed, name))).toEqual(["ok", "ok"]);
  });

  it("retries failed jobs, and removes files left by ended processes", async () => {
    const world = await createUsedWorld();
    const db = new DatabaseSync(join(world.home, "c-mem.db"));
    db.prepare(
      "INSERT INTO jobs (kind, key, status, attempts, run_after, last_error, created_at) VALUES ('session', 'session:x', 'failed', 3, 0, 'no luck', 0)",
    ).run();
    db.prepare("INSERT OR REPLACE INTO index_state (name, last_id) VALUES ('unclean', 1)").run();
    db.close();
    mkdirSync(join(world.home, "worker"), { recursive: true });
    const lock = join(world.home, "worker", "lock.json");
    writeFileSync(
      lock,
      JSON.stringify({ pid: 999_999_999, token: "gone", version: "0.1.0", startedAt: 0, machine: machineId() }),
    );
    const left = ["config.json.new", "server.json.123", join("worker", "request.77")].map((name) =>
      join(world.home, name),
    );
    for (const path of left) writeFileSync(path, "");
    const fresh = join(world.home, "worker", "request.78");
    writeFileSync(fresh, "");
    const old = (Date.now() - 2 * HOUR) / 1000;
    for (const path of [lock, ...left]) utimesSync(path, old, old);
    const before = await doctor(world);
    for (const name of ["background work", "leftovers", "forgotten text"])
      expect([name, stateOf(before, name)]).toEqual([name, "warn"]);
    const fixed = await doctor(world, "--fix");
    expect(doneOf(fixed, "background work")?.done).toBe("retried 1 job");
    expect(doneOf(fixed, "leftovers")?.done).toBe(
      "removed 3 files left by killed processes; removed the lock of a dead worker",
    );
    expect(existsSync(lock)).toBe(false);
    expect(doneOf(fixed, "forgotten text")?.done).toBe("erased forgotten text");
    for (const name of ["background work", "leftovers"]) expect([name, stateOf(fixed, name)]).toEqual([name, "ok"]);
    expect([...left, fresh].map((path) => existsSync(path))).toEqual([false, false, false, true]);
  });

  it("retries quarantined drops, and reports those that still fail", async () => {
    const world = await createUsedWorld();
    await hook(world, "new", { session_id: SESSION, hook_event_name: "UserPromptSubmit", prompt: "quarantined" });
    const [spool, bad] = [join(world.home, "spool"), join(world.home, "spool", "bad")];
    mkdirSync(bad, { recursive: true });
    for (const name of readdirSync(spool).filter((one) => one.endsWith(".json")))
      renameSync(join(spool, name), join(bad, name));
    expect(stateOf(await doctor(world), "spool")).toBe("warn");
    expect(doneOf(await doctor(world, "--fix"), "spool")).toMatchObject({
      done: "stored the waiting events",
      is_fixed: true,
    });
    expect(await rows(world, "SELECT text FROM prompts ORDER BY id DESC LIMIT 1")).toEqual([{ text: "quarantined" }]);
    writeFileSync(join(bad, "1.json"), "not an event");
    expect(doneOf(await doctor(world, "--fix"), "spool")).toMatchObject({
      done: `could not be fixed: 1 event cannot be read: see ${bad}`,
      is_fixed: false,
    });
    expect(readdirSync(bad)).toEqual(["1.json"]);
  });

  it("checks and repairs the rest if Claude Code's settings are unreadable", async () => {
    const world = await createUsedWorld();
    mkdirSync(world.claudeDir, { recursive: true });
    writeFileSync(join(world.claudeDir, "settings.json"), "{ cut off");
    chmodSync(world.home, 0o755);
    const before = await doctor(world);
    expect(["claude settings", "privacy", "spool"].map((name) => stateOf(before, name))).toEqual([
      "fail",
      "fail",
      "ok",
    ]);
    const fixed = await doctor(world, "--fix");
    expect([doneOf(fixed, "claude settings")?.is_fixed, doneOf(fixed, "privacy")?.is_fixed]).toEqual([false, true]);
    expect(readFileSync(join(world.claudeDir, "settings.json"), "utf8")).toBe("{ cut off");
    expect((await run(world, ["status"])).stdout).toContain("1 session");
  });

  it("does not change unreadable settings, and says so", async () => {
    const world = await createUsedWorld();
    writeFileSync(join(world.home, "config.json"), "{ cut off");
    const { stdout, status } = await run(world, ["doctor", "--fix"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^not fixed +settings: your settings were not changed: edit them yourself$/m);
    expect(readFileSync(join(world.home, "config.json"), "utf8")).toBe("{ cut off");
  });
});

describe("c-mem logs", () => {
  it("shows entries of hooks and the worker in order, since a given time", async () => {
    const world = await createUsedWorld();
    mkdirSync(join(world.home, "logs"), { recursive: true });
    const entry = (value: object) => `${JSON.stringify(value)}\n`;
    writeFileSync(
      join(world.home, "logs", "hook.log"),
      entry({ at: "2026-01-01T10:00:00.000Z", hook: "save", code: "x", message: "first" }) +
        'null\n7\n{"at":"2026-01-02T1\n' +
        entry({ at: "2026-01-03T10:00:00.000Z", hook: "new", code: "x", message: "third" }),
    );
    writeFileSync(
      join(world.home, "logs", "worker.log"),
      entry({ at: "2026-01-02T10:00:00.000Z", pid: 1, message: "second" }),
    );
    const tokyo = { ...world, env: { ...world.env, TZ: "Asia/Tokyo" } };
    expect((await run(tokyo, ["logs"])).stdout).toBe(
      "2026-01-01 19:00:00  hook    save: first\n2026-01-02 19:00:00  worker  second\n2026-01-03 19:00:00  hook    new: third\n",
    );
    expect((await run(tokyo, ["logs", "--since", "2026-01-03"])).stdout).toMatch(/^2026-01-03 19:00:00[^\n]*\n$/);
    expect(await data(world, ["logs", "--since", "2026-01-02", "-n", "1"])).toEqual({
      results: [{ at: "2026-01-03T10:00:00.000Z", from: "hook", message: "new: third" }],
    });
    expect((await run(world, ["logs", "-n", "none"])).status).toBe(2);
  });

  it("follows new entries", async () => {
    const world = await createUsedWorld();
    let seen = "";
    await run(world, ["logs", "--follow"], {
      onStart: (child) => {
        child.stdout?.on("data", (chunk: Buffer) => {
          seen += chunk.toString();
          if (seen.includes("bad_") || seen.includes("stdin is not JSON")) child.kill("SIGTERM");
        });
        void run(world, ["save"], { input: "{ cut off" });
        setTimeout(() => child.kill("SIGKILL"), 45_000).unref();
      },
    });
    expect(seen).toContain("save: stdin is not JSON");
  });
});

describe("c-mem bug-report", () => {
  it("has versions, health and counts, and no private text", async () => {
    const world = await createUsedWorld();
    const secret = `gh${"p"}_${seeded(3).text(ALNUM, 36)}`;
    mkdirSync(join(world.home, "logs"), { recursive: true });
    const message = `cannot read ${join(world.env["HOME"] ?? "", "clients/acme/plan.md")} with ${secret}, nor /srv/clients/acme/b.md:12 at http://127.0.0.1:3/api/x; ENOENT: no such file, open '/srv/Big Client/acme plan.md'; ${join(world.env["HOME"] ?? "", "Big Client/acme/x.md")} is gone, /srv/old/Big Client/y.md too`;
    writeFileSync(
      join(world.home, "logs", "worker.log"),
      `${JSON.stringify({ at: "2026-01-01T10:00:00.000Z", pid: 1, message })}\n`,
    );
    writeFileSync(
      join(world.home, "config.json"),
      JSON.stringify({ holdout: 10, baseUrl: "http://inside.acme.example", excludePaths: ["/srv/acme"] }),
    );
    const { stdout, status } = await run(world, ["bug-report"]);
    expect(status).toBe(0);
    const report = readFileSync(stdout.trim(), "utf8");
    expect(report).toMatch(/^C-Mem \d+\.\d+\.\d+, Node 2\d/);
    for (const part of [
      "sessions: 1",
      "holdout: 10 (user)",
      "baseUrl: (set)",
      "== Doctor ==",
      "cannot read ~/… with [redacted:github], nor /…:12 at http://127.0.0.1:3/api/x; ENOENT: no such file, open '/…'; ~/… is gone, /… too",
    ]) {
      expect(report).toContain(part);
    }
    for (const word of ["Rumpelstilzchen", "acme", "Client", secret.slice(4), world.home, `${world.env["HOME"]}/`])
      expect(report).not.toContain(word);
    expect(statSync(stdout.trim()).mode & 0o077).toBe(0);
  });

  it("never overwrites a file, and reports an unwritable one", async () => {
    const world = await createUsedWorld();
    const taken = join(world.project, "notes.txt");
    writeFileSync(taken, "mine");
    const refused = await run(world, ["bug-report", taken]);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("already exists") });
    expect(readFileSync(taken, "utf8")).toBe("mine");
    const nowhere = await run(world, ["bug-report", join(world.project, "no", "report.txt")]);
    expect(nowhere.stderr).toMatch(/^error: .* could not be written/);
  });
});
