import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { tinyHome } from "../../test/embed/tiny-model.ts";
import { ended, prompt, seedStore } from "../../test/seed.ts";
import { writeDrop } from "../capture/live/spool.ts";
import { resolvePaths } from "../config/paths.ts";
import { findWorker, removeLock } from "../platform/worker-lock.ts";
import { requestStop, isStopRequested } from "../platform/worker-start.ts";
import { minilmFile } from "../embed/minilm.ts";
import { countJobs, enqueueSession, jobsWithErrors } from "../store/tables/jobs.ts";
import { takeLock } from "../platform/take-lock.ts";
import { WakeSignal } from "./wake-signal.ts";
import { runWorker, type StopReason, type WorkerOptions } from "./worker.ts";

interface Home {
  paths: ReturnType<typeof resolvePaths>;
  env: Record<string, string>;
  logged: string[];
  run(extra?: Partial<WorkerOptions>): Promise<StopReason>;
}

/** A data directory, and a worker that runs in this process. */
function createHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-worker-"));
  const env = { HOME: folder, C_MEM_HOME: join(folder, "data") };
  const paths = resolvePaths(env);
  const logged: string[] = [];
  return {
    paths,
    env,
    logged,
    async run(extra = {}) {
      const lock = await takeLock(paths, "1.0.0");
      if (lock === undefined) throw new Error("another worker has the lock");
      const wakeSignal = new WakeSignal([{ folder: paths.spool, matters: () => true }]);
      const log = (message: string) => void logged.push(message);
      try {
        const { signal } = new AbortController();
        return await runWorker({ paths, env, token: lock.token, log, wakeSignal, signal, ...extra });
      } finally {
        wakeSignal.close();
        removeLock(paths.workerLock, lock.token);
      }
    },
  };
}

/** Stores an ended session and enqueues its job. */
function remember(home: Home, transcriptPath?: string, text = "Why?"): void {
  const { db, add } = seedStore(home.paths.database);
  add("s1", prompt(text), transcriptPath === undefined ? {} : { transcriptPath });
  add("s1", ended("Because."));
  enqueueSession(db, "s1", Date.now());
  db.close();
}

const ask = <Row>(home: Home, sql: string): Row[] => {
  const { db } = seedStore(home.paths.database);
  const rows = db.all<Row>(sql);
  db.close();
  return rows;
};

describe("a worker", () => {
  it("does not stop while a viewer is connected", async () => {
    const start = performance.now();
    const isWatched = () => performance.now() - start < 1_000;
    const lastRequestAt = () => (isWatched() ? performance.now() : start);
    expect(await createHome().run({ idleMs: 1, lastRequestAt })).toBe("idle");
    expect(isWatched()).toBe(false);
  });

  it("stops after being idle for a while", async () => {
    const home = createHome();
    remember(home);
    ask(home, "UPDATE jobs SET run_after = 0");
    expect(await home.run({ idleMs: 500 })).toBe("idle");
    expect(ask(home, "SELECT status FROM jobs")).toEqual([{ status: "done" }]);
    expect(existsSync(home.paths.workerLock)).toBe(false);
  });

  it("stops when asked to, and when another worker has the lock", async () => {
    const home = createHome();
    const asked = home.run();
    const wait = () => new Promise((done) => setTimeout(done, 100));
    while (findWorker(home.paths.workerLock, Date.now()) === undefined) await wait();
    requestStop(home.paths, findWorker(home.paths.workerLock, Date.now())?.token ?? "");
    expect(await asked).toBe("requested");
    expect(existsSync(home.paths.workerRequest)).toBe(false);
    expect(await home.run({ token: "not the lock's" })).toBe("lost-lock");
  });

  it("starts no job when another worker took the lock while it was suspended", async () => {
    const home = createHome();
    remember(home);
    ask(home, "UPDATE jobs SET run_after = 0");
    const clock = performance.now.bind(performance);
    let suspendedMs = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => clock() + suspendedMs);
    // The worker calls this just before a round: let it seem suspended for a minute there.
    const lastRequestAt = () => {
      suspendedMs = 60_000;
      writeFileSync(home.paths.workerLock, JSON.stringify({ pid: 1, token: "another's" }));
      return performance.now();
    };
    expect(await home.run({ lastRequestAt })).toBe("lost-lock");
    now.mockRestore();
    expect(ask(home, "SELECT status, attempts FROM jobs")).toEqual([{ status: "pending", attempts: 0 }]);
  });

  it("derives memory from hook events when the transcript cannot be read, and logs the error", async () => {
    const home = createHome();
    const folder = join(home.env["HOME"] ?? "", "transcripts");
    mkdirSync(folder);
    const path = join(folder, "s1.jsonl");
    writeFileSync(path, "{}\n");
    remember(home, path);
    // Reading continues from the stored state, which is not JSON here: an error.
    const { db } = seedStore(home.paths.database);
    db.run(
      `INSERT INTO sync_state (path, agent, session_id, byte_offset, line, size, mtime, fingerprint, state, malformed, synced_at)
       VALUES (?, 'claude-code', 's1', 3, 1, 1, 1, '', 'no JSON', 0, 0)`,
      path,
    );
    expect(await home.run({ once: true })).toBe("done");
    expect(ask(home, "SELECT prompt_number FROM summaries ORDER BY 1")).toEqual([
      { prompt_number: 0 },
      { prompt_number: 1 },
    ]);
    expect(jobsWithErrors(db, 5)).toMatchObject([{ key: "session:s1", status: "pending", attempts: 1 }]);
    expect(home.logged.join()).toContain("session:s1 failed");
    db.close();
  });

  it("derives stale sessions that have no job", async () => {
    const home = createHome();
    const { db, add } = seedStore(home.paths.database);
    add("s1", prompt("Why?"));
    add("s1", ended("Because."));
    expect(countJobs(db)).toMatchObject({ pending: 0 });
    expect(await home.run({ once: true })).toBe("done");
    expect(db.get("SELECT count(*) AS n FROM stale_memory")).toEqual({ n: 0 });
    expect(JSON.parse(readFileSync(home.paths.activity, "utf8"))).toMatchObject({ sessions: 1, queue: { pending: 0 } });
    db.close();
  });

  it("closes sessions that were idle for a day and derives their memory", async () => {
    const home = createHome();
    const { db, add } = seedStore(home.paths.database);
    add("s1", prompt("Why?"));
    // It was running when it was recorded.
    db.run("UPDATE sessions SET status = 'active'");
    expect(await home.run({ once: true })).toBe("done");
    expect(db.get("SELECT status FROM sessions")).toEqual({ status: "interrupted" });
    expect(db.get("SELECT count(*) AS n FROM summaries WHERE prompt_number = 1")).toEqual({ n: 1 });
    db.close();
  });

  it("writes to a new database after the file was deleted", async () => {
    const home = createHome();
    remember(home);
    ask(home, "UPDATE jobs SET run_after = 0");
    const worker = home.run({ idleMs: 6_000 });
    while (!home.logged.some((line) => line.includes("memory of"))) await new Promise((done) => setTimeout(done, 50));
    for (const end of ["", "-wal", "-shm"]) rmSync(home.paths.database + end);
    writeDrop(home.paths.spool, {
      agent: "claude-code",
      sessionId: "s2",
      cwd: "/app",
      project: { key: "k", name: "app", root: "/app" },
      activity: prompt("Still there?"),
      at: Date.now(),
    });
    expect(await worker).toBe("idle");
    expect(ask(home, "SELECT text FROM prompts")).toEqual([{ text: "Still there?" }]);
  });
});

describe("the lock", () => {
  const patience = { silentMs: 300, handOverMs: 300 };

  it.each(["", "{", '{"pid": "x"}'])(
    "with content %j, from a process killed while writing, is taken over",
    async (text) => {
      const { paths } = createHome();
      mkdirSync(paths.worker, { recursive: true });
      writeFileSync(paths.workerLock, text);
      expect(await takeLock(paths, "1.0.0", patience)).toMatchObject({ pid: process.pid, version: "1.0.0" });
    },
  );

  it("of a stopped process, or of a reused pid, is taken over", async () => {
    const { paths } = createHome();
    const first = await takeLock(paths, "1.0.0", patience);
    writeFileSync(paths.workerLock, JSON.stringify({ ...first, birth: "another" }));
    const second = await takeLock(paths, "1.0.0", patience);
    expect(second?.token).not.toBe(first?.token);
    writeFileSync(paths.workerLock, JSON.stringify({ ...second, pid: 2 ** 22 + 1 }));
    expect(await takeLock(paths, "1.0.0", patience)).toBeDefined();
  });

  it("of another machine is respected while its heartbeat is recent", async () => {
    const { paths } = createHome();
    const first = await takeLock(paths, "1.0.0", patience);
    writeFileSync(paths.workerLock, JSON.stringify({ ...first, machine: "elsewhere", pid: 2 ** 22 + 1 }));
    expect(await takeLock(paths, "1.0.0", patience)).toBeUndefined();
    utimesSync(paths.workerLock, new Date(0), new Date(0));
    expect(await takeLock(paths, "1.0.0", patience)).toBeDefined();
  });

  it("is taken without deleting a pending request to stop", async () => {
    const { paths } = createHome();
    requestStop(paths, "another");
    const lock = await takeLock(paths, "1.0.0", patience);
    expect([isStopRequested(paths, "another"), isStopRequested(paths, lock?.token ?? "")]).toEqual([true, false]);
  });

  it("of a running worker that does not stop is not taken over, whatever its version", async () => {
    const { paths } = createHome();
    const first = await takeLock(paths, "1.0.0", patience);
    for (const version of ["1.0.0", "0.9.0", "1.0.0-beta", "1.0.1"])
      expect(await takeLock(paths, version, patience)).toBeUndefined();
    expect(findWorker(paths.workerLock, Date.now())?.token).toBe(first?.token);
  });
});

describe("embedding in a worker", () => {
  /** A home with an installed model. */
  function createModelHome(): Home {
    const home = createHome();
    const file = minilmFile(home.paths);
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(minilmFile(tinyHome()), file);
    return home;
  }

  it("embeds turns and observations", async () => {
    const home = createModelHome();
    remember(home, undefined, "Why does the login test fail?");
    expect(await home.run({ once: true })).toBe("done");
    expect(ask(home, "SELECT name, is_wanted FROM embedding_models")).toEqual([{ name: "tiny", is_wanted: 1 }]);
    expect(ask(home, "SELECT kind FROM vectors")).toContainEqual({ kind: "turn" });
    expect(ask(home, "SELECT 1 FROM stale_vectors")).toEqual([]);
    expect(home.logged).toContainEqual(
      expect.stringMatching(/^embed:all: embedded \d+ turns and observations with tiny$/),
    );
    expect(ask(home, "SELECT status FROM jobs WHERE kind = 'embed'")).toEqual([{ status: "done" }]);
  });

  it("has no job without a model", async () => {
    const home = createHome();
    remember(home);
    expect(await home.run({ once: true })).toBe("done");
    expect(ask(home, "SELECT 1 FROM jobs WHERE kind = 'embed'")).toEqual([]);
    expect(ask(home, "SELECT 1 FROM stale_vectors")).not.toEqual([]);
  });

  it("fails with a logged reason if the model is damaged, and other jobs run", async () => {
    const home = createModelHome();
    remember(home);
    truncateSync(minilmFile(home.paths), 5_000);
    expect(await home.run({ once: true })).toBe("done");
    expect(ask(home, "SELECT status, attempts FROM jobs WHERE kind = 'embed'")).toEqual([
      { status: "pending", attempts: 1 },
    ]);
    expect(home.logged).toContainEqual(expect.stringContaining("is damaged"));
    expect(ask(home, "SELECT status FROM jobs WHERE kind = 'session'")).toEqual([{ status: "done" }]);
  });

  it("embeds everything again after the model changed", async () => {
    const home = createModelHome();
    remember(home);
    await home.run({ once: true });
    const { db } = seedStore(home.paths.database);
    db.run("UPDATE embedding_models SET name = 'openai:before:128'");
    db.close();
    await home.run({ once: true });
    expect(ask(home, "SELECT name FROM embedding_models")).toEqual([{ name: "tiny" }]);
  });
});
