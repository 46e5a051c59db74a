import { describe, expect, it } from "vitest";
import { actualCost } from "./budget.ts";
import type { Provider } from "./provider.ts";

const RESERVED = { inputTokens: 1_000, outputTokens: 600, costMicroUsd: 70 };
const SETTINGS = { tokensPerDay: 1, tokensPerProjectAndDay: 1, usdPerDay: 1, usdPerProjectAndDay: 1, prices: {} };
const PROVIDER = { name: "openai", model: "gpt-5.4-nano" } as Provider;

describe("what is entered for a question", () => {
  it("is what the server counted, and what was reserved where it counts nothing", () => {
    const counted = { inputTokens: 10, outputTokens: 4 };
    expect(actualCost(counted, RESERVED, PROVIDER, SETTINGS)).toEqual({ ...counted, costMicroUsd: 7 });
    for (const spent of ["unknown", { inputTokens: 0, outputTokens: 0 }] as const) {
      expect(actualCost(spent, RESERVED, PROVIDER, SETTINGS)).toEqual(RESERVED);
    }
    expect(actualCost("nothing", RESERVED, PROVIDER, SETTINGS).inputTokens).toBe(0);
  });
});
