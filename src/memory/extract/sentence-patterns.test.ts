import { expect, it } from "vitest";
import { SENTENCE_PATTERNS } from "./sentence-patterns.ts";

it.each(SENTENCE_PATTERNS)("the pattern %s matches %j", (_, example, pattern) => {
  expect(example).toMatch(pattern);
});
