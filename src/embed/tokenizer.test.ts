import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openVocabulary, packVocabulary } from "./vocabulary.ts";
import { createTokenizer } from "./tokenizer.ts";

const WORDS = [
  "[PAD]",
  "[UNK]",
  "[CLS]",
  "[SEP]",
  "un",
  "##aff",
  "##able",
  "fix",
  "##ed",
  ".",
  "[",
  "]",
  "sep",
  "cafe",
];
const MORE = ["数", "据", "σ", "##ς", "##σ", "a", "'", "`", "¿", "\u20ac"];
const VOCABULARY = [...WORDS, ...MORE];
const tokenize = createTokenizer(openVocabulary(packVocabulary(VOCABULARY), VOCABULARY.length), 16);

function pieces(text: string): string[] {
  return tokenize(text)
    .slice(1, -1)
    .map((id) => VOCABULARY[id] ?? "");
}

describe("the tokenizer", () => {
  it.each([
    ["unaffable fixed.", ["un", "##aff", "##able", "fix", "##ed", "."]],
    ["FIXED", ["fix", "##ed"]],
    ["Café cafe\u0301 CAFÉ", ["cafe", "cafe", "cafe"]],
    ["数据", ["数", "据"]],
    ["a\u0000a\u200Ba\tfix\r\nfix", ["[UNK]", "fix", "fix"]],
    ["fix\u00A0fix\u3000fix", ["fix", "fix", "fix"]],
    ["[SEP] [sep]", ["[", "sep", "]", "[", "sep", "]"]],
    ["ΣΣ", ["σ", "##σ"]],
    ["fix`fix'¿", ["fix", "`", "fix", "'", "¿"]],
    ["€", ["€"]],
    ["fixes", ["[UNK]"]],
    ["x".repeat(101), ["[UNK]"]],
    ["", []],
    [" \n ", []],
    ["\uD800fix", ["fix"]],
  ])("splits %j", (text, expected) => {
    expect(pieces(text)).toEqual(expected);
  });

  it("adds [CLS] and [SEP], and cuts a long text before [SEP]", () => {
    const ids = tokenize("fix ".repeat(100));
    expect(ids).toHaveLength(16);
    expect([ids[0], ids.at(-1)]).toEqual([2, 3]);
    expect(tokenize("")).toEqual([2, 3]);
  });

  it("reads megabytes quickly", () => {
    const start = process.cpuUsage();
    tokenize("\u0301 é".repeat(1_000_000));
    expect(process.cpuUsage(start).user).toBeLessThan(500_000);
  });

  it("never throws and never returns an id outside of the vocabulary", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const ids = tokenize(text);
        return ids.length >= 2 && ids.length <= 16 && ids.every((id) => id >= 0 && id < VOCABULARY.length);
      }),
    );
  });
});
