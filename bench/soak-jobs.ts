// Measures whether a worker's memory and open files grow with the number of its jobs.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createWorld } from "../test/e2e/harness.ts";
import { bash, ended, MINUTE, prompt, seedStore, START } from "../test/seed.ts";
import type { Db } from "../src/store/db/driver.ts";
import { countJobs, enqueueSession } from "../src/store/tables/jobs.ts";
import { transaction } from "../src/store/db/transaction.ts";
import { PLUGIN } from "./measure.ts";
import { handles, megabytes } from "./soak-processes.ts";

const WORKER = join(PLUGIN, "worker.cjs");
const PROJECTS = 200;
const POLL_MS = 500;

export async function soakJobs(jobs: number): Promise<void> {
  const world = createWorld();
  mkdirSync(world.home, { recursive: true, mode: 0o700 });
  const db = fill(join(world.home, "c-mem.db"), jobs);
  const begun = performance.now();
  const worker = spawn(process.execPath, [WORKER], { env: world.env, stdio: "ignore" });
  const pid = worker.pid ?? 0;
  const samples: { left: number; mb: number; files: number }[] = [];
  const left = () => {
    const { pending, running } = countJobs(db);
    return pending + running;
  };
  for (let rest = left(); rest > 0 && worker.exitCode === null; rest = left()) {
    samples.push({ left: rest, mb: megabytes(pid), files: handles(pid) });
    await setTimeout(POLL_MS);
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  worker.kill("SIGTERM");
  db.close();
  const half = samples.filter((sample) => sample.left < jobs / 2);
  const most = (part: typeof samples, key: "mb" | "files") => Math.max(0, ...part.map((sample) => sample[key]));
  console.log(
    `  ${jobs.toLocaleString("en")} jobs by one worker in ${seconds} s: at most ${most(samples, "mb")} MB and ${most(samples, "files")} open files, in the second half ${most(half, "mb")} MB and ${most(half, "files")}`,
  );
}

function fill(path: string, jobs: number): Db {
  mkdirSync(dirname(path), { recursive: true });
  const { db, add } = seedStore(path);
  const now = Date.now() - MINUTE;
  transaction(db, () => {
    for (let index = 0; index < jobs; index++) {
      const id = `job-${index}`;
      const name = `p${index % PROJECTS}`;
      const extra = { project: { key: name, name, root: `/${name}` }, at: START + index * MINUTE };
      add(id, prompt(`Look into part ${index} of ${name}`), extra);
      add(id, bash(`npm run part-${index}`, `part ${index} is done`), extra);
      add(id, ended(`Part ${index} is as it should be.`), extra);
      enqueueSession(db, id, now);
    }
  });
  return db;
}
