import { expect, test } from "vitest";
import { showAll, split } from "./feed.ts";

const items = (...ids: string[]) => ids.map((id) => ({ id }));

test("shows the whole first list, and no item is fresh", () => {
  expect(split(items("b", "a"), undefined)).toEqual({ visible: items("b", "a"), waiting: 0 });
  expect(showAll(items("b", "a"), undefined).fresh).toEqual(new Set());
});

test("holds new items back until showAll, which makes them fresh", () => {
  const shown = showAll(items("b", "a"), undefined);
  const later = items("d", "c", "b", "a");
  expect(split(later, shown)).toEqual({ visible: items("b", "a"), waiting: 2 });
  const all = showAll(later, shown);
  expect(split(later, all)).toEqual({ visible: later, waiting: 0 });
  expect(all.fresh).toEqual(new Set(["d", "c"]));
});

test("holds back a new item in the middle, but not an older item at the end", () => {
  const shown = showAll(items("c", "a"), undefined);
  expect(split(items("c", "b", "a", "0"), shown)).toEqual({ visible: items("c", "a", "0"), waiting: 1 });
});

test("does not show a removed item", () => {
  expect(split(items("a"), showAll(items("b", "a"), undefined))).toEqual({ visible: items("a"), waiting: 0 });
});
