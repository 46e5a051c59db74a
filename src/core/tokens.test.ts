import fc from "fast-check";
import { estimateTokenCount } from "tokenx";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "./tokens.ts";

const piece = fc.oneof(
  fc.constantFrom(
    "word",
    "Longer_Identifier",
    "1234",
    " ",
    "  ",
    "\n",
    "\n\n  ",
    "\t",
    "...",
    "----------",
    "“quoted”",
    "…",
    "naïve",
    "größer",
  ),
  fc.constantFrom("日本語", "、", "привет", "\u00a0", "🙂", "a\u200bb", "x", "ABC", "lowercase", "lowercasewords"),
  fc.string(),
);

describe("estimateTokens", () => {
  it("returns the same number as tokenx for texts", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        expect(estimateTokens(text)).toBe(estimateTokenCount(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it("returns the same number as tokenx for any string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(estimateTokens(text)).toBe(estimateTokenCount(text));
      }),
    );
  });
});
