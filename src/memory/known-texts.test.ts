import { describe, expect, it } from "vitest";
import type { Observation } from "../core/memory.ts";
import type { CurrentText } from "../store/tables/observation-edits.ts";
import { findAlike, findSameText, isKnownText } from "./known-texts.ts";

function observation(text: string, extra: Partial<Observation> = {}): Observation {
  return {
    type: "decision",
    title: text,
    narrative: text,
    facts: [],
    concepts: [],
    files: [],
    evidence: [],
    origin: "user",
    ...extra,
  };
}

function known(text: string, extra: Partial<CurrentText> = {}): CurrentText[] {
  return [{ id: 1, type: "decision", title: text, narrative: text, facts: "[]", content_hash: "", ...extra }];
}

describe("findSameText", () => {
  it.each([
    ["use tabs, please", {}, true],
    ["Use tabs please.", { type: "discovery" as const }, true],
    ["Use spaces please", {}, false],
    // A reason that is not known yet is worth saving.
    ["Use tabs, please.", { facts: ["Why: screen readers"] }, false],
  ])("%j %j: %s", (text, extra, isSame) => {
    expect(findSameText(known("Use tabs, please."), observation(text, extra)) !== undefined).toBe(isSame);
  });

  it("knows a reason that was given before", () => {
    const current = known("Use tabs.", { facts: '["Why: screen readers"]' });
    expect(findSameText(current, observation("Use tabs", { facts: ["Why: Screen readers."] }))).toBeDefined();
  });
});

describe("isKnownText", () => {
  it.each([
    ["Retry five times, because server restarts take a minute", "Retry five times: restarts take a minute", true],
    ["Upload files in chunks of 8 MB", "Upload files in chunks of 4 MB", false],
    ["Do not run the migrations at the start", "Run the migrations at the start", false],
    ["No longer keep support for Node 18", "Keep support for Node 18", false],
    ["Use pnpm for all packages except docs", "Use pnpm for all packages", false],
    ["Die Migrationen laufen nicht beim Start", "Die Migrationen laufen beim Start", false],
    ["Use pnpm for packages; the docs have their own build because of the host", "Use pnpm for packages", false],
  ])("%j, with %j: %s", (text, before, isKnown) => {
    expect(isKnownText(text, before)).toBe(isKnown);
  });
});

describe("findAlike", () => {
  it.each([
    ["Packages come from pnpm and never from npm", "Here packages come from pnpm, never npm", { isSame: true }],
    ["Use tabs in Go files", "Use spaces in Go files", { isSame: false }],
    ["Use npm for packages", "Use pnpm for packages", { isSame: false }],
    ["Never use jest", "Write the tests with jest: use jest", { isSame: false }],
    ["The cache expires after five minutes", "Deploys go through the staging branch", undefined],
  ])("%j, then %j: %j", (before, after, expected) => {
    expect(findAlike(known(before), observation(after))[0]).toEqual(expected && { id: 1, title: before, ...expected });
  });

  it("compares subjects of decisions only", () => {
    const current = known("Use tabs in Go files", { type: "discovery" });
    expect(findAlike(current, observation("Use spaces in Go files"))).toEqual([]);
    expect(findAlike(known("Use tabs in Go files"), observation("Use spaces in Go files", { type: "change" }))).toEqual(
      [],
    );
  });
});
