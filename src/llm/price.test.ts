import { describe, expect, it } from "vitest";
import { costMicroUsd, findPrice, parsePrice } from "./price.ts";

describe("the price of a model", () => {
  it.each([
    ["claude-haiku-5-5", { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 }],
    ["claude-haiku-4-5-20251001", { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }],
    ["gpt-5.4-nano-2026-03-17", { input: 0.2, output: 1.25, cacheRead: 0.02 }],
    ["gpt-5.4", { input: 2.5, output: 15, cacheRead: 0.25 }],
    ["openai/gpt-5.4-nano", { input: 0.2, output: 1.25, cacheRead: 0.02 }],
    ["someone/gpt-5.4-nano", undefined],
    ["gpt-5.4-turbo", undefined],
    ["llama3.2", undefined],
    ["constructor", undefined],
  ])("%s is %j", (model, expected) => {
    expect(findPrice(model, {})).toEqual(expected);
  });

  it("comes from the settings first", () => {
    expect(findPrice("llama3.2", { "llama3.2": "0/0" })).toEqual({ input: 0, output: 0 });
    expect(findPrice("claude-haiku-5-5", { "claude-haiku-5-5": "8 / 9.5" })).toEqual({
      input: 8,
      output: 9.5,
      cacheWrite: 10,
    });
    expect(findPrice("llama3.2", { "llama3.2": "1/2/0.5" })).toEqual({ input: 1, output: 2, cacheRead: 0.5 });
  });

  it.each(["", "1", "1/", "a/b", "-1/2", "1/2/3/4", "1/2/"])("%j is not a price", (text) => {
    expect(parsePrice(text)).toBeUndefined();
  });

  it("is rounded up, never down", () => {
    expect(costMicroUsd({ input: 0.1, output: 0.5 }, { inputTokens: 1, outputTokens: 0 })).toBe(1);
    expect(costMicroUsd({ input: 1, output: 5 }, { inputTokens: 1_000_000, outputTokens: 200_000 })).toBe(2_000_000);
    expect(costMicroUsd({ input: 0.3, output: 0 }, { inputTokens: 10, outputTokens: 0 })).toBe(3);
  });

  it("counts cached input at its own price, or at the full price if that is unknown", () => {
    const usage = { inputTokens: 1_000, outputTokens: 0, cacheReadTokens: 600, cacheWriteTokens: 300 };
    expect(costMicroUsd({ input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }, usage)).toBe(100 + 60 + 375);
    expect(costMicroUsd({ input: 1, output: 5 }, usage)).toBe(1_000);
  });
});
