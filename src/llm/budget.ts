// What a question may take at most, before it is asked, and what it took, after.
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

/** The most a question can take: more than its words, and the longest answer allowed. */
export function mostOf(request: LlmRequest, provider: Provider, settings: BudgetSettings): Cost {
  const words = [request.system, request.text, JSON.stringify(request.schema.json)];
  const estimated = words.reduce((sum, text) => sum + estimateTokens(text), provider.overheadTokens);
  const times = provider.requestsAtMost;
  // What goes on from a cut answer is sent that answer as well.
  const inputTokens = Math.ceil(estimated * SAFETY) * times + request.maxOutputTokens * (times - 1);
  return costOf({ inputTokens, outputTokens: request.maxOutputTokens * times }, provider, settings);
}

/** What is entered once it is over; where nobody can say, what was reserved stands. */
export function actualCost(spent: Spent, reserved: Cost, provider: Provider, settings: BudgetSettings): Cost {
  if (spent === "unknown" || isUncounted(spent)) return reserved;
  if (spent === "nothing") return { inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
  return costOf(spent, provider, settings);
}

/** No question is without words: who counts none does not count, and would be asked without end. */
function isUncounted(spent: Spent): boolean {
  return typeof spent === "object" && spent.inputTokens === 0 && spent.costUsd === undefined;
}

function costOf(usage: Usage, provider: Provider, settings: BudgetSettings): Cost {
  const { inputTokens, outputTokens, costUsd } = usage;
  if (costUsd !== undefined) return { inputTokens, outputTokens, costMicroUsd: Math.ceil(costUsd * 1e6) };
  const price = priceOf(provider, settings);
  return { inputTokens, outputTokens, costMicroUsd: price && costMicroUsd(price, usage) };
}

/** The client's short names stand for its newest models, whose prices it reckons with itself. */
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
