import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../core/tokens.ts";
import { cutToTokens, fitReply } from "./budget.ts";

describe("an answer", () => {
  it("never exceeds its budget and counts the omitted parts", () => {
    const parts = fc.array(
      fc.record({ text: fc.string({ unit: "grapheme", maxLength: 400 }), rank: fc.integer({ min: 0, max: 9 }) }),
    );
    fc.assert(
      fc.property(parts, fc.integer({ min: 40, max: 600 }), (list, maxTokens) => {
        const text = fitReply({ head: "Head.", parts: list, foot: (left) => `${left} left` }, maxTokens);
        expect(estimateTokens(text)).toBeLessThanOrEqual(maxTokens);
        expect(text).toMatch(/^Head\.[\s\S]*\d+ left$/);
      }),
    );
  });

  it("includes parts by rank, in their original order", () => {
    const word = "word ".repeat(20).trim();
    const parts = ["a", "b", "c", "d"].map((name, index) => ({
      text: `${name} ${word}`,
      rank: [2, 0, 1, 3][index] ?? 0,
    }));
    const text = fitReply({ head: "", parts, foot: (left) => `${left} left` }, 60);
    expect(text.split("\n").map((one) => one.slice(0, 1))).toEqual(["b", "c", "2"]);
  });

  it("includes the first lines of the best part if it does not fit", () => {
    const lines = ["t1 failed", "then ".repeat(200), "and passed"].join("\n");
    const parts = [
      { text: "other ".repeat(200), rank: 2 },
      { text: lines, rank: 1 },
    ];
    const text = fitReply({ head: "Head.", parts, foot: (left) => `${left} left` }, 60);
    expect(text).toBe("Head.\nt1 failed\n2 left");
  });
});

describe("a text that is too long", () => {
  it("is cut to its budget, with any content", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 4_000 }),
        fc.integer({ min: 40, max: 300 }),
        (text, maxTokens) => {
          const cut = cutToTokens(text, maxTokens);
          expect(estimateTokens(cut)).toBeLessThanOrEqual(maxTokens);
          expect(cut.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
