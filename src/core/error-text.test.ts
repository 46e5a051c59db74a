import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorWords, normaliseError } from "./error-text.ts";

describe("normaliseError", () => {
  it.each([
    [
      "Error: listen EADDRINUSE: address already in use :::3000",
      "error: listen eaddrinuse: address already in use :::5173",
    ],
    ["2026-01-02T10:11:12.345Z fatal: bad object 1a2b3c4d", "2025-12-31 01:02:03 fatal: bad object ffe0123"],
    [
      '/Users/a/app/src/x.ts:12:3 - TS2304: Cannot find name "foo"',
      "C:\\work\\app\\src\\x.ts:99:1 - TS2304: Cannot find name ‘foo’",
    ],
    ["\u001B[31mTypeError\u001B[0m:  x is undefined", "TypeError: x is undefined"],
    [
      "session 0b7e2a54-1111-4222-8333-444455556666 at 0xdeadbeef",
      "session 00000000-aaaa-4bbb-8ccc-ddddeeeeffff at 0x1",
    ],
  ])("makes %j and %j equal", (one, other) => {
    expect(normaliseError(one)).toBe(normaliseError(other));
  });

  it("keeps errors with different words apart", () => {
    expect(normaliseError("Cannot find name 'foo'")).not.toBe(normaliseError("Cannot find name 'bar'"));
    expect(errorWords(normaliseError("TypeError: Cannot read properties of undefined (reading 'length')"))).toEqual([
      "typeerror",
      "cannot",
      "read",
      "properties",
      "undefined",
      "reading",
      "length",
    ]);
  });

  it("is quick for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) =>
        Array.isArray(errorWords(normaliseError(text))),
      ),
    );
    for (const text of ["/".repeat(100_000), "a/".repeat(50_000), "1:".repeat(50_000), "f0".repeat(50_000)]) {
      const start = process.cpuUsage();
      normaliseError(text);
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(2_000);
    }
  });
});
