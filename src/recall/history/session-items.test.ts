import { describe, expect, it } from "vitest";
import { bash, ended, prompt, said, seedStore, touch } from "../../../test/seed.ts";
import type { Db } from "../../store/db/driver.ts";
import { sessionsByPrefix, type SessionEntry } from "../../store/reads/session-list.ts";
import { type Item, readTranscript, type Transcript } from "./transcript.ts";
import {
  findInSession,
  outlineSession,
  type PageEntry,
  readItemsById,
  readTranscriptPage,
  type SessionItem,
} from "./session-items.ts";

const helper = { agentId: "helper", agentType: "Explore" };

function fill() {
  const seeded = seedStore();
  const { add } = seeded;
  add("one", prompt("First"));
  add("one", said("m1", "I look.", "Where?"));
  add("one", touch("a.ts"));
  add("one", bash("npm test", "no", 1));
  add("one", said("s1", "Found it."), helper);
  add("one", bash("ls"), helper);
  add("one", bash('git commit -m "Fix it"', "[main abc1234] Fix it\n 1 file changed"));
  add("one", ended("Fixed, and no message said so."));
  add("one", prompt("Second"));
  add("one", said("m2", "The very last words."));
  add("one", ended("The very last words."));
  return { ...seeded, session: sessionsByPrefix(seeded.db, "one")[0] as SessionEntry };
}

/** The whole session in the short form of `pageOf`. */
function wholeOf({ turns }: Transcript): string[] {
  return turns.flatMap((turn) => [...(turn.prompt ? [turn.prompt.id] : []), ...turn.items.map(nameOf)]);
}

function pageOf(entries: readonly PageEntry[]): string[] {
  return entries.filter(({ item }) => item.kind !== "commit").map(({ item }) => nameOf(item));
}

function nameOf(item: Item | SessionItem): string {
  switch (item.kind) {
    case "subagent":
      return item.session.session_id;
    case "message":
      return item.id ?? item.text;
    case "commit":
      return item.sha;
    default:
      return item.id;
  }
}

describe("a page of a session", () => {
  it("has the same items in the same order as the whole session", () => {
    const { db, session } = fill();
    const { entries, total } = readTranscriptPage(db, session, { from: 0, limit: 100 });
    expect(pageOf(entries)).toEqual(wholeOf(readTranscript(db, session)));
    expect(total).toBe(entries.length);
    expect(entries.map(({ index }) => index)).toEqual(entries.map((_, index) => index));
    expect(entries.filter(({ item }) => item.kind === "commit")).toMatchObject([
      { turn: 1, item: { subject: "Fix it" } },
    ]);
  });

  it("begins at the given index and ends with the session", () => {
    const { db, session } = fill();
    const all = readTranscriptPage(db, session, { from: 0, limit: 100 });
    const pages = [0, 3, 6, 9].flatMap((from) => readTranscriptPage(db, session, { from, limit: 3 }).entries);
    expect(pages).toEqual(all.entries.slice(0, 12));
    expect(readTranscriptPage(db, session, { from: 1_000, limit: 3 })).toEqual({
      total: all.total,
      from: 1_000,
      entries: [],
    });
  });

  it("can be centred on an item", () => {
    const { db, session } = fill();
    const { entries, from } = readTranscriptPage(db, session, { from: 0, limit: 3, around: "m3" });
    expect(entries.map(({ item }) => "id" in item && item.id)).toContain("m3");
    expect(from).toBeGreaterThan(0);
    expect(readTranscriptPage(db, session, { from: 2, limit: 3, around: "m99" }).from).toBe(2);
  });

  it("lists the observations derived from an item", () => {
    const { db, session } = fill();
    db.run(
      `INSERT INTO observations (session_db_id, prompt_number, type, title, narrative, facts, concepts, files, evidence, origin, producer, content_hash, valid_from, created_at)
       VALUES (?, 1, 'decision', 't', 'n', '[]', '[]', '[]', '["p1", "t2"]', 'user', 'extractor', 'h', 1, 1)`,
      session.id,
    );
    const { entries } = readTranscriptPage(db, session, { from: 0, limit: 100 });
    const anchored = entries.filter(({ observations }) => observations.length > 0);
    expect(anchored.map(({ item, observations }) => ["id" in item && item.id, observations])).toEqual([
      ["p1", ["o1"]],
      ["t2", ["o1"]],
    ]);
  });

  it("is read quickly from a session with 20,000 items", () => {
    const { db, add } = seedStore();
    db.exec("BEGIN");
    for (let turn = 0; turn < 100; turn++) {
      add("long", prompt(`Prompt ${turn}`));
      for (let item = 0; item < 200; item++) add("long", bash(`echo ${item}`, "x".repeat(4_000)));
    }
    db.exec("COMMIT");
    const session = sessionsByPrefix(db, "long")[0] as SessionEntry;
    const timed = (work: () => unknown): number => {
      const start = process.cpuUsage();
      work();
      return process.cpuUsage(start).user / 1_000;
    };
    const whole = timed(() => readTranscript(db, session));
    const page = timed(() => readTranscriptPage(db, session, { from: 10_000, limit: 100 }));
    expect(readTranscriptPage(db, session, { from: 10_000, limit: 100 })).toMatchObject({ total: 20_100 });
    expect(page).toBeLessThan(whole / 2);
  });
});

const sessionOne = (db: Db): SessionEntry => sessionsByPrefix(db, "one")[0] as SessionEntry;

function history(): Db {
  const { db, add } = seedStore();
  add("one", prompt("Fix the login"));
  add("one", said("u1", "I will look.", "Where is it?"));
  add("one", bash("npm test", "boom at 100%", 1));
  add("one", touch("src/a.ts"), { agentId: "x", agentType: "Explore" });
  add("one", prompt("Thanks"));
  add("one", bash('git commit -m "x"', "[main 1a2b3c4] Add b"));
  add("one", ended("Welcome_back."));
  return db;
}

it("lists all items in reading order, a subagent's items after the subagent", () => {
  const db = history();
  const entries = outlineSession(db, sessionOne(db));
  expect(
    entries.map(({ item, kind, prompt_number: turn, agent = "" }) => `${turn} ${item} ${kind} ${agent}`.trim()),
  ).toEqual([
    "1 p1 prompt",
    "1 m1 message",
    "1 t1 tool",
    "1 s2 subagent",
    "1 t2 tool s2",
    "2 p2 prompt",
    "2 t3 tool",
    "2 c1 commit",
    "2 r2 response",
  ]);
  expect(entries.filter((entry) => entry.is_error === 1).map(({ item, name, bytes }) => [item, name, bytes])).toEqual([
    ["t1", "Bash", 12],
  ]);
});

it("reads all items of the outline, including those of subagents", () => {
  const db = history();
  const items = readItemsById(db, sessionOne(db), ["t2", "r2", "s2", "c1", "p1", "m99", "nonsense"]);
  expect([...items].map(([id, item]) => `${id} ${item.kind}`)).toEqual([
    "t2 tool",
    "r2 message",
    "s2 subagent",
    "c1 commit",
    "p1 prompt",
  ]);
});

it.each([
  ["LOGIN", ["p1"]],
  ["where is", ["m1"]],
  ["npm", ["t1"]],
  ["src/a.ts", ["t2"]],
  ["100%", ["t1"]],
  ["welcome_", ["r2"]],
  ["0%_", []],
])("finds the items that contain %j", (words, found) => {
  const db = history();
  expect(findInSession(db, sessionOne(db), words)).toEqual(found);
});
