// docs/reliability.md says what these tests reach: a figure that is no longer true fails here.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { CORPUS as AUDIT } from "../secrets/audit-texts.ts";
import { measure } from "../secrets/measure.ts";
import { type Corpus, measureCorpus } from "../secrets/measure-corpus.ts";
import { CORPUS as TUNING } from "../secrets/tuning-texts.ts";
import { CORPUS as UNSEEN } from "../secrets/unseen-texts.ts";
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
    `| taken out | ${figure(planted - missed.length)} (${((100 * (planted - missed.length)) / planted).toFixed(2)}%) |`,
    `| missed | ${figure(missed.length)} |`,
    `| near-misses | ${figure(nearMisses)} |`,
    `| false alarms | ${figure(falseAlarms.length)} |`,
    corpusRow("`test/secrets/tuning-texts.ts`, tuned on", TUNING),
    corpusRow("`test/secrets/unseen-texts.ts`, unusual places", UNSEEN),
    corpusRow("`test/secrets/audit-texts.ts`, everyday texts", AUDIT),
    `| orders planted (${ATTACKS.orders} texts in ${ATTACKS.places} places) | ${figure(ATTACKS.orders * ATTACKS.places)} | ${figure(ATTACKS.orders * ATTACKS.places)} |`,
    `| paths and links | ${figure(ATTACKS.paths)} | ${figure(ATTACKS.paths)} |`,
    `| texts to keep a reader busy | ${figure(readers)} | ${figure(readers)} |`,
  ];
  expect(PAGE.split("\n")).toEqual(expect.arrayContaining(rows));
});
