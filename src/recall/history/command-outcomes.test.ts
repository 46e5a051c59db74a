import { describe, expect, it } from "vitest";
import { partOutcomes } from "./command-outcomes.ts";

const outcomes = (line: string, output = "", exitCode: number | null = 0): string =>
  partOutcomes(line, { is_error: exitCode === 0 ? 0 : 1, exit_code: exitCode, output })
    .map(({ command, outcome }) => `${command}: ${outcome}`)
    .join("; ");

describe("the outcome of each command of a line", () => {
  it.each([
    ["npm ci && npm test", "npm ci: worked; npm test: worked"],
    ["cd web && CI=1 timeout 60 npm test", "cd web: worked; npm test: worked"],
    ["npm ci; npm test", "npm ci: unclear; npm test: worked"],
    ["npm test || npm run test:old", "npm test: unclear; npm run test:old: unclear"],
    ["npm test | tail -5", "npm test: worked; tail -5: worked"],
    ["for f in *.js; do node $f; done", "for f in *.js: unclear; node $f: unclear; done: unclear"],
  ])("%s, exit code 0", (line, expected) => {
    expect(outcomes(line, "ok")).toBe(expected);
  });

  it("of a pipeline is read from its output, because tail always passes", () => {
    expect(outcomes("npm test 2>&1 | tail -5", "Tests: 2 failed, 3 passed")).toBe(
      "npm test 2>&1: failed; tail -5: worked",
    );
    const noise = "error: Ledger connection lost\n      at <anonymous> (/app/ledger.test.ts:3:4)\n 118 pass\n 0 fail\n";
    expect(outcomes("bun test 2>&1 | tail -9", noise)).toBe("bun test 2>&1: worked; tail -9: worked");
    expect(outcomes("npm test | tail -5 && npm run lint | tail -5", "2 failed")).toContain("npm run lint: unclear");
    expect(outcomes("npm test 2>&1 | tail -5", " 118 pass\n 0 fail\n")).toBe("npm test 2>&1: worked; tail -5: worked");
  });

  it.each([
    ["cd web && npm test", "TypeError: cart is undefined", 1, "cd web: worked; npm test: failed"],
    [
      "git add -A && git commit -m x && npm publish",
      "npm error need auth This command requires you to be logged in",
      1,
      "git add -A: worked; git commit -m x: worked; npm publish: failed",
    ],
    [
      "npm run lint && npm run build",
      'error: script "lint" exited with code 1',
      1,
      "npm run lint: failed; npm run build: skipped",
    ],
    ["tsc --noEmit && vitest run", "sh: tsc: command not found", 127, "tsc --noEmit: failed; vitest run: skipped"],
    ["npm run lint && npm run build", "it went wrong", 1, "npm run lint: unclear; npm run build: unclear"],
    ["npm run lint; npm run build", "it went wrong", 1, "npm run lint: unclear; npm run build: failed"],
    ["npm test 2>&1 | tail -5", "TypeError: cart is undefined", 1, "npm test 2>&1: failed; tail -5: unclear"],
    ["rg -n unusedName src", "", 1, "rg -n unusedName src: worked"],
    ["rg -n name docs", "rg: docs: No such file or directory (os error 2)", 2, "rg -n name docs: failed"],
  ])("%s, output %j, exit code %i", (line, output, exitCode, expected) => {
    expect(outcomes(line, output, exitCode)).toBe(expected);
  });

  it("counts an exit code that the agent did not mark as an error", () => {
    const result = { is_error: 0, exit_code: 1, output: "TypeError: cart is undefined" };
    expect(partOutcomes("npm test", result)).toEqual([{ command: "npm test", outcome: "failed" }]);
  });
});
