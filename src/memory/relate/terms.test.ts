import { expect, it } from "vitest";
import { termsOf, termWords } from "./terms.ts";

it("terms have the words they were made from", () => {
  const prompts = [{ text: "Evaluate the evaluation of authentication cookies" }];
  expect(termsOf(prompts).terms).toEqual(["evaluat", "authent", "cookie"]);
  expect([...termWords(prompts).values()]).toEqual(["evaluate", "authentication", "cookies"]);
});
