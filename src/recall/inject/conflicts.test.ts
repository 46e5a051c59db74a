import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conflictWith, readRules } from "./conflicts.ts";

function rules(text: string) {
  const file = join(mkdtempSync(join(tmpdir(), "c-mem-rules-")), "AGENTS.md");
  writeFileSync(file, text);
  return readRules([file, join(file, "none")]);
}

describe("conflictWith", () => {
  it.each([
    ["Use pnpm instead of npm", "- Always use npm"],
    ["Never use jest", "We use `jest` for tests."],
    ["Use tabs", "* Do not use tabs, ever"],
  ])("finds the conflict of %j with %j", (memory, rule) => {
    expect(conflictWith(memory, rules(`# Rules\n\n${rule}\n`))).toMatchObject({ file: "AGENTS.md" });
  });

  it.each([
    ["Use pnpm instead of npm", "- Always use pnpm"],
    ["Use vitest", "Run the tests before a commit"],
    ["Fix the login", "Never push to main"],
    ["Use the same file", "Do not use any file"],
  ])("finds no conflict of %j with %j", (memory, rule) => {
    expect(conflictWith(memory, rules(rule))).toBeUndefined();
  });
});
