import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ended, MINUTE, prompt, seedStore } from "../../test/seed.ts";
import { resolvePaths } from "../config/paths.ts";
import { claimJob, type Job } from "../store/tables/jobs.ts";
import { enqueueModelJobs, enqueueTurns, waitingTurns } from "../store/tables/model-turns.ts";
import { runEnrichJob } from "./enrich-job.ts";

it("A summary that waits for a running turn is due as soon as the session ends", async () => {
  const env = { C_MEM_HOME: join(mkdtempSync(join(tmpdir(), "c-mem-enrich-job-")), "home") };
  const paths = resolvePaths(env);
  mkdirSync(paths.home);
  writeFileSync(paths.config, JSON.stringify({ provider: "ollama", model: "m" }));
  const { db, add } = seedStore(paths.database);
  // The status of a session depends on the real time.
  const start = Date.now() - 20 * MINUTE;
  add("s1", prompt("one"), { at: start });
  add("s1", ended("done"), { at: start + MINUTE });
  enqueueModelJobs(db, 1, start + MINUTE);
  add("s1", prompt("two"), { at: start + 5 * MINUTE });
  db.run("UPDATE jobs SET last_error = 'an earlier failure'");
  const job = claimJob(db, "enrich", "me", Date.now()) as Job;
  await runEnrichJob(db, job, { paths, env, owner: "me", log: () => {} }, new AbortController().signal);
  expect(claimJob(db, "enrich", "me", Date.now())).toBeUndefined();
  expect(db.all("SELECT last_error FROM jobs")).toEqual([{ last_error: null }]);
  add("s1", { kind: "session-end", reason: "exit" }, { at: Date.now() });
  enqueueModelJobs(db, 1, Date.now());
  expect(claimJob(db, "enrich", "me", Date.now() + 1)).toMatchObject({ key: "handover:1" });
});

it("Waiting turns are kept while a settings file is broken, and deleted if the user chose no model", async () => {
  const env = { C_MEM_HOME: join(mkdtempSync(join(tmpdir(), "c-mem-enrich-job-")), "home") };
  const paths = resolvePaths(env);
  const folder = mkdtempSync(join(tmpdir(), "c-mem-enrich-job-"));
  mkdirSync(paths.home);
  const { db, add } = seedStore(paths.database);
  add("s1", prompt("one"), { cwd: folder });
  add("s1", ended("done"), { cwd: folder });
  enqueueTurns(db, [1], Date.now());
  enqueueModelJobs(db, 1, Date.now() - 20 * MINUTE);
  const runJob = async (): Promise<void> => {
    db.run("UPDATE jobs SET run_after = 0 WHERE key = 'enrich:1'");
    const job = claimJob(db, "enrich", "me", Date.now()) as Job;
    await runEnrichJob(db, job, { paths, env, owner: "me", log: () => {} }, new AbortController().signal);
  };
  const state = () => [waitingTurns(db, 1), db.value("SELECT status FROM jobs WHERE key = 'enrich:1'")];
  writeFileSync(paths.config, '{ "provider": "ollama",');
  await runJob();
  expect(state()).toEqual([[1], "pending"]);
  writeFileSync(paths.config, '{ "provider": "ollama", "model": "m" }');
  writeFileSync(join(folder, ".c-mem.json"), "{ broken");
  await runJob();
  expect(state()).toEqual([[1], "pending"]);
  writeFileSync(paths.config, "{}");
  await runJob();
  expect(state()).toEqual([[], "done"]);
});
