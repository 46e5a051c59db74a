import { expect, test } from "vitest";
import { showAll, split } from "./held-back.ts";

const items = (...ids: string[]) => ids.map((id) => ({ id }));

test("the first list is shown as it is, and nothing of it is fresh", () => {
  expect(split(items("b", "a"), undefined)).toEqual({ visible: items("b", "a"), waiting: 0 });
  expect(showAll(items("b", "a"), undefined).fresh).toEqual(new Set());
});

test("what is new waits until it is let in, and is fresh then", () => {
  const shown = showAll(items("b", "a"), undefined);
  const later = items("d", "c", "b", "a");
  expect(split(later, shown)).toEqual({ visible: items("b", "a"), waiting: 2 });
  const all = showAll(later, shown);
  expect(split(later, all)).toEqual({ visible: later, waiting: 0 });
  expect(all.fresh).toEqual(new Set(["d", "c"]));
});

test("something new in the middle waits as well, something older below does not", () => {
  const shown = showAll(items("c", "a"), undefined);
  expect(split(items("c", "b", "a", "0"), shown)).toEqual({ visible: items("c", "a", "0"), waiting: 1 });
});

test("what has gone is no longer shown", () => {
  expect(split(items("a"), showAll(items("b", "a"), undefined))).toEqual({ visible: items("a"), waiting: 0 });
});
