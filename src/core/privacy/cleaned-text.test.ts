import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NEAR_MISSES } from "../../../test/secrets/near-misses.ts";
import { seeded } from "../../../test/secrets/random.ts";
import { SCENES } from "../../../test/secrets/scenes.ts";
import { cleaned, cleanedJson } from "./cleaned-text.ts";
import { filterText, filterValue } from "./filter.ts";
import { SECRETS } from "./secrets/secrets.ts";

const PIECES = [
  ...SECRETS.map(({ sample }) => sample),
  ...[...SCENES, ...NEAR_MISSES].map(({ make }) => {
    const made = make(seeded(1));
    return typeof made === "string" ? made : made.text.slice(0, 2_000);
  }),
];

const LABELS = [
  "password",
  "Passwort: ",
  "pw=",
  "--password ",
  "token",
  "密码：",
  "| password | ",
  "name: DB_PASSWORD\n",
  "DB_PASSWORD",
];
const MARKS = [
  "=",
  ": ",
  ":\n",
  '"',
  "'",
  ", ",
  "\n",
  "\\n",
  "\t",
  " is ",
  "{",
  "}",
  "(",
  ")",
  "|",
  "<",
  "/>",
  "[redacted:credential]",
  "\x1b[32m",
  "\u00a0",
  "value: ",
];
const VALUES = [
  "Sommerregen",
  "hunter2",
  "!Qaz2wsx",
  "ab1.Cd2ef",
  "blue-tall-house",
  "required",
  "getPassword()",
  "string",
];

function texts(): fc.Arbitrary<string> {
  const piece = fc.oneof(fc.constantFrom(...LABELS, ...MARKS, ...VALUES), fc.constantFrom(...PIECES), fc.string());
  return fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
}

function limits(): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: 64, max: 1_500 }), fc.constant(Infinity));
}

describe("an audit finds nothing in captured text:", () => {
  test.each(PIECES.map((piece) => [piece.slice(0, 40), piece] as const))("%j", (_, piece) => {
    for (const limit of [200, Infinity]) expect(cleaned(filterText(piece, limit))).toBeUndefined();
  });

  test("random text, cut anywhere", () => {
    fc.assert(
      fc.property(texts(), limits(), (text, limit) => {
        const stored = filterText(text, limit);
        expect(filterText(stored, limit)).toBe(stored);
        expect(cleaned(stored)).toBeUndefined();
      }),
      { numRuns: 3_000 },
    );
  });

  test("random values stored as JSON", () => {
    const key = fc.constantFrom("password", "token", "name", "value", "command", "env", "id-token", "Authorization");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, texts(), fc.double(), fc.array(tie("value")), fc.dictionary(key, tie("value"))),
    }));
    fc.assert(
      fc.property(value, limits(), (input, limit) => {
        const stored = JSON.stringify(filterValue({ input }, limit));
        expect(cleanedJson(stored)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });
});

test("an audit filters JSON in a text column as text", () => {
  const output = JSON.stringify({ permissions: { "id-token": "write" }, dependencies: { "@a/auth": "catalog:" } });
  expect(filterText(output)).toBe(output);
  expect(cleaned(output)).toBeUndefined();
});
