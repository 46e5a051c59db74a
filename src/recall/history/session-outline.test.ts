import { expect, it } from "vitest";
import { bash, ended, prompt, said, seedStore, touch } from "../../../test/seed.ts";
import type { Db } from "../../store/db/driver.ts";
import { type SessionEntry, sessionsByPrefix } from "../../store/reads/session-list.ts";
import { findInSession, outlineSession, readOutlined } from "./session-outline.ts";

const session = (db: Db): SessionEntry => sessionsByPrefix(db, "one")[0] as SessionEntry;

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

it("lists everything in the order it is read, a subagent's work after it", () => {
  const db = history();
  const entries = outlineSession(db, session(db));
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

it("reads the items that the outline names, wherever they happened", () => {
  const db = history();
  const items = readOutlined(db, session(db), ["t2", "r2", "s2", "c1", "p1", "m99", "nonsense"]);
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
])("finds %s where it stands", (words, found) => {
  const db = history();
  expect(findInSession(db, session(db), words)).toEqual(found);
});
