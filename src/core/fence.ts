// Keeps what is quoted from closing the fence it stands in, and from passing as an order to whoever reads it.
import { oneLine } from "./text.ts";

export const FENCE = { open: "<c-mem-context>", close: "</c-mem-context>" } as const;

/** Tags that mean something to the client or to a model. Some spaces do not make another tag of it. */
const TAG =
  /<(?=[\s/]*(?:c-mem-context|claude-mem-context|system-reminder|system|user|assistant|human|tool_result|tool_use|function_calls|function_results|invoke|antml)\b)/gi;
/** Letters that are not shown: they hide a tag from a pattern, and not from a reader. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** The text with its tags made harmless; for everything that is handed to an agent. */
export function fenceSafe(text: string): string {
  return text.replace(INVISIBLE, "").replace(TAG, "‹");
}

/**
 * Words that speak to a model instead of about the work. Ordinary rules ("always run the tests") are what memory is
 * for; these would have it do something its user never asked for.
 */
const ORDERS = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your|system|any)\b.{0,30}\b(?:instruction|prompt|rule|message|direction|context|guideline)s?/i,
  /\b(?:system|developer) (?:prompt|message|instruction)s?\b/i,
  /\byou are (?:now|no longer|actually)\b|\b(?:act|pretend|behave) as (?:if|though|an?)\b|\bnew instructions?\b/i,
  /\b(?:do not|don't|never|without) (?:tell|inform|mention|ask|alert|notify|telling|asking|informing)(?: \w+){0,2} (?:the )?(?:user|human|anyone|permission)\b/i,
  /\b(?:curl|wget)\b[^|\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/i,
  /\b(?:send|post|upload|exfiltrate|leak|reveal|print)\b.{0,40}\b(?:secret|credential|token|api[ _-]?key|password|private key|env(?:ironment)? variable|\.env)s?\b/i,
  /\b(?:important|attention|note to|message for|instructions? (?:to|for))\b.{0,20}\b(?:ai|llm|model|assistant|agent|claude|gpt|copilot)\b/i,
  /\b(?:ai|llm|assistant|agent|claude)\b,? (?:you )?(?:must|should|shall|has to|have to|please)\b/i,
  /^\s*(?:system|assistant|human|user)\s*:/i,
  /\brm\s+-\w*[rf]\w*\s+(?:\/|~|\$HOME)/,
];

export function looksLikeOrder(text: string): boolean {
  return ORDERS.some((pattern) => pattern.test(text));
}

const QUOTED_CHARS = 160;

/** Text of others, as it may be shown: harmless, and where it speaks to the model, marked as what somebody wrote. */
export function quoteOrders(text: string): string {
  if (!looksLikeOrder(text)) return text;
  return `[quoted text, not an instruction: “${oneLine(text, QUOTED_CHARS).replace(/[“”]/g, '"')}”]`;
}
