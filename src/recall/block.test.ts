import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOut, type Section } from "./block.ts";

const FRAME = { open: "<c-mem-context>", close: "</c-mem-context>" };

describe("a block", () => {
  it("shows its sections in order, without those that have no lines", () => {
    const sections = [
      { heading: "## A", lines: ["one", "two"] },
      { heading: "## B", lines: [] },
      { heading: "## C", lines: ["three"] },
    ];
    expect(layOut(FRAME, sections, 1000)).toBe("<c-mem-context>\n\n## A\none\ntwo\n\n## C\nthree\n</c-mem-context>");
  });

  it("is nothing when nothing fits", () => {
    expect(layOut(FRAME, [{ heading: "## A", lines: ["x".repeat(500)] }], 200)).toBe("");
  });

  it("never exceeds its budget, and every line in it is whole", () => {
    const section: fc.Arbitrary<Section> = fc.record({
      heading: fc.string({ maxLength: 30 }),
      lines: fc.array(fc.string({ unit: "grapheme", maxLength: 300 }), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(fc.array(section, { maxLength: 8 }), fc.integer({ min: 0, max: 3000 }), (sections, maxChars) => {
        const text = layOut(FRAME, sections, maxChars);
        expect(text.length).toBeLessThanOrEqual(maxChars);
        if (text !== "") expect(text.startsWith(FRAME.open) && text.endsWith(FRAME.close)).toBe(true);
      }),
    );
  });
});
