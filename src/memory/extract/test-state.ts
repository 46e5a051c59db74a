// How the tests stand at the end of a turn.
import type { Observation } from "../../core/memory.ts";
import { TITLE_CHARS } from "./ask.ts";
import type { Changes } from "./changes.ts";
import { type Run, shownCommand } from "./commands.ts";
import { clip } from "../../core/prose.ts";
import { countsText, type TestCounts, testCounts } from "./tests.ts";

export interface TestRun {
  run: Run;
  counts: TestCounts;
}

function testRuns(runs: readonly Run[]): TestRun[] {
  return runs
    .filter(({ purpose }) => purpose === "test")
    .map((run) => ({ run, counts: testCounts(run.use.output) }))
    .filter((one): one is TestRun => one.counts !== undefined);
}

export function lastTestOf(runs: readonly Run[]): TestRun | undefined {
  return testRuns(runs).at(-1);
}

/** "`npm test`: 120 passed (3 failed before)" */
export function testFact(last: TestRun, runs: readonly Run[]): string {
  const before = testRuns(runs).find(
    ({ run, counts }) => counts.failed > 0 && run.key === last.run.key && run !== last.run,
  );
  const was = before === undefined || last.counts.failed > 0 ? "" : ` (${before.counts.failed} failed before)`;
  return `${shownCommand(last.run.command)}: ${countsText(last.counts)}${was}`;
}

/** How the tests stand, where a turn leaves them failing or was about running them. */
export function testObservation(runs: readonly Run[], changes: Changes): Observation | undefined {
  const last = lastTestOf(runs);
  if (last === undefined || (last.counts.failed === 0 && changes.files.length > 0)) return undefined;
  const { run, counts } = last;
  const text = countsText(counts);
  return {
    type: "discovery",
    title: clip(
      `${counts.failed > 0 ? "Tests fail" : "Tests pass"}: ${text} (${run.key.replaceAll("`", "'")})`,
      TITLE_CHARS,
    ),
    narrative: `${shownCommand(run.command)} ended with ${text}.`,
    facts: [],
    concepts: ["what-changed"],
    files: [],
    evidence: [run.use.id],
    origin: "tool",
    subject: `tests:${clip(run.key, 200)}`,
  };
}
