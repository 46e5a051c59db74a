import { describe, expect, it } from "vitest";
import { editDistance } from "./edit-distance.ts";

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
