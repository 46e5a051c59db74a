// A model as the rest of the program sees it: a request with a schema in, a reply with its cost out.
import type { ProviderName } from "../config/schema.ts";

export interface LlmRequest {
  system: string;
  text: string;
  schema: ReplySchema;
  maxOutputTokens: number;
}

export interface ReplySchema {
  name: string;
  about: string;
  /** JSON Schema: every property is required, no others are allowed. */
  json: Readonly<Record<string, unknown>>;
}

export interface LlmReply {
  /** The structured answer; undefined where the reply is only `text`. */
  value: unknown;
  text: string;
  usage: Usage;
  /** As the server names it; the configured name may be an alias. */
  model: string;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Where the server reports it. */
  costUsd?: number;
  /** Estimated from the texts: the server did not count. */
  isEstimate?: boolean;
}

export interface Provider {
  name: Exclude<ProviderName, "none">;
  model: string;
  /** Changes with everything that could fix a refused login: key, model, address. */
  fingerprint: string;
  /** Tokens the provider adds to every request. */
  overheadTokens: number;
  /** Requests it may send for one of ours: some continue by themselves when an answer is cut off. */
  maxRequests: number;
  /** Throws only LlmError. */
  complete(request: LlmRequest, options?: { signal?: AbortSignal }): Promise<LlmReply>;
}
