// The counts a test runner ends with, whichever it is.

export interface TestCounts {
  passed: number;
  failed: number;
}

/** The counts stand at the end. */
const TAIL_CHARS = 6_000;

export function testCounts(output: string): TestCounts | undefined {
  // oxlint-disable-next-line no-control-regex -- colour codes begin with an escape character
  const text = output.slice(-TAIL_CHARS).replace(/\u001B\[[0-9;]*[A-Za-z]/g, "");
  for (const read of RUNNERS) {
    const counts = read(text);
    if (counts !== undefined && counts.passed + counts.failed > 0) return counts;
  }
  return undefined;
}

type Read = (text: string) => TestCounts | undefined;

const RUNNERS: readonly Read[] = [
  // vitest: "Tests  3 failed | 120 passed (123)"; jest: "Tests: 1 failed, 12 passed, 13 total".
  (text) => fromLine(last(text, /^[ \t]*Tests:?[ \t]+(.*(?:passed|failed).*)$/gm)),
  // cargo: one line per crate.
  (text) => fromAll(text, /^test result: \w+\. (\d+) passed; (\d+) failed/gm, { passed: 1, failed: 2 }),
  // pytest: "=== 3 failed, 10 passed in 1.2s ===", and "10 passed in 1.2s" when quiet.
  (text) => fromLine(last(text, /^=*[ \t]*((?:\d+ \w+,? )+)in [\d.]+m?s\b/gm)),
  // bun: " 1346 pass", " 114 fail".
  (text) =>
    /^Ran \d+ tests? across/m.test(text) ? fromPair(text, /^[ \t]*(\d+) pass$/gm, /^[ \t]*(\d+) fail$/gm) : undefined,
  // node:test: "# pass 12" or "ℹ pass 12".
  (text) => fromPair(text, /^[#ℹ] pass (\d+)$/gm, /^[#ℹ] fail (\d+)$/gm),
  // mocha.
  (text) => fromPair(text, /^[ \t]*(\d+) passing\b/gm, /^[ \t]*(\d+) failing\b/gm),
  // playwright.
  (text) => fromPair(text, /^[ \t]*(\d+) passed \([\d.]+m?s?\)/gm, /^[ \t]*(\d+) failed$/gm),
  // maven and gradle.
  (text) => fromTotal(last(text, /^.*Tests run: (.*)$/gm), /^(\d+)/, /(?:Failures|Errors): (\d+)/g),
  // rspec.
  (text) => fromTotal(last(text, /^(\d+ examples?, \d+ failures?.*)$/gm), /^(\d+)/, /(\d+) failures?/g),
  // go: by package.
  (text) => goPackages(text),
  // Whoever else says it in so many words: "12 tests passed", "1 test failed".
  (text) => fromPair(text, /\b(\d+) tests? passed\b/gm, /\b(\d+) tests? failed\b/gm),
];

function last(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

function fromLine(line: string | undefined): TestCounts | undefined {
  if (line === undefined) return undefined;
  const count = (word: RegExp): number => Number(word.exec(line)?.[1] ?? 0);
  return { passed: count(/(\d+) passed/), failed: count(/(\d+) failed/) + count(/(\d+) errors?\b/) };
}

function fromPair(text: string, passed: RegExp, failed: RegExp): TestCounts | undefined {
  const pass = last(text, passed);
  const fail = last(text, failed);
  return pass === undefined && fail === undefined
    ? undefined
    : { passed: Number(pass ?? 0), failed: Number(fail ?? 0) };
}

function fromAll(text: string, pattern: RegExp, group: { passed: number; failed: number }): TestCounts | undefined {
  const counts = { passed: 0, failed: 0 };
  const matches = [...text.matchAll(pattern)];
  for (const match of matches) {
    counts.passed += Number(match[group.passed]);
    counts.failed += Number(match[group.failed]);
  }
  return matches.length === 0 ? undefined : counts;
}

function fromTotal(line: string | undefined, total: RegExp, failed: RegExp): TestCounts | undefined {
  const all = line === undefined ? undefined : total.exec(line)?.[1];
  if (line === undefined || all === undefined) return undefined;
  const fails = [...line.matchAll(failed)].reduce((sum, match) => sum + Number(match[1]), 0);
  return { passed: Math.max(0, Number(all) - fails), failed: fails };
}

function goPackages(text: string): TestCounts | undefined {
  const passed = text.match(/^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))/gm)?.length ?? 0;
  const failed = text.match(/^FAIL[ \t]+\S+[ \t]+(?:[\d.]+s|\[)/gm)?.length ?? 0;
  return { passed, failed };
}

export function countsText({ passed, failed }: TestCounts): string {
  return failed === 0 ? `${passed} passed` : `${failed} failed, ${passed} passed`;
}
