import { describe, expect, it } from "vitest";
import { isWeakTitle, titleOf } from "./title.ts";

describe("a title", () => {
  it.each([
    ["Fix the login", "Fix the login"],
    ["  Fix\n the   login  ", "Fix the login"],
    ["Implement the following plan:\n\n# Plan: Change the default mode\n\n## Context\nLong", "Change the default mode"],
    [
      "Implement the following plan:\n\n# Evaluation Prompt Optimization Plan\n\ntext",
      "Evaluation Prompt Optimization Plan",
    ],
    ["# Fix: Add `--trust`\nbody", "Add `--trust`"],
    ["#hashtag first", "#hashtag first"],
    ["", ""],
  ])("of %j is %j", (prompt, title) => {
    expect(titleOf(prompt)).toBe(title);
  });

  it("is short", () => {
    expect(titleOf("word ".repeat(1000)).length).toBeLessThanOrEqual(100);
  });

  it.each([
    ["/clear", true],
    ["continue", true],
    ["Fix the login", false],
  ])("%j is weak: %s", (title, weak) => {
    expect(isWeakTitle(title)).toBe(weak);
  });
});
