// List prices of models in November 2026, in US dollars per million tokens. The setting `prices` overrides them.
import type { Usage } from "./provider.ts";

export interface Price {
  input: number;
  output: number;
  /** Of input that the provider reads from its prompt cache. Undefined: the full price. */
  cacheRead?: number;
  /** Of input that the provider writes to its prompt cache. Undefined: the full price. */
  cacheWrite?: number;
}

/** input/output/cached input */
const KNOWN: Readonly<Record<string, string>> = {
  // The price for prompts under 100,000 tokens.
  "claude-haiku-5-5": "0.1/0.5/0.01",
  "claude-haiku-4-5": "1/5/0.1",
  "claude-sonnet-5-5": "2/10/0.2",
  "claude-sonnet-5": "2/10/0.2",
  "claude-sonnet-4-6": "3/15/0.3",
  "claude-sonnet-4-5": "3/15/0.3",
  "claude-opus-5-5": "4/20/0.4",
  "claude-opus-5": "5/25/0.5",
  "claude-opus-4-8": "5/25/0.5",
  "claude-opus-4-7": "5/25/0.5",
  "claude-opus-4-6": "5/25/0.5",
  "claude-opus-4-5": "5/25/0.5",
  "claude-fable-5-1": "10/50/1",
  "claude-fable-5": "10/50/1",
  "gpt-5.5": "5/30/0.5",
  "gpt-5.4": "2.5/15/0.25",
  "gpt-5.4-mini": "0.75/4.5/0.075",
  "gpt-5.4-nano": "0.2/1.25/0.02",
  "gemini-3.5-flash-lite": "0.3/2.5/0.03",
};

/** Only Anthropic charges for writing to the cache, for its five minutes 25% more than for other input. */
const CACHE_WRITE = { model: /^claude-/, factor: 1.25 };

/** "claude-haiku-4-5-20251001" and "…-latest" are the same model. */
const SUFFIX = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;
/** OpenRouter's names begin with the vendor, e.g. "openai/gpt-5.4-nano", and it charges the vendor's price. */
const VENDOR = /^(?:anthropic|google|openai)\//;

export function findPrice(model: string, own: Readonly<Record<string, string>>): Price | undefined {
  const name = model.replace(VENDOR, "").replace(SUFFIX, "");
  const names = [model, model.replace(SUFFIX, ""), name];
  // A model named "constructor" finds a function.
  const text = names.map((key) => own[key] ?? KNOWN[key]).find((value) => typeof value === "string");
  const price = text === undefined ? undefined : parsePrice(text);
  if (price === undefined || !CACHE_WRITE.model.test(name)) return price;
  return { ...price, cacheWrite: price.input * CACHE_WRITE.factor };
}

/** "0.25/1.25" -> { input: 0.25, output: 1.25 }; "0.25/1.25/0.025" also has the price of cached input. */
export function parsePrice(text: string): Price | undefined {
  const numbers = text.split("/").map((part) => part.trim());
  if (![2, 3].includes(numbers.length) || !numbers.every((part) => /^\d+(?:\.\d+)?$/.test(part))) return undefined;
  const [input = 0, output = 0, cacheRead] = numbers.map(Number);
  return { input, output, ...(cacheRead !== undefined && { cacheRead }) };
}

/** A higher reported cost is a server's mistake. */
const MAX_COST_USD = 1_000;

export function reportedCost(cost: unknown): { costUsd?: number } {
  return typeof cost === "number" && cost >= 0 && cost < MAX_COST_USD ? { costUsd: cost } : {};
}

/** Without counts of zero: most providers have no cache. */
export function cacheTokens(read = 0, write = 0): Pick<Usage, "cacheReadTokens" | "cacheWriteTokens"> {
  return { ...(read > 0 && { cacheReadTokens: read }), ...(write > 0 && { cacheWriteTokens: write }) };
}

/** In millionths of a dollar, rounded up, so that the real cost is never above a limit that this cost keeps. */
export function costMicroUsd(price: Price, usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  const uncached = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const cost = uncached * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output;
  // Without rounding first, 10 × 0.3 is above 3.
  return Math.ceil(Number(cost.toFixed(6)));
}
