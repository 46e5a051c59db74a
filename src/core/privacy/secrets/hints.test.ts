import fc from "fast-check";
import { expect, it } from "vitest";
import { redactSecrets } from "../redact.ts";
import { FINAL_WORD, suspects } from "./hints.ts";
import { LABEL_WORDS } from "./labels.ts";
import { SECRETS } from "./secrets.ts";

const HINTS = [...new Set(SECRETS.flatMap(({ hints }) => hints ?? []))];
const WORD = new RegExp(`${LABEL_WORDS.join("|")}|${FINAL_WORD}\\b`, "i");

/** The result of a search for each hint. */
function suspectedBySearch(text: string): string[] {
  const hinted = SECRETS.filter(({ hints }) => hints?.some((hint) => text.includes(hint)));
  const unhinted = SECRETS.filter(({ hints, starts }) => hints === undefined && (!starts || WORD.test(text)));
  return [...hinted, ...unhinted].map(({ sample }) => sample);
}

function suspected(text: string): string[] {
  return suspects(text).secrets.map(({ sample }) => sample);
}

function wordPlaces(text: string): number[] {
  return Array.from({ length: text.length }, (_, place) => place).filter((place) =>
    [...LABEL_WORDS, FINAL_WORD].some((word) => text.slice(place, place + word.length).toLowerCase() === word),
  );
}

it("suspects a secret if its hint is anywhere in the text", () => {
  for (const hint of [...HINTS, ...LABEL_WORDS, "my_pat ", "a.b23456.c"]) {
    for (const text of [hint, `x${hint}`, `${hint}y`, `日本 ${hint} é`])
      expect(suspected(text)).toEqual(suspectedBySearch(text));
  }
  const long = "long ".repeat(60_000) + HINTS.join(" ");
  expect(suspected(long)).toEqual(suspectedBySearch(long));
});

it("suspects the same secrets as a search for each hint, and finds words in any case", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(...HINTS, ...LABEL_WORDS, FINAL_WORD, "_path", ".", "-"),
    fc.constantFrom(...HINTS.map((hint) => hint.slice(1)), "PassWord", "API_KEY", "TOKEN", "_Pat1"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      // Letters of other scripts may be mistaken for a hint: see below.
      const exactly = (found: (string | number)[]): unknown =>
        /^[\x20-\x7e]*$/.test(text) ? found : expect.arrayContaining(found);
      expect(suspected(text)).toEqual(exactly(suspectedBySearch(text)));
      expect(suspects(text).words.toSorted((a, b) => a - b)).toEqual(exactly(wordPlaces(text)));
    }),
    { numRuns: 1_000 },
  );
});

it("may mistake letters of other scripts for a hint, but never misses one", () => {
  const letter = fc.constantFrom(..."pasPASkeyKEY\u0170\u0161\u0173\u016b.-_sgh \u{1f600}");
  fc.assert(
    fc.property(fc.string({ unit: letter, maxLength: 60 }), (text) => {
      expect(suspected(text)).toEqual(expect.arrayContaining(suspectedBySearch(text)));
      expect(suspects(text).words).toEqual(expect.arrayContaining(wordPlaces(text)));
    }),
    { numRuns: 1_000 },
  );
});

it("finds the same secrets near words as a search of the whole text", () => {
  const piece = fc.constantFrom(
    ..."pass word Passwd pwd secret key base api _ - . $ 1 token auth orization credentials _pat value , = : => ' \" ` \\ \n is".split(
      /(?<! ) /,
    ),
    " ",
    ": string =",
    "s3cr3t-Passw0rd",
    "hunter2",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = `key ${pieces.join("")}`;
      const ranges = SECRETS.filter(({ starts }) => starts).flatMap(({ pattern }) =>
        Array.from(text.matchAll(new RegExp(pattern(), "gi")), ({ index }) => index),
      );
      const { secrets, words } = suspects(text);
      const starts = secrets.flatMap((secret) => words.flatMap((word) => secret.starts?.(text, word) ?? []));
      expect(starts).toEqual(expect.arrayContaining(ranges));
      expect(redactSecrets(redactSecrets(text))).toBe(redactSecrets(text));
    }),
    { numRuns: 2_000 },
  );
});
