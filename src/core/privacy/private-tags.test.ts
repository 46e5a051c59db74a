import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWhollyPrivate, stripPrivate } from "./private-tags.ts";

const NAMES = ["private", "c-mem-context", "claude-mem-context", "system-reminder"] as const;

describe("stripPrivate", () => {
  test.each([
    ["an element", "a<private>x</private>b", "ab"],
    ["injected context", "a<c-mem-context>x</c-mem-context><claude-mem-context>y</claude-mem-context>b", "ab"],
    ["a system reminder", "a<system-reminder>\nx\n</system-reminder>b", "ab"],
    ["any letter case", "a<PRIVATE>x</Private>b", "ab"],
    ["attributes", 'a<private reason="x">y</private>b', "ab"],
    ["a quoted >", `a<private a="x>y" b='>'>z</private>b`, "ab"],
    ["a quoted close", 'a<private a="</private>">x</private>b', "ab"],
    ["an apostrophe that quotes nothing", "a<private don't>x</private>b", "ab"],
    ["whitespace in tags", "a<private >x</private >b<PRIVATE\n>y</private\t>c", "abc"],
    ["a self-closing tag alone", "a<private/>b<private />c", "abc"],
    ["nesting of a name", "a<private>x<private>y</private>z</private>b", "ab"],
    ["nesting of names", "a<private>x<system-reminder>y</system-reminder>z</private>b", "ab"],
    ["elements that overlap", "a<private>x<system-reminder>y</private>z</system-reminder>b", "ab"],
    ["another name's close within", "a<private>x</system-reminder>y</private>b", "ab"],
    ["an inner element without its close", "a<private>x<system-reminder>y</private>z", "a"],
    ["an element without its close", "a<private>x", "a"],
    ["stray closes", "a</private>b</system-reminder>c", "abc"],
    ["an opening tag cut off", "a<private rea", "a"],
    ["an opening tag cut off in its name's end", "a<private", "a"],
    ["a quote never closed", 'a<private b="x>y</private>z', "a"],
    ["a closing tag cut off", "a<private>x</private", "a"],
    ["a space before the name", "a< private>x</private>b", "ab"],
    ["spaces everywhere", "a< private >x< / private >b", "ab"],
    ["line breaks in tags", "a<\n private\n>x<\n/\nprivate\n>b", "ab"],
    ["attributes after a space", 'a< private reason="x > y">z</ private>b', "ab"],
    ["a space and no close", "a< private>x", "a"],
    ["a space and a tag cut off", "a< private", "a"],
    ["zero-width characters in the tag", "a<\u200bpri\u200cvate\u2060>x</\ufeffpriv\u00adate>b", "ab"],
    ["fillers and marks in the tag", "a<\u3164p\u034fr\u0335ivate>x</private\u180e>b", "ab"],
    ["full-width brackets and letters", "a＜private＞x＜／ｐrivate＞b！", "ab！"],
    ["a tag before another", "a<private<private>x</private>b", "ab"],
    ["a tag that stripping puts together", "a<pri<private>x</private>vate>y</private>b", "a"],
    ["a close that stripping puts together", "a</pri<private/>vate>b", "a"],
  ])("removes %s", (_, text, kept) => {
    expect(stripPrivate(text)).toBe(kept);
  });

  test.each([
    "",
    "no tags",
    "if (a < private && b > c) return",
    "for (i = 0; i < private; i++) {}",
    "level < private_level > 3",
    "<privateKey>x</privateKey>",
    "<private-foo>x</private-foo>",
    "<private_x/><private.x/><private:x/>",
    "<priv",
    "private>x",
    "&lt;private&gt;",
    "if (a<b && c>d) <div>x</div>",
  ])("does not change %j", (text) => {
    expect(stripPrivate(text)).toBe(text);
  });

  test("keeps the text between any number of elements", () => {
    expect(stripPrivate(`${"a<private>x</private>".repeat(5_000)}b`)).toBe(`${"a".repeat(5_000)}b`);
  });

  test("keeps exactly what is outside of well-formed elements", () => {
    fc.assert(
      fc.property(fc.array(piece(), { maxLength: 20 }), (pieces) => {
        const kept = pieces.map(({ text, isPublic }) => (isPublic ? text : "")).join("");
        expect(stripPrivate(pieces.map(({ text }) => text).join(""))).toBe(kept);
      }),
    );
  });

  test("never throws, keeps no tag, and does not change its own result", () => {
    fc.assert(
      fc.property(tagSoup(), (text) => {
        const kept = stripPrivate(text);
        expect(kept).not.toMatch(
          /<[\u200b]*\/?[\u200b]*(?:private|c-mem-context|claude-mem-context|system-reminder)(?![\w.:-])/i,
        );
        expect(stripPrivate(kept)).toBe(kept);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    "<",
    "<private",
    "<private ",
    "<private>",
    "<private/>",
    "</private>",
    "<private>x</private>",
    '<private a="',
    "<private a=",
    "<privat",
    "<pri<private/>vate>",
    "<private>x</system-reminder>",
    "< ",
    "< private ",
    "< private x",
    "< / private",
    "<p\u200b",
    "<\u200b\u200b\u200b\u200b",
    "< private        x",
  ])("takes time in proportion to the text on repeated %j", (unit) => {
    const cost = (chars: number) => {
      const text = unit.repeat(chars / unit.length);
      return fastest(() => stripPrivate(text));
    };
    // Eight times the text takes eight times as long, or 64 times if the time is quadratic.
    expect(cost(1_600_000)).toBeLessThan(32 * cost(200_000));
  });
});

describe("isWhollyPrivate", () => {
  test.each([
    ["<private>x</private>", true],
    [" \n<PRIVATE a='b'>x</PRIVATE>\n", true],
    ["<private>x", true],
    ["<private rea", true],
    ["< private >x</ private>", true],
    ["<system-reminder>x</system-reminder><private>y</private>", true],
    ["a<private>x</private>", false],
    ["<system-reminder>x</system-reminder>", false],
    ["<c-mem-context>x</c-mem-context>", false],
    ["<private/>", false],
    ["</private>", false],
    ["", false],
    ["  ", false],
    ["x", false],
  ])("%j: %s", (text, expected) => {
    expect(isWhollyPrivate(text)).toBe(expected);
  });
});

function piece(): fc.Arbitrary<{ text: string; isPublic: boolean }> {
  const plain = fc.stringMatching(/^[a-z ="'>/]{0,8}$/);
  const element = fc.letrec<{ element: string; content: string }>((tie) => ({
    element: fc
      .tuple(fc.constantFrom(...NAMES), fc.constantFrom("", " ", ' a="<private>"', "\n"), fc.array(tie("content")))
      .map(([name, attributes, content]) => `<${name}${attributes}>${content.join("")}</${name}>`),
    content: fc.oneof({ maxDepth: 3 }, plain, tie("element")),
  })).element;
  return fc.oneof(
    plain.map((text) => ({ text, isPublic: true })),
    element.map((text) => ({ text, isPublic: false })),
  );
}

function tagSoup(): fc.Arbitrary<string> {
  const bits = [
    ...NAMES,
    "<",
    "</",
    "/>",
    ">",
    " ",
    "pri",
    "vate",
    "x",
    '"',
    "'",
    "=",
    "\n",
    "Key",
    "<private>",
    "\u200b",
  ];
  return fc.array(fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 3 }))).map((parts) => parts.join(""));
}

function fastest(run: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.max(0.05, Math.min(...times));
}
