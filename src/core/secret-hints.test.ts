import fc from "fast-check";
import { expect, it } from "vitest";
import { SECRET_WORDS, suspects } from "./secret-hints.ts";
import { SECRETS } from "./secrets.ts";

const HINTS = [...new Set(SECRETS.flatMap(({ hints }) => hints ?? []))];
const WORD = new RegExp(SECRET_WORDS.join("|"), "i");
const DOTTED = /\.[\w-]{6}\./;

/** By a plain look for each of them. */
function plainly(text: string): string[] {
  return SECRETS.filter(({ hints, worded, dotted }) => {
    if (worded) return WORD.test(text);
    return dotted ? DOTTED.test(text) : (hints?.some((hint) => text.includes(hint)) ?? true);
  }).map(({ sample }) => sample);
}

function suspected(text: string): string[] {
  return suspects(text).secrets.map(({ sample }) => sample);
}

function wordPlaces(text: string): number[] {
  return Array.from({ length: text.length }, (_, place) => place).filter((place) =>
    SECRET_WORDS.some((word) => text.slice(place, place + word.length).toLowerCase() === word),
  );
}

it("suspects every secret wherever its hint stands", () => {
  for (const hint of [...HINTS, ...SECRET_WORDS, "a.b23456.c"]) {
    for (const text of [hint, `x${hint}`, `${hint}y`, `日本 ${hint} é`, `${"long ".repeat(60_000)}${hint}`])
      expect(suspected(text)).toEqual(plainly(text));
  }
});

it("suspects what a plain look for each hint suspects, in any text, and finds the words in any case", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(...HINTS, ...SECRET_WORDS, ".", "-"),
    fc.constantFrom(...HINTS.map((hint) => hint.slice(1)), "PassWord", "API_KEY", "TOKEN"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      expect(suspected(text)).toEqual(expect.arrayContaining(plainly(text)));
      if (suspects(text).words.length > 0 || WORD.test(text)) expect(suspects(text).words).toEqual(wordPlaces(text));
    }),
    { numRuns: 1_000 },
  );
});

it("takes letters of other scripts for a hint at worst, and never overlooks one among them", () => {
  const letter = fc.constantFrom(..."pasPASkeyKEY\u0170\u0161\u0173\u016b.-_sgh \u{1f600}");
  fc.assert(
    fc.property(fc.string({ unit: letter, maxLength: 60 }), (text) => {
      expect(suspected(text)).toEqual(expect.arrayContaining(plainly(text)));
      expect(suspects(text).words).toEqual(expect.arrayContaining(wordPlaces(text)));
    }),
    { numRuns: 1_000 },
  );
});
