// docs/reliability.md says what these tests reach: a figure that is no longer true fails here.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { measure } from "../secrets/measure.ts";
import { type Corpus, measureCorpus } from "../secrets/measure-corpus.ts";
import { CORPUS as REPORTING } from "../secrets/reporting-texts.ts";
import { CORPUS as EVERYDAY } from "../secrets/tuning/everyday.ts";
import { CORPUS as HOSTILE } from "../secrets/tuning/hostile.ts";
import { CORPUS as LABELLED } from "../secrets/tuning/labelled.ts";
import { CORPUS as NOTATIONS } from "../secrets/tuning/notations.ts";
import { CORPUS as UNUSUAL } from "../secrets/tuning/unusual.ts";
import { ATTACKS, LEADS, UNITS } from "./hostile-texts.ts";

const PAGE = readFileSync(resolve(import.meta.dirname, "../../docs/reliability.md"), "utf8");
const figure = (number: number): string => number.toLocaleString("en");

const corpusRow = (name: string, corpus: Corpus): string => {
  const { secrets, removed, nearMisses, falseAlarms } = measureCorpus(corpus);
  const share = ((100 * removed) / secrets).toFixed(1);
  return `| ${name} | ${removed} of ${secrets} (${share}%) | ${falseAlarms} of ${nearMisses} |`;
};

test("the figures of docs/reliability.md are those of the tests", () => {
  const { kinds, planted, missed, nearMisses, falseAlarms } = measure(2);
  const readers = ATTACKS.readers * UNITS.length * LEADS.length + ATTACKS.configs;
  const rows = [
    `| kinds of secrets | ${figure(kinds)} |`,
    `| secrets planted | ${figure(planted)} |`,
    `| removed | ${figure(planted - missed.length)} (${((100 * (planted - missed.length)) / planted).toFixed(2)}%) |`,
    `| missed | ${figure(missed.length)} |`,
    `| near-misses | ${figure(nearMisses)} |`,
    `| false alarms | ${figure(falseAlarms.length)} |`,
    corpusRow("`test/secrets/reporting-texts.ts`, not tuned on", REPORTING),
    corpusRow("`test/secrets/tuning/labelled.ts`", LABELLED),
    corpusRow("`test/secrets/tuning/unusual.ts`", UNUSUAL),
    corpusRow("`test/secrets/tuning/everyday.ts`", EVERYDAY),
    corpusRow("`test/secrets/tuning/notations.ts`", NOTATIONS),
    corpusRow("`test/secrets/tuning/hostile.ts`", HOSTILE),
    `| planted instructions (${ATTACKS.orders} texts in ${ATTACKS.places} places) | ${figure(ATTACKS.orders * ATTACKS.places)} | ${figure(ATTACKS.orders * ATTACKS.places)} |`,
    `| paths and links | ${figure(ATTACKS.paths)} | ${figure(ATTACKS.paths)} |`,
    `| texts that are slow to read | ${figure(readers)} | ${figure(readers)} |`,
  ];
  expect(PAGE.split("\n")).toEqual(expect.arrayContaining(rows));
});
