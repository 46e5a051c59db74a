import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasWord, camelParts, partsOf, wordsOf } from "./words.ts";

const MAX = 12;

function wordByWord(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length <= MAX).flatMap((word) => partsOf(word));
}

it("splits only camelCase words, and keeps their order", () => {
  expect(camelParts("let productTour = HTMLParser_x2Y; plain UPPER", MAX)).toEqual([
    "product",
    "Tour",
    "HTML",
    "Parser",
    "x2",
    "Y",
  ]);
});

it("returns the parts of each word of any text", () => {
  const letter = fc.constantFrom(..."abXYz09_- .éÉßЖжΣ日😀\u0301");
  fc.assert(
    fc.property(fc.string({ unit: letter, maxLength: 60 }), (text) => {
      expect(camelParts(text, MAX)).toEqual(wordByWord(text));
    }),
    { numRuns: 2_000 },
  );
});

it("returns the same words and parts for ASCII as for Unicode text", () => {
  // One non-ASCII letter selects the Unicode code path.
  const letter = fc.constantFrom(..."abXYz09_-. \n");
  fc.assert(
    fc.property(fc.string({ unit: letter, maxLength: 60 }), (text) => {
      expect(wordsOf(text)).toEqual(wordsOf(`${text} é`).slice(0, -1));
      // A letter without upper and lower case does not split a word.
      for (const word of wordsOf(text))
        expect(partsOf(word).join("|")).toBe(partsOf(`${word}中`).join("|").replace("中", ""));
    }),
  );
});

describe("a word in a text", () => {
  it.each([
    ["the staging host was configured by hand", "configure", true],
    ["all migrations ran", "migration", true],
    ["see the fullschema snapshot", "schema", true],
    ["open the dialog first", "log", false],
    ["the researcher is done", "reset", false],
  ])("%j: %j is found in another form, but not within another word", (text, word, isFound) => {
    expect(hasWord(text, word)).toBe(isFound);
  });
});
