import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutTo, widthOf, wrap } from "./width.ts";

describe("text on a terminal", () => {
  it.each([
    ["plain", 5],
    ["日本語", 6],
    ["한국", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧 ok", 5],
    ["✔️", 2],
    ["ｆｕｌｌ", 8],
    ["", 0],
  ])("%j is %i columns wide", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it.each([
    ["short", 8, "short"],
    ["exactly!", 8, "exactly!"],
    ["a little longer", 8, "a littl…"],
    ["日本語テキスト", 8, "日本語…"],
    ["日本語テ", 8, "日本語テ"],
    ["any", 0, ""],
  ])("%j in %i columns is %j", (text, width, expected) => {
    expect(cutTo(text, width)).toBe(expected);
  });

  it("is cut to the given columns", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, width) => {
        expect(widthOf(cutTo(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("breaks at spaces, or anywhere in a text without spaces", () => {
    const lines = (text: string, width: number, maxLines = 9) =>
      wrap(text, width, maxLines).map(([start, end]) => text.slice(start, end));
    expect(lines("the quick brown fox", 9)).toEqual(["the quick", "brown fox"]);
    expect(lines("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
    expect(lines("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
    expect(lines("日本語です", 4)).toEqual(["日本", "語で", "す"]);
    expect(lines("one two three", 5, 2)).toEqual(["one", "two"]);
    expect(lines("", 5)).toEqual([]);
  });

  it("counts a syllable stored as separate letters once", () => {
    expect(widthOf("\u1100\u1161")).toBe(2);
    expect(wrap("\u1100\u1161\u1100\u1161", 2, Infinity)).toHaveLength(2);
  });

  it("is wrapped to the given columns and only loses spaces", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 30 }), (text, width) => {
        const pieces = wrap(text, width, Infinity).map(([start, end]) => text.slice(start, end));
        for (const piece of pieces) expect(widthOf(piece)).toBeLessThanOrEqual(width);
        expect(pieces.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });
});
