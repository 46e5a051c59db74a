import { expect, test } from "vitest";
import { happenedBy, readOutline, replayTimes, visibleRows, type WireEntry } from "./outline.ts";

const WIRE: WireEntry[] = [
  ["p1", "prompt", 1, 0, 0, 10],
  ["m1", "message", 1, 1_000, 0, 20, "assistant"],
  ["agent-x", "subagent", 1, 2_000, 0, 0],
  ["t1", "tool", 1, 3_000, 1, 5, "Bash", "agent-x"],
  ["t2", "tool", 1, 2_500, 0, 5, "Read"],
  ["p2", "prompt", 2, 3_600_000, 0, 10],
];
const EVERYTHING = { open: new Set<string>(), until: Infinity, talkOnly: false };

const shown = (view: Partial<typeof EVERYTHING>): string[] => {
  const outline = readOutline(WIRE);
  return visibleRows(outline, { ...EVERYTHING, ...view }).map((index) => outline.entries[index]?.id ?? "");
};

test("a subagent's work is folded until it is asked for", () => {
  expect(shown({})).toEqual(["p1", "m1", "agent-x", "t2", "p2"]);
  expect(shown({ open: new Set(["agent-x"]) })).toEqual(["p1", "m1", "agent-x", "t1", "t2", "p2"]);
});

test("of the talk alone, no work is shown", () => {
  expect(shown({ talkOnly: true, open: new Set(["agent-x"]) })).toEqual(["p1", "m1", "p2"]);
});

test("a replay shows what has happened by then", () => {
  expect(shown({ until: 2 })).toEqual(["p1", "m1"]);
});

test("a replay's time never runs back and waits no longer than it must", () => {
  const times = replayTimes(readOutline(WIRE).entries);
  expect(times).toEqual([0, 1_000, 2_000, 3_000, 3_000, 23_000]);
  expect([-1, 0, 1_500, 3_000, 99_000].map((clock) => happenedBy(times, clock))).toEqual([0, 1, 2, 5, 6]);
});
