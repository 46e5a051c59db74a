// List prices of models in November 2026, in US dollars per million tokens. The setting `prices` overrides them.

export interface Price {
  input: number;
  output: number;
}

const KNOWN: Readonly<Record<string, string>> = {
  // The price for prompts under 100,000 tokens.
  "claude-haiku-5-5": "0.1/0.5",
  "claude-haiku-4-5": "1/5",
  "claude-sonnet-5-5": "2/10",
  "claude-sonnet-5": "2/10",
  "claude-sonnet-4-6": "3/15",
  "claude-sonnet-4-5": "3/15",
  "claude-opus-5-5": "4/20",
  "claude-opus-5": "5/25",
  "claude-opus-4-8": "5/25",
  "claude-opus-4-7": "5/25",
  "claude-opus-4-6": "5/25",
  "claude-opus-4-5": "5/25",
  "claude-fable-5-1": "10/50",
  "claude-fable-5": "10/50",
  "gpt-5.5": "5/30",
  "gpt-5.4": "2.5/15",
  "gpt-5.4-mini": "0.75/4.5",
  "gpt-5.4-nano": "0.2/1.25",
  "gemini-3.5-flash-lite": "0.3/2.5",
};

/** "claude-haiku-4-5-20251001" and "…-latest" are the same model. */
const SUFFIX = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

export function findPrice(model: string, own: Readonly<Record<string, string>>): Price | undefined {
  const names = [model, model.replace(SUFFIX, "")];
  const text = names.map((name) => own[name] ?? KNOWN[name]).find((price) => price !== undefined);
  return text === undefined ? undefined : parsePrice(text);
}

/** "0.25/1.25" -> { input: 0.25, output: 1.25 } */
export function parsePrice(text: string): Price | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)\s*$/.exec(text);
  return match === null ? undefined : { input: Number(match[1]), output: Number(match[2]) };
}

/** A higher reported cost is a server's mistake. */
const MAX_COST_USD = 1_000;

export function reportedCost(cost: unknown): { costUsd?: number } {
  return typeof cost === "number" && cost >= 0 && cost < MAX_COST_USD ? { costUsd: cost } : {};
}

/** In millionths of a dollar, rounded up, so that the real cost is never above a limit that this cost keeps. */
export function costMicroUsd(price: Price, tokens: { inputTokens: number; outputTokens: number }): number {
  return Math.ceil(tokens.inputTokens * price.input + tokens.outputTokens * price.output);
}
