import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { block, columns, fit, fitPath, pad } from "./layout.ts";
import { widthOf } from "./width.ts";

describe("text on a terminal", () => {
  it("is never wider than the limit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.integer({ min: 2, max: 60 }), (text, width) => {
        expect(widthOf(fit(text, width))).toBeLessThanOrEqual(width);
        expect(fit(text, width)).not.toContain("\n");
      }),
    );
    expect(fit("日本語の長い題名", 7)).toBe("日本語…");
    expect(pad("日本", 6)).toBe("日本  ");
  });

  it("keeps the file's name if a path is too long", () => {
    expect(fitPath("a/very/long/way/to/file.ts", 14)).toBe("…/to/file.ts");
    expect(fitPath("npm test a/b/c and much more", 14)).toBe("npm test a/b/…");
    expect(fitPath("a/b.ts", 14)).toBe("a/b.ts");
  });

  it("wraps at words, indents list items and does not wrap code and tables", () => {
    const long = "word ".repeat(30).trim();
    for (const line of block(`${long}\n- ${long}`, "  ").split("\n"))
      expect(widthOf(line)).toBeLessThanOrEqual(columns());
    expect(block(`- ${long}`, "").split("\n")[1]).toMatch(/^ {2}word/);
    expect(block(`\n    ${long}\n`, "").split("\n")).toHaveLength(1);
    expect(block(`x\n    ${long}\n| ${long} |`, "").split("\n")).toHaveLength(3);
  });
});
