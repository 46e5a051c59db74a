import fc from "fast-check";
import { expect, it } from "vitest";
import { parseLimitedJson } from "./limited-json.ts";

it("parses the same texts as JSON.parse", () => {
  const padding = "x".repeat(70_000);
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      const json = JSON.stringify([value, text, `${text}\\"[{`, padding]);
      expect(parseLimitedJson(json)).toEqual(JSON.parse(json));
    }),
  );
});

it.each([
  ["[", 6_000_000],
  ['{"a":', 1_000_000],
  ['[{"]":"}",', 300_000],
])("rejects deeply nested %j before parsing it", (unit, times) => {
  const text = unit.repeat(times);
  const before = process.memoryUsage().heapUsed;
  expect(() => parseLimitedJson(text)).toThrow("nested too deep");
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * 1024 * 1024);
});

it.each(["{},", '"a",', '{"a":1},', "1,"])("rejects millions of %j before parsing them", (unit) => {
  const text = `[${unit.repeat(2_000_000)}0]`;
  const before = process.memoryUsage().heapUsed;
  expect(() => parseLimitedJson(text)).toThrow("too many values");
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * 1024 * 1024);
});

it("takes linear time for text with many escapes", () => {
  const startedAt = performance.now();
  for (const unit of ['"', '\\"', '"\\\\"', '["\\'])
    expect(() => parseLimitedJson(unit.repeat(1_000_000))).toThrow(/JSON|deep|many|token|string/i);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
