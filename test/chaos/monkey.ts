// Faults of a machine, injected at random: each has a function that starts it and one that ends it.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { ROOT, type World } from "../e2e/harness.ts";

const WORKER = join(ROOT, "plugin", "dist", "worker.cjs");

export interface Trouble {
  name: string;
  /** Returns false if the fault could not be started. */
  start(): boolean | void;
  end?(): void;
}

export function killWorker(world: World, counted: { kills: number }): Trouble {
  return {
    name: "kill -9",
    start() {
      const pid = workerPid(world);
      if (pid === undefined) return;
      process.kill(pid, "SIGKILL");
      counted.kills += 1;
    },
    // Hooks would start a worker only after the killed worker's heartbeat is old.
    end: () => startWorker(world),
  };
}

function startWorker(world: World): void {
  spawn(process.execPath, [WORKER], { env: world.env, detached: true, stdio: "ignore" }).unref();
}

export function startWorkers(world: World): Trouble {
  return {
    name: "start workers",
    start() {
      for (let count = 0; count < 3; count++) startWorker(world);
    },
  };
}

export function workerPid(world: World): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(world.home, "worker", "lock.json"), "utf8")) as { pid: number };
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

/** Sets the lock's mtime up to 5 years into the past or future, as if the clock had changed. */
export function jumpLock(world: World, random: () => number): Trouble {
  return {
    name: "lock from another time",
    start() {
      try {
        const at = Date.now() / 1000 + (random() - 0.5) * 10 * 365 * 86_400;
        utimesSync(join(world.home, "worker", "lock.json"), at, at);
      } catch {
        // There is no lock.
      }
    },
  };
}

const FAKETIME = ["/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", process.env["C_MEM_FAKETIME"] ?? ""];

/** Sets the clock of every hook and worker, including running ones. Undefined if libfaketime is not installed. */
export function jumpClock(world: World, random: () => number): Trouble | undefined {
  const library = FAKETIME.find((path) => path !== "" && existsSync(path));
  if (library === undefined) return undefined;
  const file = join(world.project, "..", "clock");
  const set = (offset: string) => {
    removeSharedClocks();
    writeFileSync(file, offset);
  };
  set("+0");
  Object.assign(world.env, {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    NO_FAKE_STAT: "1",
  });
  const offsets = ["-2h", "+2h", "-3d", "+400d"];
  return {
    name: "clock",
    start: () => set(offsets[Math.floor(random() * offsets.length)] ?? "+0"),
    end: () => set("+0"),
  };
}

const SHARED = "/dev/shm";

/** libfaketime's files of a killed process prevent a later process with the same pid from starting. */
function removeSharedClocks(): void {
  for (const name of readdirSync(SHARED)) {
    const pid = /^(?:sem\.)?faketime_(?:shm|sem)_(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(SHARED, name), { force: true });
  }
}

/** Mounts a small disk as the data directory, which the fault fills. Undefined if mounting is not allowed. */
export function fillDisk(world: World, sizeMb = 64): { trouble: Trouble; unmount(): void } | undefined {
  mkdirSync(world.home, { recursive: true, mode: 0o700 });
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMb}m,mode=700`, "c-mem-chaos", world.home]);
  if (status !== 0) return undefined;
  const ballast = join(world.home, "ballast");
  return {
    trouble: {
      name: "full disk",
      start() {
        spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=64k", `count=${sizeMb * 16}`], { stdio: "ignore" });
      },
      end: () => rmSync(ballast, { force: true }),
    },
    unmount: () => void execFileSync("umount", ["-l", world.home]),
  };
}

/** Makes the disk read-only. Returns false if a file on it stays open for writing. */
export function makeReadOnly(world: World): Trouble {
  const remount = (how: string) => spawnSync("mount", ["-o", `remount,${how}`, world.home]).status === 0;
  return {
    name: "read-only",
    start() {
      for (let tries = 0; tries < 5; tries++) {
        const pid = workerPid(world);
        if (pid !== undefined) process.kill(pid, "SIGKILL");
        if (remount("ro")) return true;
      }
      return false;
    },
    end: () => void remount("rw"),
  };
}

/** Another process takes the worker's port while the worker restarts. */
export function takePort(world: World, port: number): Trouble {
  let server: Server | undefined;
  return {
    name: "port taken",
    start() {
      const pid = workerPid(world);
      if (pid !== undefined) process.kill(pid, "SIGKILL");
      server = createServer()
        .on("error", () => {})
        .listen(port, "127.0.0.1");
      startWorker(world);
    },
    end: () => void server?.close(),
  };
}

/** Suspends the worker while it has its lock, like a laptop that sleeps. */
export function suspendWorker(world: World): Trouble {
  let stopped: number | undefined;
  const signal = (pid: number, name: NodeJS.Signals) => {
    try {
      return process.kill(pid, name);
    } catch {
      return false;
    }
  };
  return {
    name: "SIGSTOP",
    start() {
      stopped = workerPid(world);
      return stopped !== undefined && signal(stopped, "SIGSTOP");
    },
    end() {
      if (stopped !== undefined) signal(stopped, "SIGCONT");
    },
  };
}
