import { describe, expect, it } from "vitest";
import { costMicroUsd, findPrice, parsePrice } from "./price.ts";

describe("the price of a model", () => {
  it.each([
    ["claude-haiku-5-5", { input: 0.1, output: 0.5 }],
    ["claude-haiku-4-5-20251001", { input: 1, output: 5 }],
    ["gpt-5.4-nano-2026-03-17", { input: 0.2, output: 1.25 }],
    ["gpt-5.4", { input: 2.5, output: 15 }],
    ["gpt-5.4-turbo", undefined],
    ["llama3.2", undefined],
    ["constructor", undefined],
  ])("%s is %j", (model, expected) => {
    expect(findPrice(model, {})).toEqual(expected);
  });

  it("comes from the settings first", () => {
    expect(findPrice("llama3.2", { "llama3.2": "0/0" })).toEqual({ input: 0, output: 0 });
    expect(findPrice("claude-haiku-5-5", { "claude-haiku-5-5": "9 / 9.5" })).toEqual({ input: 9, output: 9.5 });
  });

  it.each(["", "1", "1/", "a/b", "-1/2", "1/2/3"])("%j is not a price", (text) => {
    expect(parsePrice(text)).toBeUndefined();
  });

  it("is rounded up, never down", () => {
    expect(costMicroUsd({ input: 0.1, output: 0.5 }, { inputTokens: 1, outputTokens: 0 })).toBe(1);
    expect(costMicroUsd({ input: 1, output: 5 }, { inputTokens: 1_000_000, outputTokens: 200_000 })).toBe(2_000_000);
  });
});
