// One line on what became of a session's work: "Outcome: committed as 1a2b3c4, pushed, PR #12 open; 130 tests passed."
import { listText } from "../../core/text.ts";
import type { RepositoryState } from "./repository-state.ts";

const COMMITS_SHOWN = 3;
const SHA_CHARS = 7;

/** `completed`: the sentences of the turns' summaries, which end with test results such as "`npm test`: 130 passed." */
export function outcomeLine(state: RepositoryState, isUncommitted: boolean, completed: readonly string[]): string {
  const result = completed.map((sentence) => TEST_RESULT.exec(sentence)).findLast((match) => match !== null);
  const tested = result === undefined ? "" : testText(result[1], result[2] ?? "");
  const work = [
    isUncommitted ? "uncommitted" : commitText(state),
    state.isPushed ? "pushed" : "",
    ...state.prs.map((pr) => prText(pr.number, state)),
  ];
  const parts = [work.filter(Boolean).join(", "), tested].filter(Boolean);
  return parts.length === 0 ? "" : `Outcome: ${parts.join("; ")}.`;
}

/** "`npm test`: 2 failed, 128 passed" */
const TEST_RESULT = /^`[^`]+`: (?:(\d+) failed, )?(\d+) passed\b/;

function testText(failed: string | undefined, passed: string): string {
  return failed === undefined ? `${passed} tests passed` : `${failed} of the tests failed`;
}

function commitText({ commits, hasCommits }: RepositoryState): string {
  if (!hasCommits) return "";
  const shas = commits.flatMap(({ sha }) => (sha === undefined ? [] : sha.slice(0, SHA_CHARS))).toReversed();
  return shas.length === 0 ? "committed" : `committed as ${listText(shas, COMMITS_SHOWN)}`;
}

function prText(number: string, { openPrs }: RepositoryState): string {
  return openPrs.some((pr) => pr.number === number) ? `PR #${number} open` : `PR #${number} merged or closed`;
}
