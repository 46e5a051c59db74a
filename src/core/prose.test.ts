import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, stripMarkdown, readBlocks, sentencesOf, wholeSentences } from "./prose.ts";

describe("blocks", () => {
  it("skip code, tables, quotations, rules and program output", () => {
    const text = [
      "# What I did",
      "First line",
      "goes on here.",
      "```ts",
      "const x = 1;",
      "```",
      "| a | b |",
      "> quoted",
      "---",
      "[11:35:44] GET /api",
      "    at run (file.js:1:2)",
      "Changes:",
      "- **Added** [the file](src/a.ts)",
      "  which goes on",
      "2. second",
    ].join("\n");
    expect(readBlocks(text)).toEqual([
      { kind: "heading", text: "What I did", section: "What I did" },
      { kind: "text", text: "First line goes on here.", section: "What I did" },
      { kind: "heading", text: "Changes", section: "Changes" },
      { kind: "item", text: "Added the file which goes on", section: "Changes" },
      { kind: "item", text: "second", section: "Changes" },
    ]);
  });
});

describe("plain text", () => {
  it.each([
    ["**bold** and *slanted* and __strong__", "bold and slanted and strong"],
    ["a ** b * c_d_e", "a ** b * c_d_e"],
    ["✅ done", "done"],
    ["use <name> in `<p>` but not <b>this</b>", "use <name> in `<p>` but not this"],
    ["see [x](https://y.z)", "see x"],
    ["see [the fix](https://github.com/o/r/pull/12)", "see the fix (PR #12)"],
    ["[PR #12](https://github.com/o/r/pull/12) is open", "PR #12 is open"],
    ["Closes https://github.com/o/r/issues/7.", "Closes issue #7."],
  ])("of %s", (text, expected) => {
    expect(stripMarkdown(text)).toBe(expected);
  });
});

describe("sentences", () => {
  it.each([
    [
      "It works, e.g. in v1.2.3 of file.ts. Then it fails! Why? (No idea.)",
      ["It works, e.g. in v1.2.3 of file.ts.", "Then it fails!", "Why?", "(No idea.)"],
    ],
    ["これは文です。次の文です。", ["これは文です。", "次の文です。"]],
    ["no end", ["no end"]],
  ])("of %s", (text, expected) => {
    expect(sentencesOf(text)).toEqual(expected);
  });

  it("are kept as long as they fit", () => {
    expect(wholeSentences(["One two.", "Three four."], 12)).toBe("One two.");
    expect(wholeSentences(["One two three four."], 12)).toBe("One two…");
  });
});

describe("a cut", () => {
  it.each([
    ["one two three four", 12, "one two…"],
    ["https://example.com/a/very/long/path", 24, "https://example.com/a…"],
    ["call `someFunction(x)` now", 14, "call…"],
    ["a sentence of words (with an aside)", 26, "a sentence of words…"],
  ])("of %s", (text, max, expected) => {
    expect(clip(text, max)).toBe(expected);
  });

  it("never exceeds its limit, and never splits a word of a text with spaces", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 40, max: 90 }),
        (words, max) => {
          const text = words.join(" ");
          const cut = clip(text, max);
          expect(cut.length).toBeLessThanOrEqual(max);
          expect(cut === text || words.includes(cut.slice(0, -1).split(" ").at(-1) ?? "")).toBe(true);
        },
      ),
    );
  });
});
