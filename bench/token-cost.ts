// Computes what requests cost if each is sent on its own, or if all requests of a session are one conversation, in which
// every request carries the earlier ones with their replies.

export interface Tokens {
  purpose: string;
  at: number;
  /** The part of the input that is the same in each request of its purpose: system prompt and schema. */
  fixed: number;
  input: number;
  output: number;
}

/** "ttl": a cache expires after five minutes without use. "always": it never does. */
export type Cache = "none" | "ttl" | "always";

/** Anthropic's prices, relative to uncached input. */
const READ = 0.1;
const WRITE = 1.25;
const TTL_MS = 5 * 60_000;

/** Only the fixed part can be cached. It is written only if another request will read it, as the worker knows. */
export function separately(requests: readonly Tokens[], cache: Cache): number {
  return requests.reduce((sum, { purpose, at, fixed, input }, index) => {
    if (cache === "none") return sum + input;
    const isNear = (other: Tokens | undefined): boolean =>
      other !== undefined && other.purpose === purpose && (cache === "always" || Math.abs(other.at - at) <= TTL_MS);
    const price = isNear(requests[index - 1]) ? READ : isNear(requests[index + 1]) ? WRITE : 1;
    return sum + fixed * price + (input - fixed);
  }, 0);
}

export function inConversation(requests: readonly Tokens[], cache: Cache): number {
  let cost = 0;
  /** Everything that was sent and received so far, and how much of it is in the cache. */
  let [said, cached] = [0, 0];
  for (const [index, { at, fixed, input, output }] of requests.entries()) {
    const before = requests[index - 1];
    // The system prompt is sent once, and the task of a session's own request is then part of its text.
    const added = before === undefined || before.fixed !== fixed ? input : input - fixed;
    const isExpired = before !== undefined && cache === "ttl" && at - before.at > TTL_MS;
    if (isExpired) cached = 0;
    cost += cache === "none" ? said + added : cached * READ + (said - cached + added) * WRITE;
    cached = said + added;
    said += added + output;
  }
  return cost;
}
