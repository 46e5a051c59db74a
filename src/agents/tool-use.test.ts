import { describe, expect, it } from "vitest";
import { stripLineNumbers } from "./tool-use.ts";
import { diffCounts, lineCount, patchFiles, replacementCounts } from "./tool-use.ts";

describe("lines are counted", () => {
  it.each([
    ["--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n same\n\\ No newline at end of file", { added: 2, removed: 1 }],
    ["@@ -1 +1 @@\n--- was a comment\n+++ is one", { added: 1, removed: 1 }],
    [
      "diff --git a/x b/x\n@@ -1 +1 @@\n+a\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n+b",
      { added: 2, removed: 0 },
    ],
    ["no diff\n+at all", { added: 0, removed: 0 }],
  ])("in the diff %j", (diff, expected) => {
    expect(diffCounts(diff)).toEqual(expected);
  });

  it.each([
    ["a", "b", 1, 1],
    ["a\nb\nc", "a\nx\ny\nc", 2, 1],
    ["", "a\nb\n", 2, 0],
    ["a\na\na", "a\na", 0, 1],
    ["same", "same", 0, 0],
  ])("where %j becomes %j", (before, after, added, removed) => {
    expect(replacementCounts(before, after)).toEqual({ added, removed });
  });

  it("in a patch, with files that move", () => {
    expect(patchFiles("*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch")).toEqual([
      { path: "b", kind: "edit", added: 1, removed: 1 },
    ]);
    expect(patchFiles("+stray\n*** Move to: b")).toEqual([]);
  });

  it("in a text", () => {
    expect(["", "a", "a\n", "a\nb", "\n"].map(lineCount)).toEqual([0, 1, 1, 2, 1]);
  });
});

describe("line numbers", () => {
  it.each([
    ["1\ta\n2\tb", "a\nb"],
    ["     9→a\n    10→", "a\n"],
    ["00001| a\n00002| b", "a\nb"],
    ["7. a\n8. 9. b", "a\n9. b"],
    ["1: a\nplain\n2: b", "a\nplain\nb"],
    ["1\ta\n5\tb", "a\n5\tb"],
    ["plain\n1\ta", "plain\n1\ta"],
    ["", ""],
  ])("in %j are removed", (text, expected) => {
    expect(stripLineNumbers(text)).toBe(expected);
  });
});
