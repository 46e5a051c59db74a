import { describe, expect, it } from "vitest";
import { bash, ended, MINUTE, prompt, seedStore, START } from "../../test/seed.ts";
import { AGENT, type Observation } from "../core/memory.ts";
import type { Db } from "../store/db/driver.ts";
import { lastTurnOf } from "../store/reads/running-turns.ts";
import { observationsOfSession } from "../store/tables/observations.ts";
import { sessionTitles } from "../store/tables/sessions.ts";
import { currentSummary, sessionSummaries } from "../store/tables/summaries.ts";
import { deriveSession, rebuildMemory } from "./derive.ts";
import { readHandover, saveHandover } from "./handover.ts";
import { remember } from "./user-edits.ts";

const NOW = START + 60 * MINUTE;
const GIVEN = {
  title: "Retry failed uploads",
  subtitle: "with a limit of five",
  handover: "- The upload retries in src/upload.ts\n- Next: the same for downloads",
  decisions: "Retry five times, because the server restarts take a minute",
  learned: "The server answers 503 while it restarts",
  completed: "Uploads are retried; npm test passes",
  open: "Retry downloads, too",
};

function handOver(db: Db, given: Parameters<typeof readHandover>[0] = GIVEN, now = NOW) {
  const turn = lastTurnOf(db, "a");
  if (turn === undefined) throw new Error("no turn");
  return saveHandover(db, turn, readHandover(given), now);
}

function store() {
  const seeded = seedStore();
  seeded.add("a", prompt("Retry the upload if it fails"));
  seeded.add("a", bash("npm test", "all passed"));
  seeded.add("a", ended("The upload is retried."));
  seeded.add("a", prompt("/c-mem:handover"));
  return seeded;
}

describe("readHandover", () => {
  it("makes lines without bullets, private text and secrets", () => {
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const read = readHandover({
      title: " Retry\tuploads ",
      handover: `1. Token ${secret}\n* <private>HUSH\nHUSH too</private> and more\n\n`,
      decisions: "Use tabs\nUse tabs",
    });
    expect(read).toMatchObject({ title: "Retry uploads", subtitle: "", decisions: ["Use tabs"], open: [] });
    expect(read.handover).toEqual([expect.stringMatching(/^Token \[redacted/), "and more"]);
    expect(JSON.stringify(read)).not.toMatch(/HUSH|ghp_/);
  });

  it("names everything that is too long, too much or missing", () => {
    const read = () =>
      readHandover({
        title: "<private>x</private>",
        handover: `${"a".repeat(300)}\n${"line\n".repeat(7)}`,
        open: "b".repeat(50_000),
      });
    expect(read).toThrow(
      /title is empty.*; handover has 8 lines, at most 6.*; handover line 1 has 300 characters, at most 240.*; open line \d has \d+ characters/,
    );
  });
});

describe("a handover", () => {
  it("is the session's current summary and title, with the files and request that were derived", () => {
    const { db } = store();
    const { decisions } = handOver(db);
    expect(currentSummary(db, 1, 0)).toMatchObject({
      producer: AGENT.name,
      last_prompt: 2,
      title: GIVEN.title,
      next_steps: GIVEN.open,
      handover: '["The upload retries in src/upload.ts","Next: the same for downloads"]',
      request: expect.stringContaining("Retry the upload"),
      evidence: '["p2"]',
    });
    expect(sessionTitles(db, 1).title).toBe(GIVEN.title);
    expect(decisions).toEqual([{ id: expect.any(Number), title: GIVEN.decisions, isNew: true, alike: [] }]);
    expect(observationsOfSession(db, 1).find(({ id }) => id === decisions[0]?.id)).toMatchObject({
      type: "decision",
      origin: "assistant",
      prompt_number: 2,
      evidence: '["p2"]',
    });
  });

  it("stays current after the turn's end and a rebuild, until a later turn ends", () => {
    const { db, add } = store();
    handOver(db);
    add("a", ended("Handed over."));
    deriveSession(db, 1, NOW);
    expect(currentSummary(db, 1, 0)?.producer).toBe(AGENT.name);
    const rebuild = rebuildMemory(db, { now: NOW + 1 });
    while (!rebuild.next().done);
    expect(currentSummary(db, 1, 0)?.producer).toBe(AGENT.name);
    add("a", prompt("Now retry the downloads"));
    add("a", ended("Downloads are retried, too."));
    deriveSession(db, 1, NOW + 2);
    expect(currentSummary(db, 1, 0)?.producer).toBe("extractor");
    handOver(db, { ...GIVEN, title: "Retry uploads and downloads" }, NOW + MINUTE);
    expect(sessionSummaries(db, 1).map(({ producer, last_prompt }) => [producer, last_prompt])).toEqual([
      ["agent", 3],
      ["extractor", 0],
      ["agent", 2],
    ]);
  });

  it("works in the first turn of a session, and again in the same turn", () => {
    const { db, add } = seedStore();
    add("a", prompt("Retry the upload if it fails"));
    handOver(db);
    handOver(db, { ...GIVEN, title: "Retry all uploads" }, NOW + 1);
    expect(sessionSummaries(db, 1).map(({ producer, title, is_current }) => [producer, title, is_current])).toEqual([
      ["agent", "Retry all uploads", 1],
      ["extractor", null, 0],
    ]);
  });

  it("does not save decisions again that are known in nearly the same words", () => {
    const { db } = store();
    const known: Observation = {
      type: "decision",
      title: "Retry five times",
      narrative: "Retry five times, because server restarts take about a minute.",
      facts: [],
      concepts: [],
      files: [],
      evidence: [],
      origin: "user",
    };
    remember(db, 1, known, NOW);
    const { decisions } = handOver(db, { ...GIVEN, decisions: `${GIVEN.decisions}\nRetry ten times` });
    expect(decisions.map(({ isNew }) => isNew)).toEqual([false, true]);
  });

  it("saves a decision that reverses a known one, and names the known one", () => {
    const { db } = store();
    const rule = {
      type: "decision",
      title: "Use npm for all packages",
      narrative: "Use npm for all packages",
    } as const;
    const lists = { facts: [], concepts: [], files: [], evidence: [] };
    const { id } = remember(db, 1, { ...rule, ...lists, origin: "user" }, NOW);
    const { decisions } = handOver(db, { ...GIVEN, decisions: "Do not use npm for all packages" });
    expect(decisions).toMatchObject([{ isNew: true, alike: [{ id }] }]);
  });
});
