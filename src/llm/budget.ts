// Computes the maximum cost of a request before it is sent, and its cost afterwards.
import type { Settings } from "../config/schema.ts";
import { estimateTokens } from "../core/tokens.ts";
import type { Spent } from "./error.ts";
import { isProgram } from "./presets.ts";
import { costMicroUsd, findPrice, type Price } from "./price.ts";
import type { LlmRequest, Provider, Usage } from "./provider.ts";

/** The estimate is within a few percent of common tokenisers, but the newest ones count up to a third more tokens. */
const SAFETY = 1.5;

export interface Cost {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  /** Undefined if the price is not known. */
  costMicroUsd: number | undefined;
}

export type BudgetSettings = Pick<
  Settings,
  "tokensPerDay" | "tokensPerProjectAndDay" | "usdPerDay" | "usdPerProjectAndDay" | "prices"
>;

/** The maximum: the estimate times SAFETY and the longest answer, for `maxRequests` requests. */
export function maximumCost(request: LlmRequest, provider: Provider, settings: BudgetSettings): Cost {
  const times = provider.maxRequests;
  // A request for the rest of a cut-off answer also sends that answer.
  const inputTokens =
    Math.ceil(inputTokensOf(request, provider) * SAFETY) * times + request.maxOutputTokens * (times - 1);
  const usage = { inputTokens, outputTokens: request.maxOutputTokens * times };
  // Writing to the prompt cache costs more than other input.
  const cost = costOf({ ...usage, cacheWriteTokens: inputTokens }, provider, settings);
  return { ...usage, costMicroUsd: cost.costMicroUsd };
}

/** Booked for a request whose cost is unknown: one request with the longest answer. */
export function likelyCost(request: LlmRequest, provider: Provider, settings: BudgetSettings): Cost {
  const usage = { inputTokens: inputTokensOf(request, provider), outputTokens: request.maxOutputTokens };
  return costOf(usage, provider, settings);
}

function inputTokensOf(request: LlmRequest, provider: Provider): number {
  const words = [request.system, request.text, JSON.stringify(request.schema.json)];
  const history = request.conversation === undefined ? 0 : (provider.historyTokens?.(request.conversation) ?? 0);
  return words.reduce((sum, text) => sum + estimateTokens(text), provider.overheadTokens + history);
}

export interface ActualCost extends Cost {
  isEstimate: boolean;
}

/** If the server reports no tokens, the estimate is booked: with 0 the budget would never be reached. */
export function replyCost(usage: Usage, likely: Cost, provider: Provider, settings: BudgetSettings): ActualCost {
  if (isEmpty(usage)) return { ...likely, isEstimate: true };
  return { ...costOf(usage, provider, settings), isEstimate: usage.isEstimate === true };
}

/** Returns the estimate if it is unknown whether the server billed the request. */
export function failedCost(spent: Spent, likely: Cost, provider: Provider, settings: BudgetSettings): ActualCost {
  if (spent === "unknown") return { ...likely, isEstimate: true };
  if (spent === "nothing" || isEmpty(spent)) return { ...NOTHING, isEstimate: false };
  return { ...costOf(spent, provider, settings), isEstimate: spent.isEstimate === true };
}

const NOTHING: Cost = { inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

function isEmpty({ inputTokens, costUsd }: Usage): boolean {
  return inputTokens === 0 && costUsd === undefined;
}

export function costOf(usage: Usage, provider: Provider, settings: BudgetSettings): Cost {
  const { costUsd, isEstimate: _, ...tokens } = usage;
  // Rounded first, because 0.000007 * 1e6 is above 7.
  if (costUsd !== undefined) return { ...tokens, costMicroUsd: Math.ceil(Number((costUsd * 1e6).toFixed(6))) };
  const price = priceOf(provider, settings);
  return { ...tokens, costMicroUsd: price && costMicroUsd(price, usage) };
}

/** Claude Code's short names mean its newest models. */
const ALIASES: Readonly<Record<string, string>> = {
  haiku: "claude-haiku-5-5",
  sonnet: "claude-sonnet-5-5",
  opus: "claude-opus-5-5",
};

export function priceOf(
  { name, model, isFree = false }: Pick<Provider, "name" | "model" | "isFree">,
  settings: BudgetSettings,
): Price | undefined {
  if (isFree && settings.prices[model] === undefined) return { input: 0, output: 0 };
  return findPrice(isProgram(name) ? (ALIASES[model] ?? model) : model, settings.prices);
}
