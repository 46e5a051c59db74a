import { describe, expect, it } from "vitest";
import { parseTime } from "./time.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");

describe("a time", () => {
  it.each([
    ["3d", "2026-03-07T12:00:00.000Z"],
    ["2w", "2026-02-24T12:00:00.000Z"],
    ["90m", "2026-03-10T10:30:00.000Z"],
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["2026-01-31T10:00:00Z", "2026-01-31T10:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(new Date(parseTime(text, NOW)).toISOString()).toBe(expected);
  });

  it.each(["", "yesterday", "3", "d3", "2026-99-99", "1e9d"])("%j is none, and says what is", (text) => {
    expect(() => parseTime(text, NOW)).toThrow(expect.objectContaining({ code: "usage" }));
  });
});
