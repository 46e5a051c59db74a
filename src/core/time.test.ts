import { describe, expect, it } from "vitest";
import { localMinute, parseTime, validSpan } from "./time.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");

describe("a time", () => {
  it.each([
    ["3d", "2026-03-07T12:00:00.000Z"],
    ["2w", "2026-02-24T12:00:00.000Z"],
    ["90m", "2026-03-10T10:30:00.000Z"],
    ["2026-01-31T10:00:00Z", "2026-01-31T10:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(new Date(parseTime(text, NOW)).toISOString()).toBe(expected);
  });

  it("is rejected in a span that ends before it starts", () => {
    const span = { since: 1, before: 2 };
    expect(validSpan(span)).toBe(span);
    expect(() => validSpan({ since: 2, before: 2 })).toThrow(expect.objectContaining({ code: "usage" }));
    expect(validSpan({ since: 2, before: undefined })).toEqual({ since: 2, before: undefined });
  });

  it.each(["UTC", "Asia/Tokyo", "America/Los_Angeles"])("without an hour is local midnight in %s", (zone) => {
    const before = process.env["TZ"];
    process.env["TZ"] = zone;
    try {
      for (const text of ["2026-01-31", "2026-01-01", "2026-01"]) {
        const at = parseTime(text, NOW);
        expect(localMinute(at)).toBe(`${text.length === 7 ? `${text}-01` : text} 00:00`);
        expect(parseTime(localMinute(at), NOW)).toBe(at);
      }
    } finally {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    }
  });

  it.each(["", "yesterday", "3", "d3", "2026-99-99", "2026-02-31", "2026-02-29T10:00", "2026-01-3", "1e9d"])(
    "%j is rejected",
    (text) => {
      expect(() => parseTime(text, NOW)).toThrow(expect.objectContaining({ code: "usage" }));
    },
  );
});
