import { expect, it } from "vitest";
import { isInHandover } from "./handover-lines.ts";

const HANDOVER = [
  "900b1aa was committed only; no push is reported.",
  "Retries are in src/upload.ts; add them to downloads.",
];

it.each([
  ["No push is reported.", true],
  ["Add retries to the downloads", true],
  ["Push the branch", false],
  ["Measure the hit rate before the release", false],
  ["", false],
])("An open end is not repeated after the handover: %j is in it: %s", (step, isIn) => {
  expect(isInHandover(step, HANDOVER)).toBe(isIn);
});
