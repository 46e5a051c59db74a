import { describe, expect, it } from "vitest";
import { failedCost, likelyCost, maximumCost, replyCost } from "./budget.ts";
import type { LlmRequest, Provider } from "./provider.ts";

const LIKELY = { inputTokens: 1_000, outputTokens: 600, costMicroUsd: 70 };
const SETTINGS = { tokensPerDay: 1, tokensPerProjectAndDay: 1, usdPerDay: 1, usdPerProjectAndDay: 1, prices: {} };
const PROVIDER = { name: "openai", model: "gpt-5.4-nano", overheadTokens: 100, maxRequests: 4 } as Provider;
const COUNTED = { inputTokens: 10, outputTokens: 4 };
const NOTHING = { inputTokens: 0, outputTokens: 0 };

describe("the booked cost", () => {
  it("of a reply is the cost that the server reports, or an estimate", () => {
    expect(replyCost(COUNTED, LIKELY, PROVIDER, SETTINGS)).toEqual({ ...COUNTED, costMicroUsd: 7, isEstimate: false });
    expect(replyCost({ ...COUNTED, isEstimate: true }, LIKELY, PROVIDER, SETTINGS)).toMatchObject({ isEstimate: true });
    expect(replyCost(NOTHING, LIKELY, PROVIDER, SETTINGS)).toEqual({ ...LIKELY, isEstimate: true });
  });

  it("of a failed request is the reported cost, zero, or an estimate if it may be billed", () => {
    const none = { inputTokens: 0, outputTokens: 0, costMicroUsd: 0, isEstimate: false };
    expect(failedCost(COUNTED, LIKELY, PROVIDER, SETTINGS)).toMatchObject({ ...COUNTED, isEstimate: false });
    expect(failedCost(NOTHING, LIKELY, PROVIDER, SETTINGS)).toEqual(none);
    expect(failedCost("nothing", LIKELY, PROVIDER, SETTINGS)).toEqual(none);
    expect(failedCost("unknown", LIKELY, PROVIDER, SETTINGS)).toEqual({ ...LIKELY, isEstimate: true });
  });

  it("is estimated for one request, and reserved for the maximum number of requests", () => {
    const request = { system: "a".repeat(4_000), text: "", schema: { json: {} }, maxOutputTokens: 600 } as LlmRequest;
    const [likely, most] = [likelyCost(request, PROVIDER, SETTINGS), maximumCost(request, PROVIDER, SETTINGS)];
    expect(likely.outputTokens).toBe(600);
    expect(most.outputTokens).toBe(2_400);
    expect(most.inputTokens).toBeGreaterThan(likely.inputTokens * 4);
  });

  it("has the cached input at its own price", () => {
    const usage = { inputTokens: 1_000, outputTokens: 0, cacheReadTokens: 900, cacheWriteTokens: 0 };
    const { costMicroUsd, ...tokens } = replyCost(usage, LIKELY, PROVIDER, SETTINGS);
    expect([costMicroUsd, tokens]).toEqual([Math.ceil(100 * 0.2 + 900 * 0.02), { ...usage, isEstimate: false }]);
    expect(replyCost({ ...usage, costUsd: 0.000007 }, LIKELY, PROVIDER, SETTINGS).costMicroUsd).toBe(7);
  });

  it("is reserved as if all input were written to the cache, which costs more", () => {
    const request = { system: "", text: "a".repeat(4_000), schema: { json: {} }, maxOutputTokens: 0 } as LlmRequest;
    const claude = { name: "anthropic", model: "claude-haiku-4-5", overheadTokens: 0, maxRequests: 1 } as Provider;
    const { inputTokens, costMicroUsd = 0 } = maximumCost(request, claude, SETTINGS);
    expect(costMicroUsd).toBe(Math.ceil(inputTokens * 1.25));
  });

  it("includes what a conversation said before", () => {
    const request = { system: "", text: "a", schema: { json: {} }, maxOutputTokens: 0 } as LlmRequest;
    const provider: Provider = { ...PROVIDER, historyTokens: (name) => (name === "long" ? 5_000 : 0) };
    const likely = (conversation: string) => likelyCost({ ...request, conversation }, provider, SETTINGS).inputTokens;
    expect(likely("long") - likely("new")).toBe(5_000);
  });

  it("of a model on a server of the user's own is zero, unless the settings have a price", () => {
    const local = { ...PROVIDER, name: "ollama", model: "gemma4", isFree: true } as const;
    expect(replyCost(COUNTED, LIKELY, local, SETTINGS).costMicroUsd).toBe(0);
    expect(replyCost(COUNTED, LIKELY, local, { ...SETTINGS, prices: { gemma4: "1/1" } }).costMicroUsd).toBe(14);
  });
});
