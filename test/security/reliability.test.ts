// docs/reliability.md says what these tests reach: a figure that is no longer true fails here.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { measure } from "../secrets/measure.ts";
import { ATTACKS, LEADS, UNITS } from "./hostile-texts.ts";

const PAGE = readFileSync(resolve(import.meta.dirname, "../../docs/reliability.md"), "utf8");
const figure = (number: number): string => number.toLocaleString("en");

test("the figures of docs/reliability.md are those of the tests", () => {
  const { kinds, planted, missed, nearMisses, falseAlarms } = measure(2);
  const readers = ATTACKS.readers * UNITS.length * LEADS.length + ATTACKS.configs;
  const rows = [
    `| kinds of secrets | ${figure(kinds)} |`,
    `| secrets planted | ${figure(planted)} |`,
    `| taken out | ${figure(planted - missed.length)} (${((100 * (planted - missed.length)) / planted).toFixed(2)}%) |`,
    `| missed | ${figure(missed.length)} |`,
    `| near-misses | ${figure(nearMisses)} |`,
    `| false alarms | ${figure(falseAlarms.length)} |`,
    `| orders planted (${ATTACKS.orders} texts in ${ATTACKS.places} places) | ${figure(ATTACKS.orders * ATTACKS.places)} | ${figure(ATTACKS.orders * ATTACKS.places)} |`,
    `| paths and links | ${figure(ATTACKS.paths)} | ${figure(ATTACKS.paths)} |`,
    `| texts to keep a reader busy | ${figure(readers)} | ${figure(readers)} |`,
  ];
  expect(PAGE.split("\n")).toEqual(expect.arrayContaining(rows));
});
