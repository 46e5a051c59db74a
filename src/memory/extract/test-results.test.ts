import { expect, it } from "vitest";
import { RUNNERS, testCounts } from "./test-results.ts";

it.each(RUNNERS)("reads the counts of $name", ({ example }) => {
  expect(testCounts(example)).toEqual({ passed: 120, failed: 3 });
});

it.each([
  [
    "vitest in colours",
    "\u001b[2m Test Files \u001b[22m 1 failed | 3 passed (4)\n      Tests  3 failed | 120 passed (123)\n",
    120,
    3,
  ],
  ["jest", "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 12 passed, 13 total\n", 12, 1],
  ["pytest with skipped tests", "==== 3 failed, 10 passed, 2 skipped in 1.22s ====", 10, 3],
  ["quiet pytest", "..........\n10 passed in 0.12s", 10, 0],
  ["two crates", "test result: ok. 12 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 3 passed; 1 failed", 15, 1],
  ["node:test as TAP", "# tests 3\n# pass 2\n# fail 1\n", 2, 1],
  ["a passing script", "✔ keeps it\n12 tests passed", 12, 0],
  ["a failing script", "✖ keeps it\n  AssertionError\n1 test failed", 0, 1],
  ["go with cached packages", "ok  \tapp/a\t0.01s\nFAIL\tapp/b\t0.02s\nok  \tapp/c\t(cached)\n", 2, 1],
])("reads the counts of %s", (_, output, passed, failed) => {
  expect(testCounts(output)).toEqual({ passed, failed });
});

it("finds no counts in other text", () => {
  expect(testCounts("I passed 3 of the tests\nok then")).toBeUndefined();
  expect(testCounts("")).toBeUndefined();
});
