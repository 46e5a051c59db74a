import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { terminalSafe, terminalSafeJson } from "./terminal.ts";

// oxlint-disable-next-line no-control-regex
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

describe("text for a terminal", () => {
  it.each([
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["clearing the screen", "a\u001b[2Jb", "ab"],
    ["the clipboard (OSC 52)", "a\u001b]52;c;cm0gLXJmIH4K\u0007b", "ab"],
    ["a link (OSC 8)", "\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\", "click"],
    ["a title in C1 codes", "a\u009d0;title\u009cb", "ab"],
    ["a colour in C1 codes", "a\u009b31mb", "ab"],
    ["DCS and APC", "a\u001bPq#0\u001b\\b\u001b_Gi=1\u001b\\c", "abc"],
    ["a reset", "a\u001bcb\u001b(Bc", "abc"],
    ["a string without its end", "a\u001b]52;c;x\nb", "a52;c;x\nb"],
    ["a carriage return", "rm -rf /\rls\r\n", "rm -rf /\nls\n"],
    ["backspaces and deletes", "ab\b\bcd\u007f", "abcd"],
    ["a bell and a NUL", "a\u0007\u0000b", "ab"],
    ["bidirectional overrides", "a\u202eb\u2066c\u2069d\u200e\u200f\u061c", "abcd"],
  ])("has no %s", (_, text, safe) => {
    expect(terminalSafe(text)).toBe(safe);
  });

  it.each(["", "a\tb\n", "日本語 שלום e\u0301 👩‍👩‍👧 ‹›", "[31m is the rest of a colour"])("keeps %j", (text) => {
    expect(terminalSafe(text)).toBe(text);
  });

  it("has no control sequences, and a second pass does not change it", () => {
    const bits = fc.constantFrom(
      "\u001b",
      "\u009b",
      "\u009d",
      "[",
      "]",
      "52;",
      "\u0007",
      "\\",
      "\r",
      "\n",
      "m",
      "\u202e",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(bits, fc.string({ maxLength: 3, unit: "binary" }))), (parts) => {
        const safe = terminalSafe(parts.join(""));
        expect(safe).not.toMatch(STEERING);
        expect(terminalSafe(safe)).toBe(safe);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(["\u001b]", "\u009d", "\u001b[", "\u001b[0", "\u001bP\u001b", "\u001b]x", "\r", "\u001b "])(
    "takes time in proportion to the text on repeated %j",
    (unit) => {
      const startedAt = performance.now();
      terminalSafe(unit.repeat(1_000_000 / unit.length));
      terminalSafe(`${unit}${"0".repeat(1_000_000)}`);
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    },
  );

  it("has the same value if it is JSON", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = terminalSafeJson(JSON.stringify({ text }, null, 2));
        expect(json).not.toMatch(STEERING);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});
