// Filters credentials of every kind in realistic texts, and near-misses. `npm run bench -- filter` prints the results.
import { expect, test } from "vitest";
import { filterText } from "../../src/core/privacy/filter.ts";
import { KINDS } from "./kinds.ts";
import { describeFigures, FLOOR, measure } from "./measure.ts";
import { seeded } from "./random.ts";
import { SCENES } from "./scenes.ts";
import { SURROUNDINGS } from "./surroundings.ts";

const ROUNDS = 2;

test("the filter misses no more planted credentials than before, and redacts nothing harmless", () => {
  const figures = measure(ROUNDS);
  console.log(describeFigures(figures));
  expect(figures.kinds).toBeGreaterThanOrEqual(60);
  expect(figures.falseAlarms).toEqual([]);
  expect(1 - figures.missed.length / figures.planted, figures.missed.join("\n")).toBeGreaterThanOrEqual(FLOOR.recall);
});

test("every kind is redacted in common surroundings, for ten random values", () => {
  const common = SURROUNDINGS.filter(({ name }) =>
    ["environment", "JSON", "YAML", "dotenv", "JSON in JSON", "CI log"].includes(name),
  );
  for (const kind of KINDS) {
    for (const { name, render } of common) {
      for (let seed = 100; seed < 110; seed++) {
        const random = seeded(seed);
        const secret = kind.make(random);
        expect(filterText(render(kind.key, secret, random)), `${kind.name} in ${name}`).not.toContain(secret);
      }
    }
  }
});

test("the filter keeps the text around a credential", () => {
  const [kind] = KINDS;
  if (kind === undefined) throw new Error("no kinds");
  for (const { name, render, spelled } of SURROUNDINGS.filter((one) => one.spelled === undefined)) {
    const secret = kind.make(seeded(1));
    const text = render(kind.key, secret, seeded(2));
    const kept = filterText(text).replaceAll(/\[redacted:[a-z-]+\]/g, secret);
    expect({ name, kept, spelled }).toEqual({ name, kept: text, spelled });
  }
});

test("the corpus is deterministic", () => {
  const once = () => SCENES.map(({ make }) => make(seeded(7)).text);
  expect(once()).toEqual(once());
});
