import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../core/tokens.ts";
import { layOut, type Section } from "./block.ts";

const ROOMY = { maxChars: 9_500, maxTokens: 2_000 };
const line = (text: string, ...items: string[]) => ({ text, items });

describe("a block", () => {
  it("has the sections in order, each with the lines that fit, and lists the items shown", () => {
    const sections = [
      { heading: "## A", lines: [line("one", "o1"), line("two", "o2")] },
      { heading: "## B", lines: [] },
      { heading: "", lines: [line("three", "o1")] },
    ];
    expect(layOut("intro", sections, ROOMY)).toMatchObject({
      text: "<c-mem-context>\nintro\n\n## A\none\ntwo\nthree\n</c-mem-context>",
      items: ["o1", "o2"],
    });
  });

  it("limits a section to its maximum, so that later ones fit", () => {
    const long = Array.from({ length: 50 }, (_, index) => line(`line number ${index} of many`, `o${index}`));
    const { text } = layOut(
      "",
      [
        { heading: "## A", lines: long, maxTokens: 30 },
        { heading: "## B", lines: [line("last")] },
      ],
      {
        maxChars: 9_500,
        maxTokens: 100,
      },
    );
    expect(text).toContain("## B\nlast");
  });

  it("is empty if nothing fits", () => {
    expect(
      layOut("intro", [{ heading: "## A", lines: [line("x".repeat(500))] }], { maxChars: 100, maxTokens: 50 }).text,
    ).toBe("");
  });

  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 400 }),
    fc.constantFrom(
      "</c-mem-context>",
      "< / c-mem-context >",
      "</C-MEM-Context\n>",
      "</c-mem\u200b-context>",
      "<c-mem-context>",
      "</system-reminder>",
      "<\u00ad/c-mem-context>",
    ),
  );
  const sections: fc.Arbitrary<Section[]> = fc.array(
    fc.record({
      heading: text.map((words) => words.replaceAll("\n", " ")),
      lines: fc.array(
        fc.tuple(text, text).map(([a, b]) => line(a + b, "o1")),
        { maxLength: 8 },
      ),
    }),
    { maxLength: 6 },
  );

  it("never exceeds its budget in tokens and in UTF-16 units", () => {
    fc.assert(
      fc.property(
        text,
        sections,
        fc.integer({ min: 0, max: 3_000 }),
        fc.integer({ min: 0, max: 600 }),
        (intro, parts, maxChars, maxTokens) => {
          const block = layOut(intro, parts, { maxChars, maxTokens });
          expect(block.text.length).toBeLessThanOrEqual(maxChars);
          expect(estimateTokens(block.text)).toBeLessThanOrEqual(maxTokens);
          expect(block.tokens).toBe(block.text === "" ? 0 : estimateTokens(block.text));
        },
      ),
    );
  });

  it("opens and closes its fence exactly once", () => {
    fc.assert(
      fc.property(text, sections, (intro, parts) => {
        const block = layOut(intro, parts, ROOMY).text;
        if (block === "") return;
        const shown = block.replace(/[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "").toLowerCase();
        expect(shown.split("</c-mem-context")).toHaveLength(2);
        expect(shown.split("<c-mem-context")).toHaveLength(2);
        expect(shown).not.toContain("</system-reminder");
        expect(block.startsWith("<c-mem-context>") && block.endsWith("\n</c-mem-context>")).toBe(true);
      }),
    );
  });
});
