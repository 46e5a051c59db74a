import { describe, expect, it } from "vitest";
import { checkNames, readChoice, readFlag, readIds, readText, requireText } from "./args.ts";

describe("arguments", () => {
  it("are read as they should come, and nearly so", () => {
    expect(readText({ query: "  words  " }, "query")).toBe("words");
    expect(readText({ query: " " }, "query")).toBeUndefined();
    expect(readIds({ ids: ["o1", " p2 ", 3, "4", "o1"] }, "ids")).toEqual(["o1", "p2", "o3", "o4"]);
    expect(readIds({ ids: "o1, t2" }, "ids")).toEqual(["o1", "t2"]);
    expect(readChoice({ type: "bugfix" }, "type", ["bugfix"])).toBe("bugfix");
    expect(readFlag({}, "confirm")).toBe(false);
  });

  it.each<[string, () => unknown, string]>([
    ["a number for a text", () => readText({ query: 5 }, "query"), "must be a text"],
    ["an object for a text", () => readText({ query: { a: 1 } }, "query"), "must be a text"],
    ["a megabyte", () => readText({ query: "a".repeat(1_000_000) }, "query"), "longer than"],
    ["a NUL", () => readText({ query: "a\0b" }, "query"), "NUL"],
    ["nothing", () => requireText({ text: "" }, "text"), "missing"],
    ["no ids", () => readIds({ ids: [] }, "ids"), "missing"],
    [
      "too many ids",
      () => readIds({ ids: Array.from({ length: 21 }, (_, index) => index + 1) }, "ids"),
      "more than 20",
    ],
    ["what is no id", () => readIds({ ids: [null] }, "ids"), "no id"],
    ["an id with a NUL", () => readIds({ ids: ["o1\0"] }, "ids"), "no id"],
    ["a type there is not", () => readChoice({ type: "bug" }, "type", ["bugfix"]), "One of"],
    ["a word for a flag", () => readFlag({ confirm: "yes" }, "confirm"), "true or false"],
    ["an argument there is not", () => checkNames({ q: 1 }, ["query"]), "There are: query"],
  ])("are refused with a reason: %s", (_, read, reason) => {
    const told = ((): string => {
      try {
        return String(read());
      } catch (error) {
        const { message, hint } = error as { message: string; hint?: string };
        return `${message} ${hint ?? ""}`;
      }
    })();
    expect(told).toContain(reason);
  });
});
