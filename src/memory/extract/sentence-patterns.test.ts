import { expect, it } from "vitest";
import { SENTENCE_PATTERNS } from "./sentence-patterns.ts";

it.each(SENTENCE_PATTERNS)("a sentence of the kind %s: %s", (_, example, pattern) => {
  expect(example).toMatch(pattern);
});
