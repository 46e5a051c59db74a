import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, prompt, seedStore, START } from "../../../test/seed.ts";
import type { Db } from "../db/driver.ts";
import type { Sql } from "../db/sql.ts";
import {
  claimJob,
  countJobs,
  enqueueSession,
  enqueueStaleSessions,
  extendLease,
  failJob,
  finishJob,
  type Job,
  LEASE_MS,
  nextDueAt,
  postponeJob,
  recoverJobs,
  retryJobs,
  jobsWithErrors,
} from "./jobs.ts";
import { openStore } from "../db/open.ts";

const NOW = 1_000_000_000;
const HOUR = 60 * 60 * 1000;
const store = () => openStore(join(mkdtempSync(join(tmpdir(), "c-mem-jobs-")), "c-mem.db"));
const claim = (db: Db, now: number, owner = "me") => claimJob(db, "session", owner, now) as Job;
const stateOf = (db: Db) => db.get("SELECT status, attempts, deaths, again, owner, last_error FROM jobs");

describe("a job", () => {
  it("is claimed once, when it is due", () => {
    const db = store();
    enqueueSession(db, "s1", NOW);
    expect(claimJob(db, "session", "me", NOW)).toBeUndefined();
    const due = nextDueAt(db, "session", NOW) as number;
    expect(due - NOW).toBe(3_000);
    const job = claim(db, due);
    expect(job).toMatchObject({ kind: "session", key: "session:s1" });
    expect(claimJob(db, "session", "other", due)).toBeUndefined();
    finishJob(db, job, "me", due);
    expect(db.get("SELECT status, done_at, owner FROM jobs")).toEqual({ status: "done", done_at: due, owner: null });
  });

  it("enqueued again is delayed if pending, runs once more if running, and starts over if done", () => {
    const db = store();
    enqueueSession(db, "s1", NOW);
    enqueueSession(db, "s1", NOW + 2_000);
    expect(nextDueAt(db, "session", NOW)).toBe(NOW + 5_000);
    const job = claim(db, NOW + 5_000);
    enqueueSession(db, "s1", NOW + 6_000);
    expect(stateOf(db)).toMatchObject({ status: "running", again: 1, owner: "me" });
    finishJob(db, job, "me", NOW + 7_000);
    expect(stateOf(db)).toMatchObject({ status: "pending", again: 0 });
    finishJob(db, claim(db, NOW + 9_000), "me", NOW + 9_000);
    enqueueSession(db, "s1", NOW + HOUR);
    expect(stateOf(db)).toMatchObject({ status: "pending" });
  });

  it("that fails is tried three times with growing delays, then stays failed until it is retried", () => {
    const db = store();
    enqueueSession(db, "s1", NOW);
    let now = NOW + 3_000;
    const waits: number[] = [];
    for (const reason of ["first", "second", "third"]) {
      failJob(db, claim(db, now), "me", { now, reason });
      const due = nextDueAt(db, "session", now);
      if (due !== undefined) waits.push(due - now);
      now = due ?? now;
    }
    expect(waits).toEqual([10_000, 60_000]);
    expect(jobsWithErrors(db, 5)).toMatchObject([
      { key: "session:s1", status: "failed", attempts: 3, last_error: "third" },
    ]);
    expect(claimJob(db, "session", "me", now + HOUR)).toBeUndefined();
    expect(retryJobs(db, now, "session:other")).toBe(0);
    expect(retryJobs(db, now)).toBe(1);
    expect(claim(db, now)).toMatchObject({ attempts: 0 });
  });

  it("that fails for the last time starts over if it was enqueued meanwhile", () => {
    const db = store();
    enqueueSession(db, "s1", NOW);
    const job = { ...claim(db, NOW + 3_000), attempts: 2 };
    enqueueSession(db, "s1", NOW + 4_000);
    failJob(db, job, "me", { now: NOW + 5_000, reason: "no" });
    expect(stateOf(db)).toMatchObject({ status: "pending", attempts: 0, again: 0 });
  });

  it("can only be finished, failed or postponed by the worker that claimed it", () => {
    const db = store();
    enqueueSession(db, "s1", NOW);
    const job = claim(db, NOW + 3_000);
    finishJob(db, job, "other", NOW);
    failJob(db, job, "other", { now: NOW, reason: "no" });
    postponeJob(db, job, "other", NOW);
    expect(extendLease(db, job, "other", NOW)).toBe(false);
    expect(stateOf(db)).toMatchObject({ status: "running", owner: "me", attempts: 0 });
  });

  it("that is postponed keeps its number of attempts", () => {
    const db = store();
    enqueueSession(db, "s1", NOW);
    postponeJob(db, claim(db, NOW + 3_000), "me", NOW + 60_000, "the model is busy");
    expect(stateOf(db)).toMatchObject({ status: "pending", attempts: 0, last_error: "the model is busy" });
    expect(nextDueAt(db, "session", NOW)).toBe(NOW + 60_000);
  });
});

describe("claiming a job", () => {
  it("uses the index, also if only jobs of another kind are pending", () => {
    const db = store();
    const queries: string[] = [];
    const spy: Db = { ...db, value: (query) => (queries.push((query as Sql).text), db.value(query)) };
    enqueueSession(db, "s1", NOW);
    expect(claimJob(spy, "session", "me", NOW + HOUR)).toMatchObject({ key: "session:s1" });
    expect(claimJob(spy, "enrich", "me", NOW + HOUR)).toBeUndefined();
    const plans = queries
      .filter((sql) => sql.startsWith("SELECT"))
      .map((sql) => db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail));
    expect(plans).toHaveLength(3);
    for (const [search] of plans)
      expect(search).toMatch(/^SEARCH jobs USING (?:COVERING )?INDEX jobs_of_kind \(kind=\? AND status=\?/);
    expect(plans[0]).toHaveLength(1);
  });
});

describe("after a worker died", () => {
  it("its job is pending at once; the job of a running worker is not", () => {
    const db = store();
    for (const id of ["s1", "s2"]) enqueueSession(db, id, NOW);
    claim(db, NOW + 3_000, "dead");
    claim(db, NOW + 3_000, "living");
    expect(recoverJobs(db, (owner) => owner === "living", NOW + 3_000)).toBe(1);
    expect(countJobs(db)).toEqual({ pending: 1, running: 1, failed: 0 });
    expect(recoverJobs(db, () => true, NOW + 3_000 + LEASE_MS)).toBe(1);
  });

  it("a job fails if ten workers died during it", () => {
    const db = store();
    enqueueSession(db, "s1", NOW);
    let now = NOW + 3_000;
    for (let round = 0; round < 10; round++) {
      expect(claim(db, now)).toBeDefined();
      recoverJobs(db, () => false, now);
      now = nextDueAt(db, "session", now) ?? now;
    }
    expect(stateOf(db)).toMatchObject({ status: "failed", last_error: "the worker died during this job (10)" });
  });
});

describe("when the clock jumps", () => {
  it.each([HOUR / 6, 2 * HOUR, 365 * 24 * HOUR])("a job that was scheduled %i ms ahead is due now", (offset) => {
    const db = store();
    enqueueSession(db, "s1", NOW + offset);
    expect(nextDueAt(db, "session", NOW)).toBe(NOW);
    expect(claim(db, NOW)).toMatchObject({ key: "session:s1" });
  });

  it("a lease that ends a year from now has expired", () => {
    const db = store();
    enqueueSession(db, "s1", NOW);
    claim(db, NOW + 365 * 24 * HOUR);
    expect(recoverJobs(db, () => true, NOW)).toBe(1);
  });
});

describe("sessions with stale memory and no job", () => {
  it("are enqueued once their turn has ended", () => {
    const { db, add } = seedStore();
    add("ended", prompt("one"));
    add("ended", ended("done"));
    add("open", prompt("two"), { at: Date.now() });
    expect(enqueueStaleSessions(db, NOW)).toBe(1);
    expect(db.all("SELECT key FROM jobs")).toEqual([{ key: "session:ended" }]);
    expect(enqueueStaleSessions(db, NOW)).toBe(0);
  });

  it("are enqueued with the newest first, also if there was a job before", () => {
    const { db, add } = seedStore();
    for (const [session, day] of [
      ["old", 0],
      ["newest", 2],
      ["newer", 1],
    ] as const) {
      const at = START + day * 24 * HOUR;
      add(session, prompt("Why?"), { at });
      add(session, ended("Because."), { at: at + 1 });
    }
    enqueueSession(db, "old", NOW);
    finishJob(db, claim(db, NOW + HOUR), "me", NOW + HOUR);
    expect(enqueueStaleSessions(db, NOW)).toBe(3);
    const order = [1, 2, 3].map(() => claim(db, NOW + 2 * HOUR).key);
    expect(order).toEqual(["session:newest", "session:newer", "session:old"]);
    db.close();
  });
});
