import { expect, test } from "vitest";
import { countUntil, readOutline, replayTimes, visibleEntries } from "./outline.ts";

const ROWS: Parameters<typeof readOutline>[0] = [
  ["p1", "prompt", 1, 0, 0, 10, null],
  ["m1", "message", 1, 1_000, 0, 20, "assistant"],
  ["agent-x", "subagent", 1, 2_000, 0, 0, null],
  ["t1", "tool", 1, 3_000, 1, 5, "Bash", "agent-x"],
  ["t2", "tool", 1, 2_500, 0, 5, "Read"],
  ["p2", "prompt", 2, 3_600_000, 0, 10, null],
];
const EVERYTHING = { open: new Set<string>(), until: Infinity, talkOnly: false };

const shown = (view: Partial<typeof EVERYTHING>): string[] =>
  visibleEntries(readOutline(ROWS), { ...EVERYTHING, ...view }).map(({ id }) => id);

test("shows the items of a subagent only if the subagent is unfolded", () => {
  expect(shown({})).toEqual(["p1", "m1", "agent-x", "t2", "p2"]);
  expect(shown({ open: new Set(["agent-x"]) })).toEqual(["p1", "m1", "agent-x", "t1", "t2", "p2"]);
});

test("hides tools and subagents with 'Talk only'", () => {
  expect(shown({ talkOnly: true, open: new Set(["agent-x"]) })).toEqual(["p1", "m1", "p2"]);
});

test("shows only the first entries in a replay", () => {
  expect(shown({ until: 2 })).toEqual(["p1", "m1"]);
});

test("gives a replay times that never run backwards, and shortens long waits", () => {
  const times = replayTimes(readOutline(ROWS).entries);
  expect(times).toEqual([0, 1_000, 2_000, 3_000, 3_000, 23_000]);
  expect([-1, 0, 1_500, 3_000, 99_000].map((clock) => countUntil(times, clock))).toEqual([0, 1, 2, 5, 6]);
});
