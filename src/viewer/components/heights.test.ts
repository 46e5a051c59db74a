import fc from "fast-check";
import { expect, test } from "vitest";
import { Heights } from "./heights.ts";

test("rows stand where the rows before them end, whatever was measured", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 200 }),
      fc.array(fc.tuple(fc.nat(199), fc.integer({ min: 1, max: 900 }))),
      (estimates, measures) => {
        const heights = new Heights(estimates.length, (index) => estimates[index] ?? 0);
        const plain = [...estimates];
        for (const [index, height] of measures) {
          heights.measure(index, height);
          if (index < plain.length) plain[index] = height;
        }
        let top = 0;
        for (const [index, height] of plain.entries()) {
          expect(heights.top(index)).toBe(top);
          expect(heights.at(top)).toBe(index);
          expect(heights.at(top + height - 0.5)).toBe(index);
          top += height;
        }
        expect(heights.total).toBe(top);
      },
    ),
  );
});

test("a list that grows or shrinks keeps what was measured", () => {
  const heights = new Heights(3, () => 10);
  heights.measure(1, 50);
  heights.resize(5);
  expect([heights.top(2), heights.total]).toEqual([60, 90]);
  heights.resize(2);
  expect(heights.total).toBe(60);
});

test("beyond its ends a list answers with its first and last row", () => {
  const heights = new Heights(3, () => 10);
  expect([heights.at(-5), heights.at(1000), new Heights(0, () => 1).at(3)]).toEqual([0, 2, 0]);
});
