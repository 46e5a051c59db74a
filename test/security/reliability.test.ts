// Checks that the figures in docs/reliability.md are the results of the tests.
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
const formatted = (number: number): string => number.toLocaleString("en");

const corpusRow = (name: string, corpus: Corpus): string => {
  const { secrets, removed, nearMisses, falseAlarms } = measureCorpus(corpus);
  const share = ((100 * removed) / secrets).toFixed(1);
  return `| ${name} | ${removed} of ${secrets} (${share}%) | ${falseAlarms} of ${nearMisses} |`;
};

test("docs/reliability.md has the figures that the tests measure", () => {
  const { kinds, planted, missed, nearMisses, falseAlarms } = measure(2);
  const slowTexts = ATTACKS.functions * UNITS.length * LEADS.length + ATTACKS.configs;
  const rows = [
    `| kinds of secrets | ${formatted(kinds)} |`,
    `| secrets planted | ${formatted(planted)} |`,
    `| removed | ${formatted(planted - missed.length)} (${((100 * (planted - missed.length)) / planted).toFixed(2)}%) |`,
    `| missed | ${formatted(missed.length)} |`,
    `| near-misses | ${formatted(nearMisses)} |`,
    `| false alarms | ${formatted(falseAlarms.length)} |`,
    corpusRow("`test/secrets/reporting-texts.ts`, not tuned on", REPORTING),
    corpusRow("`test/secrets/tuning/labelled.ts`", LABELLED),
    corpusRow("`test/secrets/tuning/unusual.ts`", UNUSUAL),
    corpusRow("`test/secrets/tuning/everyday.ts`", EVERYDAY),
    corpusRow("`test/secrets/tuning/notations.ts`", NOTATIONS),
    corpusRow("`test/secrets/tuning/hostile.ts`", HOSTILE),
    `| planted instructions (${ATTACKS.instructions} texts in ${ATTACKS.places} places) | ${formatted(ATTACKS.instructions * ATTACKS.places)} | ${formatted(ATTACKS.instructions * ATTACKS.places)} |`,
    `| paths and links | ${formatted(ATTACKS.paths)} | ${formatted(ATTACKS.paths)} |`,
    `| texts that are slow to read | ${formatted(slowTexts)} | ${formatted(slowTexts)} |`,
  ];
  expect(PAGE.split("\n")).toEqual(expect.arrayContaining(rows));
});
