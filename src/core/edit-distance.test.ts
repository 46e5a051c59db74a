import { describe, expect, it } from "vitest";
import { editDistance, typoEdits } from "./edit-distance.ts";

describe("the distance between two words", () => {
  it.each([
    ["same", "same", 0],
    ["migration", "migraton", 1],
    ["migration", "mirgation", 1],
    ["cache", "cash", 2],
    ["", "ab", 2],
    ["abcdef", "uvwxyz", 3],
  ])("%s and %s: %i", (a, b, edits) => {
    expect(editDistance(a, b, 2)).toBe(edits);
    expect(editDistance(b, a, 2)).toBe(edits);
  });
});

describe("a mistyped word", () => {
  it.each([
    ["pipelnie", "pipeline", 1],
    ["migraton", "migration", 1],
    ["authetnicaton", "authentication", 2],
    ["vacation", "action", Infinity],
    ["station", "nation", Infinity],
    ["relation", "relating", Infinity],
    ["tets", "test", 1],
    ["tst", "test", Infinity],
  ])("%s is corrected to %s with %s edits", (typed, word, edits) => {
    expect(typoEdits(typed, word)).toBe(edits);
  });
});
