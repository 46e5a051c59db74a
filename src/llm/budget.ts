// What a request may cost at most, before it is sent, and what it cost, after.
import type { Settings } from "../config/schema.ts";
import { estimateTokens } from "../core/tokens.ts";
import type { Spent } from "./error.ts";
import { costMicroUsd, findPrice, type Price } from "./price.ts";
import type { LlmRequest, Provider, Usage } from "./provider.ts";

/** The estimate is within a few percent of the common tokenisers; the newest count up to a third more. */
const SAFETY = 1.5;

export interface Cost {
  inputTokens: number;
  outputTokens: number;
  /** Undefined: the price is not known. */
  costMicroUsd: number | undefined;
}

export type BudgetSettings = Pick<
  Settings,
  "tokensPerDay" | "tokensPerProjectAndDay" | "usdPerDay" | "usdPerProjectAndDay" | "prices"
>;

/** The most a request can cost: more than its text, and the longest answer, for every request the provider may send. */
export function maximumCost(request: LlmRequest, provider: Provider, settings: BudgetSettings): Cost {
  const times = provider.maxRequests;
  // A request that continues a cut-off answer sends that answer too.
  const inputTokens =
    Math.ceil(inputTokensOf(request, provider) * SAFETY) * times + request.maxOutputTokens * (times - 1);
  return costOf({ inputTokens, outputTokens: request.maxOutputTokens * times }, provider, settings);
}

/** For a request whose cost stays unknown: sent once, with the longest answer. */
export function likelyCost(request: LlmRequest, provider: Provider, settings: BudgetSettings): Cost {
  const usage = { inputTokens: inputTokensOf(request, provider), outputTokens: request.maxOutputTokens };
  return costOf(usage, provider, settings);
}

function inputTokensOf(request: LlmRequest, provider: Provider): number {
  const words = [request.system, request.text, JSON.stringify(request.schema.json)];
  return words.reduce((sum, text) => sum + estimateTokens(text), provider.overheadTokens);
}

export interface ActualCost extends Cost {
  isEstimate: boolean;
}

/** A server that reports no tokens gets the estimate: counted as 0 it would have no limit. */
export function replyCost(usage: Usage, likely: Cost, provider: Provider, settings: BudgetSettings): ActualCost {
  if (isEmpty(usage)) return { ...likely, isEstimate: true };
  return { ...costOf(usage, provider, settings), isEstimate: usage.isEstimate === true };
}

/** An estimate where the request may be billed. */
export function failedCost(spent: Spent, likely: Cost, provider: Provider, settings: BudgetSettings): ActualCost {
  if (spent === "unknown") return { ...likely, isEstimate: true };
  if (spent === "nothing" || isEmpty(spent)) return { ...NOTHING, isEstimate: false };
  return { ...costOf(spent, provider, settings), isEstimate: spent.isEstimate === true };
}

const NOTHING: Cost = { inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

function isEmpty({ inputTokens, costUsd }: Usage): boolean {
  return inputTokens === 0 && costUsd === undefined;
}

function costOf(usage: Usage, provider: Provider, settings: BudgetSettings): Cost {
  const { inputTokens, outputTokens, costUsd } = usage;
  if (costUsd !== undefined) return { inputTokens, outputTokens, costMicroUsd: Math.ceil(costUsd * 1e6) };
  const price = priceOf(provider, settings);
  return { inputTokens, outputTokens, costMicroUsd: price && costMicroUsd(price, usage) };
}

/** Claude Code's short names stand for its newest models. */
const ALIASES: Readonly<Record<string, string>> = {
  haiku: "claude-haiku-5-5",
  sonnet: "claude-sonnet-5-5",
  opus: "claude-opus-5-5",
};

export function priceOf(
  { name, model }: Pick<Provider, "name" | "model">,
  settings: BudgetSettings,
): Price | undefined {
  return findPrice(name === "claude" ? (ALIASES[model] ?? model) : model, settings.prices);
}
