import { describe, expect, it } from "vitest";
import { DAY, ended, MINUTE, prompt, seedStore } from "../../../test/seed.ts";
import type { Db } from "../db/driver.ts";
import { claimJob, finishJob, type Job } from "./jobs.ts";
import { deleteWaiting, enqueueModelJobs, enqueueTurn, requestHandovers, waitingTurns } from "./model-turns.ts";

// The status of a session depends on the real time.
const START = Date.now() - 60 * MINUTE;

const jobs = (db: Db) => db.all("SELECT key, run_after FROM jobs WHERE kind = 'enrich' ORDER BY key");

describe("turns that wait for a model", () => {
  it("are those that ended in the last day", () => {
    const { db, add } = seedStore();
    add("s1", prompt("one"), { at: START });
    enqueueTurn(db, 1, START + MINUTE);
    expect(waitingTurns(db, 1)).toEqual([]);
    add("s1", ended("done"), { at: START + MINUTE });
    enqueueTurn(db, 1, START + 2 * DAY);
    expect(waitingTurns(db, 1)).toEqual([]);
    enqueueTurn(db, 1, START + 30 * MINUTE);
    expect(waitingTurns(db, 1)).toEqual([1]);
  });

  it("share a request with the turns of the next ten minutes; the session's summary follows ten minutes later", () => {
    const { db, add } = seedStore();
    add("s1", prompt("one"), { at: START });
    add("s1", ended("done"), { at: START });
    enqueueTurn(db, 1, START);
    enqueueModelJobs(db, 1, START);
    add("s1", prompt("two"), { at: START + 5 * MINUTE });
    add("s1", ended("done"), { at: START + 5 * MINUTE });
    enqueueTurn(db, 2, START + 5 * MINUTE);
    enqueueModelJobs(db, 1, START + 5 * MINUTE);
    expect(jobs(db)).toEqual([
      { key: "enrich:1", run_after: START + 10 * MINUTE },
      { key: "handover:1", run_after: START + 15 * MINUTE },
    ]);
    expect(claimJob(db, "enrich", "me", START + 5 * MINUTE)).toBeUndefined();
  });

  it("leave more time for the session's summary the more summaries it has", () => {
    const { db, add } = seedStore();
    add("s1", prompt("one"), { at: START });
    add("s1", ended("done"), { at: START });
    const minutes = [0, 1, 2, 3].map((written) => {
      if (written > 0)
        db.run(
          `INSERT INTO summaries (session_db_id, prompt_number, last_prompt, request, investigated, learned, completed,
            next_steps, notes, files_read, files_edited, evidence, producer, created_at)
          VALUES (1, 0, ?, '', '', '', '', '', '', '[]', '[]', '[]', 'openai/m', 1)`,
          written,
        );
      db.run("UPDATE prompts SET prompt_number = 9");
      db.run("DELETE FROM jobs");
      enqueueModelJobs(db, 1, START);
      return ((db.value<number>("SELECT run_after FROM jobs WHERE key = 'handover:1'") ?? 0) - START) / MINUTE;
    });
    expect(minutes).toEqual([10, 10, 20, 40]);
  });

  it("are due at once when they are enough for a request, when the session ends and when the next one starts", () => {
    const { db, add } = seedStore();
    add("s1", prompt("one"), { at: START });
    add("s1", ended("done"), { at: START });
    enqueueTurn(db, 1, START);
    enqueueModelJobs(db, 1, START);
    requestHandovers(db, 1, 2, START + 1);
    expect(jobs(db)).toEqual([
      { key: "enrich:1", run_after: START + 1 },
      { key: "handover:1", run_after: START + 1 },
    ]);
    add("s1", { kind: "session-end", reason: "exit" }, { at: START + MINUTE });
    enqueueModelJobs(db, 1, START + MINUTE);
    expect(jobs(db).map((row) => (row as { run_after: number }).run_after)).toEqual([START + MINUTE, START + MINUTE]);
    finishJob(db, claimJob(db, "enrich", "me", START + MINUTE) as Job, "me", START);
    deleteWaiting(db, [1]);
    expect(waitingTurns(db, 1)).toEqual([]);
  });

  it("are not asked for again if the reply about the whole session was unusable, until the session goes on", () => {
    const { db, add } = seedStore();
    add("s1", prompt("one"), { at: START });
    add("s1", ended("done"), { at: START });
    add("s1", { kind: "session-end", reason: "exit" }, { at: START });
    enqueueModelJobs(db, 1, START);
    const job = claimJob(db, "enrich", "me", START) as Job;
    finishJob(db, job, "me", START, "the model's answer cannot be used: it has no title");
    enqueueModelJobs(db, 1, START + MINUTE);
    expect(claimJob(db, "enrich", "me", START + MINUTE)).toBeUndefined();
    add("s1", prompt("two"), { at: START + 2 * MINUTE });
    add("s1", ended("done"), { at: START + 3 * MINUTE });
    add("s1", { kind: "session-end", reason: "exit" }, { at: START + 3 * MINUTE });
    enqueueModelJobs(db, 1, START + 3 * MINUTE);
    expect(claimJob(db, "enrich", "me", START + 3 * MINUTE)).toMatchObject({ key: "handover:1" });
  });
});
