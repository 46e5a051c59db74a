import { expect, it } from "vitest";
import { testCounts } from "./tests.ts";

it.each([
  [
    "vitest",
    "\u001b[2m Test Files \u001b[22m 1 failed | 3 passed (4)\n      Tests  3 failed | 120 passed (123)\n",
    120,
    3,
  ],
  ["jest", "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 12 passed, 13 total\n", 12, 1],
  ["pytest", "==== 3 failed, 10 passed, 2 skipped in 1.22s ====", 10, 3],
  ["pytest, quiet", "..........\n10 passed in 0.12s", 10, 0],
  [
    "cargo",
    "test result: ok. 12 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 3 passed; 1 failed; 0 ignored",
    15,
    1,
  ],
  ["bun", " 1346 pass\n 114 fail\n 2921 expect() calls\nRan 1460 tests across 176 files. [1450.00ms]", 1346, 114],
  ["node:test", "# tests 3\n# pass 2\n# fail 1\n", 2, 1],
  ["mocha", "  12 passing (3s)\n  2 failing\n", 12, 2],
  ["any other", "✔ keeps it\n12 tests passed", 12, 0],
  ["any other that failed", "✖ keeps it\n  AssertionError\n1 test failed", 0, 1],
  ["playwright", "  1 failed\n    a.spec.ts:3\n  12 passed (3.2s)\n", 12, 1],
  ["maven", "[INFO] Tests run: 10, Failures: 1, Errors: 1, Skipped: 0", 8, 2],
  ["rspec", "10 examples, 1 failure", 9, 1],
  ["go", "ok  \tapp/a\t0.01s\nFAIL\tapp/b\t0.02s\nok  \tapp/c\t(cached)\n", 2, 1],
])("reads the counts of %s", (_, output, passed, failed) => {
  expect(testCounts(output)).toEqual({ passed, failed });
});

it("finds no counts in other text", () => {
  expect(testCounts("I passed 3 of the tests\nok then")).toBeUndefined();
  expect(testCounts("")).toBeUndefined();
});
