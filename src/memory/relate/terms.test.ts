import { expect, it } from "vitest";
import { sessionTerms } from "./terms.ts";

it("terms map to the words they were made from", () => {
  const prompts = [{ text: "Evaluate the evaluation of authentication cookies" }];
  expect([...sessionTerms(prompts).terms]).toEqual([
    ["evaluat", "evaluate"],
    ["authent", "authentication"],
    ["cookie", "cookies"],
  ]);
});
