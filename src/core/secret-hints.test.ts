import fc from "fast-check";
import { expect, it } from "vitest";
import { hintsFound } from "./secret-hints.ts";
import { SECRETS } from "./secrets.ts";

const HINTS = [...new Set(SECRETS.flatMap(({ hints }) => hints ?? []))];
const plainly = (text: string) => SECRETS.filter(({ hints }) => hints?.some((hint) => text.includes(hint)));

it("finds every hint wherever it stands", () => {
  for (const hint of HINTS) {
    for (const text of [hint, `x${hint}`, `${hint}y`, `日本 ${hint} é`])
      expect(hintsFound(text)).toEqual(plainly(text));
  }
});

it("finds what a plain look for each hint finds, in any text", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(...HINTS),
    fc.constantFrom(...HINTS.map((hint) => hint.slice(1))),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      expect(hintsFound(text)).toEqual(plainly(text));
    }),
  );
});
