import { describe, expect, it } from "vitest";
import { referencesAsWords, referencesIn } from "./references.ts";

describe("referencesAsWords", () => {
  it.each([
    ["see https://github.com/o/r/pull/12.", "see PR #12."],
    ["(https://github.com/o/r/pull/12#issuecomment-433)", "(PR #12)"],
    ["https://github.com/o/r/pull/12/files and https://github.com/o/r/issues/7", "PR #12 and issue #7"],
    ["https://gitlab.example.com/a/b/c/-/merge_requests/5", "PR #5"],
    ["https://example.com/docs/pull/guide", "https://example.com/docs/pull/guide"],
    ["https://github.com/o/r/actions/runs/12", "https://github.com/o/r/actions/runs/12"],
    ["https://github.com/o/r/pull/12345678901", "https://github.com/o/r/pull/12345678901"],
  ])("%s -> %s", (text, expected) => {
    expect(referencesAsWords(text)).toBe(expected);
  });
});

describe("referencesIn", () => {
  it("finds words and URLs", () => {
    expect(referencesIn("PR #12, pull request 13, issue: 7 and https://github.com/o/r/issues/8; not #9")).toEqual([
      { kind: "pr", number: 12 },
      { kind: "pr", number: 13 },
      { kind: "issue", number: 7 },
      { kind: "issue", number: 8 },
    ]);
  });
});
