import { describe, expect, it } from "vitest";
import { bash, ended, MINUTE, prompt, said, seedStore } from "../../../test/seed.ts";
import { deriveSession } from "../../memory/derive.ts";
import type { Activity, CapturedEvent } from "../../core/event.ts";
import type { Db } from "../db/driver.ts";
import { claimJob, enqueueSession, failJob, MAX_ATTEMPTS, retryJobs } from "./jobs.ts";
import { updateIdleStatuses } from "./session-status.ts";
import { turnsOfSession } from "../reads/timeline.ts";

const HOUR = 60 * MINUTE;
/** Events are within the hour before this, so that no session is idle. */
const NOW = Date.now();
const at = (minutes: number): { at: number } => ({ at: NOW - HOUR + minutes * MINUTE });
const status = (db: Db, sessionId = "s1"): string | undefined =>
  db.get<{ status: string }>("SELECT status FROM sessions WHERE session_id = ?", sessionId)?.status;
const turnStates = (db: Db): string[] => turnsOfSession(db, 1).map(({ state }) => state);
const start: Activity = { kind: "session-start", source: "startup" };
const end: Activity = { kind: "session-end", reason: "other" };
const interrupted: Activity = { kind: "turn-end", isInterrupted: true };

type Step = [activity: Activity, minutes: number, extra?: Partial<CapturedEvent>];

describe("the status of a session", () => {
  const CASES: [name: string, steps: Step[], expected: string][] = [
    ["is active after its start", [[start, 0]], "active"],
    [
      "is active while its first turn runs",
      [
        [prompt("Why?"), 0],
        [bash("ls"), 1],
      ],
      "active",
    ],
    [
      "is completed when the turn has ended",
      [
        [prompt("Why?"), 0],
        [ended("Because."), 2],
      ],
      "completed",
    ],
    [
      "is completed by the end of a turn without a response",
      [
        [prompt("Why?"), 0],
        [bash("ls"), 1],
        [{ kind: "turn-end" }, 2],
      ],
      "completed",
    ],
    [
      "is active again with the next prompt",
      [
        [prompt("Why?"), 0],
        [ended("Because."), 2],
        [prompt("And then?"), 3],
      ],
      "active",
    ],
    [
      "is completed by the end of the session, even during a turn",
      [
        [prompt("Why?"), 0],
        [bash("ls"), 1],
        [end, 2],
      ],
      "completed",
    ],
    [
      "stays completed when the session is resumed, until the next prompt",
      [
        [prompt("Why?"), 0],
        [end, 2],
        [start, 5],
      ],
      "completed",
    ],
    [
      "is interrupted if the transcript shows it",
      [
        [prompt("Why?"), 0],
        [bash("ls"), 1],
        [interrupted, 2],
      ],
      "interrupted",
    ],
    [
      "is interrupted also if the session ended after that",
      [
        [prompt("Why?"), 0],
        [interrupted, 2],
        [end, 3],
      ],
      "interrupted",
    ],
    [
      "is interrupted also if the transcript is read after the end",
      [
        [prompt("Why?"), 0],
        [end, 3],
        [interrupted, 2],
      ],
      "interrupted",
    ],
    [
      "depends on the last turn, not on earlier ones",
      [
        [prompt("Why?"), 0],
        [interrupted, 2],
        [prompt("Go on"), 3],
        [ended("Done."), 4],
      ],
      "completed",
    ],
    [
      "is active again when background work wakes the agent",
      [
        [prompt("Why?"), 0],
        [ended("Waiting."), 2],
        [bash("ls"), 4],
      ],
      "active",
    ],
    [
      "stays completed if a tool use is reported a few seconds late",
      [
        [prompt("Why?"), 0],
        [ended("Done."), 2],
        [bash("ls"), 2.05],
      ],
      "completed",
    ],
    [
      "stays completed if only a system message follows",
      [
        [prompt("Why?"), 0],
        [ended("Done."), 2],
        [{ ...said("m1", "Recap."), role: "system" } as Activity, 9],
      ],
      "completed",
    ],
    [
      "is active while the transcript has a response but no end of the turn",
      [
        [prompt("Why?"), 0],
        [{ kind: "response", text: "Let me look." }, 1],
      ],
      "active",
    ],
  ];

  it.each(CASES)("%s", (_name, steps, expected) => {
    const { db, add } = seedStore();
    for (const [activity, minutes, extra] of steps) add("s1", activity, { ...at(minutes), ...extra });
    expect(status(db)).toBe(expected);
    db.close();
  });

  it("is active for a subagent until it reports its end, or interrupted if its transcript shows it", () => {
    const { db, add } = seedStore();
    add("s1", prompt("Ask two agents"), at(0));
    add("s1", bash("ls"), { ...at(1), agentId: "a" });
    add("s1", bash("ls"), { ...at(1), agentId: "b" });
    expect(status(db, "agent-a")).toBe("active");
    add("s1", ended("Found it."), { ...at(2), agentId: "a" });
    add("s1", interrupted, { ...at(2), agentId: "b" });
    expect([status(db, "agent-a"), status(db, "agent-b"), status(db)]).toEqual(["completed", "interrupted", "active"]);
    db.close();
  });

  it("is completed for an old session without an end: its transcript does not show an interruption", () => {
    const { db, add } = seedStore();
    add("s1", prompt("Why?"));
    add("s1", bash("ls"));
    add("s2", prompt("Why?"));
    add("s2", ended("Because."));
    add("s3", start);
    expect([status(db), status(db, "s2"), status(db, "s3")]).toEqual(["completed", "completed", "completed"]);
    expect(turnStates(db)).toEqual(["completed"]);
    expect(updateIdleStatuses(db, NOW + 25 * HOUR)).toEqual([]);
    db.close();
  });
});

describe("a turn without an end", () => {
  it("is interrupted after a day and its memory becomes stale; a later event reopens it", () => {
    const { db, add } = seedStore();
    add("s1", prompt("Why?"), at(0));
    add("s1", bash("ls"), at(1));
    db.run("DELETE FROM stale_memory");
    expect(updateIdleStatuses(db, NOW + 22 * HOUR)).toEqual([]);
    expect(updateIdleStatuses(db, NOW + 25 * HOUR)).toEqual(["s1"]);
    expect(status(db)).toBe("interrupted");
    expect(turnStates(db)).toEqual(["interrupted"]);
    expect(db.get("SELECT count(*) AS n FROM stale_memory")).toEqual({ n: 1 });
    add("s1", bash("pwd"), at(30));
    expect([status(db), turnStates(db)]).toEqual(["active", ["running"]]);
    db.close();
  });

  it("is completed when another prompt follows", () => {
    const { db, add } = seedStore();
    add("s1", prompt("Why?"), at(0));
    add("s1", prompt("Something else"), at(3));
    expect(turnsOfSession(db, 1).map(({ state, ended_at }) => ({ state, ended_at }))).toEqual([
      { state: "completed", ended_at: at(3).at },
      { state: "running", ended_at: null },
    ]);
    db.close();
  });
});

it("memory of a prompt typed during a turn becomes stale when that turn ends", () => {
  const { db, add } = seedStore();
  add("s1", { kind: "prompt", promptId: "p1", text: "Why?" }, at(0));
  add("s1", { kind: "prompt", promptId: "p2", text: "And hurry" }, at(1));
  add("s1", { kind: "checkpoint" }, at(2));
  deriveSession(db, 1, NOW);
  const stale = (): unknown[] => db.all("SELECT prompt_db_id FROM stale_memory ORDER BY 1");
  expect(stale()).toEqual([]);
  add("s1", { ...interrupted, promptId: "p1" }, at(3));
  expect(stale()).toEqual([{ prompt_db_id: 1 }, { prompt_db_id: 2 }]);
  db.close();
});

it("a prompt typed during a turn ends with that turn", () => {
  const { db, add } = seedStore();
  add("s1", { kind: "prompt", promptId: "p1", text: "Fix it" }, at(0));
  add("s1", { kind: "prompt", promptId: "p1", text: "And test it" }, at(2));
  expect(turnStates(db)).toEqual(["completed", "running"]);
  add("s1", { kind: "turn-end", promptId: "p1", response: "Fixed and tested." }, at(3));
  expect([status(db), turnStates(db)]).toEqual(["completed", ["completed", "completed"]]);
  db.close();
});

describe("a turn's summary", () => {
  const summaries = (db: Db) =>
    db.all<{ prompt_number: number; next_steps: string; notes: string }>(
      "SELECT prompt_number, next_steps, notes FROM summaries WHERE prompt_number > 0",
    );

  it("is written before compaction, as in progress, and when the turn ends", () => {
    const { db, add } = seedStore();
    add("s1", prompt("Fix the login"), at(0));
    add("s1", bash("npm ci"), at(1));
    deriveSession(db, 1, NOW);
    expect(summaries(db)).toEqual([]);
    add("s1", { kind: "checkpoint" }, at(2));
    deriveSession(db, 1, NOW);
    expect(summaries(db)).toMatchObject([{ next_steps: "", notes: expect.stringContaining("In progress") as string }]);
    add("s1", ended("The login works."), at(3));
    deriveSession(db, 1, NOW);
    expect(summaries(db)).toMatchObject([{ notes: expect.not.stringContaining("In progress") as string }]);
    db.close();
  });
});

it("a session is failed if its job failed three times, until the job is retried", () => {
  const { db, add } = seedStore();
  add("s1", prompt("Why?"), at(0));
  add("s1", ended("Because."), at(1));
  enqueueSession(db, "s1", NOW - HOUR);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    expect(status(db)).toBe("completed");
    const job = claimJob(db, "session", "me", NOW + attempt * HOUR);
    if (job !== undefined) failJob(db, job, "me", { now: NOW + attempt * HOUR, reason: "no" });
  }
  expect(status(db)).toBe("failed");
  retryJobs(db, NOW);
  expect(status(db)).toBe("completed");
  db.close();
});
