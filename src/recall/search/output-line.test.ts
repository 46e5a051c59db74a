import { describe, expect, it } from "vitest";
import { outputPhrases } from "./output-line.ts";

const phrases = (text: string): string[] =>
  outputPhrases(text).map((step) => step.map((words) => words.join(" ")).join(" | "));

describe("a query that is a line of output", () => {
  it.each([
    [
      "TimeoutError: locator.click: Timeout 5000ms exceeded in page.",
      [
        "TimeoutError locator click Timeout 5000ms exceeded in page",
        "TimeoutError locator click Timeout | exceeded in page",
      ],
    ],
    ["zsh:1: no such file or directory: scripts/send.sh", ["no such file or directory scripts send sh"]],
    [
      "fatal: Unable to create '/home/me/shop/.git/index.lock': File exists.",
      ["Unable to create home me shop git index lock File exists", "Unable to create | File exists"],
    ],
    ["  1053 │   }, [summary.total]);", ["1053 summary total"]],
    ["-q, --quiet     Print errors only", ["q quiet Print errors only"]],
  ])("%s", (line, expected) => {
    expect(phrases(line)).toEqual(expected);
  });

  it.each([
    "how does the cart compute its total",
    "fix(cart): reject an unknown item",
    "src/cart.ts",
    "error 42",
    "Please implement this plan:\n\n- add a cart that fails on unknown items\n- then test it",
    `I tried to start the shop and it failed, so please ${"look into every part of the cart and ".repeat(5)} tell me why`,
  ])("not: %s", (text) => {
    expect(phrases(text)).toEqual([]);
  });
});
