// Reads the counts that test runners print, and finds the last test result of a turn.
import { type Run, shownCommand } from "./commands.ts";

export interface TestCounts {
  passed: number;
  failed: number;
}

/** Runners print their counts last. */
const TAIL_CHARS = 6_000;

export function testCounts(output: string): TestCounts | undefined {
  // oxlint-disable-next-line no-control-regex -- colour codes begin with an escape character
  const text = output.slice(-TAIL_CHARS).replace(/\u001B\[[0-9;]*[A-Za-z]/g, "");
  return RUNNERS.map(({ read }) => read(text)).find(
    (counts) => counts !== undefined && counts.passed + counts.failed > 0,
  );
}

interface Runner {
  name: string;
  example: string;
  read: (text: string) => TestCounts | undefined;
}

export const RUNNERS: readonly Runner[] = [
  {
    name: "vitest, jest",
    example: "Tests  3 failed | 120 passed (123)",
    read: (text) => countsIn(last(text, /^[ \t]*Tests:?[ \t]+(.*(?:passed|failed).*)$/gm)),
  },
  {
    // One line per crate.
    name: "cargo",
    example: "test result: FAILED. 120 passed; 3 failed; 0 ignored",
    read: (text) => sumOf([...text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm)]),
  },
  {
    name: "pytest",
    example: "=== 3 failed, 120 passed in 1.2s ===",
    read: (text) => countsIn(last(text, /^=*[ \t]*((?:\d+ \w+,? )+)in [\d.]+m?s\b/gm)),
  },
  {
    name: "bun",
    example: " 120 pass\n 3 fail\nRan 123 tests across 9 files.",
    read: (text) =>
      /^Ran \d+ tests? across/m.test(text)
        ? fromLines(text, /^[ \t]*(\d+) pass$/gm, /^[ \t]*(\d+) fail$/gm)
        : undefined,
  },
  {
    name: "node:test",
    example: "ℹ pass 120\nℹ fail 3",
    read: (text) => fromLines(text, /^[#ℹ] pass (\d+)$/gm, /^[#ℹ] fail (\d+)$/gm),
  },
  {
    name: "mocha",
    example: "  120 passing (3s)\n  3 failing",
    read: (text) => fromLines(text, /^[ \t]*(\d+) passing\b/gm, /^[ \t]*(\d+) failing\b/gm),
  },
  {
    name: "playwright",
    example: "  3 failed\n  120 passed (3.2s)",
    read: (text) => fromLines(text, /^[ \t]*(\d+) passed \([\d.]+m?s?\)/gm, /^[ \t]*(\d+) failed$/gm),
  },
  {
    name: "maven, gradle",
    example: "[INFO] Tests run: 123, Failures: 2, Errors: 1, Skipped: 0",
    read: (text) => fromTotal(last(text, /^.*Tests run: (.*)$/gm), /(?:Failures|Errors): (\d+)/g),
  },
  {
    name: "rspec",
    example: "123 examples, 3 failures",
    read: (text) => fromTotal(last(text, /^(\d+ examples?, \d+ failures?.*)$/gm), /(\d+) failures?/g),
  },
  {
    // One line per package.
    name: "go",
    example: `${"ok  \tapp/a\t0.01s\n".repeat(120)}${"FAIL\tapp/b\t0.02s\n".repeat(3)}`,
    read: (text) => ({
      passed: text.match(/^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))/gm)?.length ?? 0,
      failed: text.match(/^FAIL[ \t]+\S+[ \t]+(?:[\d.]+s|\[)/gm)?.length ?? 0,
    }),
  },
  {
    name: "any other",
    example: "120 tests passed\n3 tests failed",
    read: (text) => fromLines(text, /\b(\d+) tests? passed\b/gm, /\b(\d+) tests? failed\b/gm),
  },
];

function last(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

/** "3 failed | 120 passed (123)" */
function countsIn(line: string | undefined): TestCounts | undefined {
  if (line === undefined) return undefined;
  const count = (word: RegExp): number => Number(word.exec(line)?.[1] ?? 0);
  return { passed: count(/(\d+) passed/), failed: count(/(\d+) failed/) + count(/(\d+) errors?\b/) };
}

function fromLines(text: string, passed: RegExp, failed: RegExp): TestCounts | undefined {
  const [pass, fail] = [last(text, passed), last(text, failed)];
  return pass === undefined && fail === undefined
    ? undefined
    : { passed: Number(pass ?? 0), failed: Number(fail ?? 0) };
}

/** Group 1 of each match is the number of passed tests, group 2 of failed ones. */
function sumOf(matches: readonly RegExpExecArray[]): TestCounts {
  const sum = (group: number): number => matches.reduce((total, match) => total + Number(match[group]), 0);
  return { passed: sum(1), failed: sum(2) };
}

/** "123 examples, 3 failures" -> 120 passed, 3 failed: the line begins with the total. */
function fromTotal(line: string | undefined, failed: RegExp): TestCounts | undefined {
  const all = /^\d+/.exec(line ?? "")?.[0];
  if (line === undefined || all === undefined) return undefined;
  const fails = [...line.matchAll(failed)].reduce((sum, match) => sum + Number(match[1]), 0);
  return { passed: Math.max(0, Number(all) - fails), failed: fails };
}

export function countsText({ passed, failed }: TestCounts): string {
  return failed === 0 ? `${passed} passed` : `${failed} failed, ${passed} passed`;
}

export type TestResult = NonNullable<ReturnType<typeof lastTestResult>>;

/** The turn's last test run. `failedBefore`: tests that failed in the first failed run of the same command. */
export function lastTestResult(runs: readonly Run[]) {
  const results = runs
    .filter(({ purpose }) => purpose === "test")
    .flatMap((run) => {
      const counts = testCounts(run.use.output);
      return counts === undefined ? [] : [{ run, counts }];
    });
  const result = results.pop();
  if (result === undefined) return undefined;
  const before = results.find(({ run, counts }) => counts.failed > 0 && run.key === result.run.key);
  return { ...result, failedBefore: before?.counts.failed ?? 0 };
}

/** "`npm test`: 120 passed (3 failed before)" */
export function testFact({ run, counts, failedBefore }: TestResult): string {
  const before = failedBefore === 0 || counts.failed > 0 ? "" : ` (${failedBefore} failed before)`;
  return `${shownCommand(run.command)}: ${countsText(counts)}${before}`;
}
