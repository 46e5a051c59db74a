// The interface of a model: takes a request with a schema, returns a reply with its cost.
import type { ProviderName } from "../config/schema.ts";

export interface LlmRequest {
  system: string;
  text: string;
  schema: ReplySchema;
  maxOutputTokens: number;
  /** The recorded session's id: a provider with conversations sends all its requests in one. */
  conversation?: string;
  /** More requests with this system prompt follow within minutes, so writing a prompt cache pays. */
  isRepeated?: boolean;
}

export interface ReplySchema {
  name: string;
  about: string;
  /** JSON Schema: every property is required, no others are allowed. */
  json: Readonly<Record<string, unknown>>;
}

export interface LlmReply {
  /** The structured answer; undefined if the reply is only `text`. */
  value: unknown;
  text: string;
  usage: Usage;
  /** The name that the server reports. The configured name may be an alias. */
  model: string;
}

export interface Usage {
  /** All input, cached or not. */
  inputTokens: number;
  outputTokens: number;
  /** Input tokens read from the provider's prompt cache. */
  cacheReadTokens?: number;
  /** Input tokens written to the provider's prompt cache. */
  cacheWriteTokens?: number;
  /** Set if the server reports the cost. */
  costUsd?: number;
  /** The tokens are estimated from the texts, because the server did not report them. */
  isEstimate?: boolean;
}

export interface Provider {
  name: Exclude<ProviderName, "none">;
  model: string;
  /** Changes with the key, the model and the URL. After a failed login, a new fingerprint allows a new attempt. */
  fingerprint: string;
  /** A server in the user's own network has no price per token. */
  isFree?: boolean;
  /** Tokens the provider adds to every request. */
  overheadTokens: number;
  /** Requests that one `complete` may send: Claude Code asks for the rest of a cut-off answer by itself. */
  maxRequests: number;
  /** Throws only LlmError. */
  complete(request: LlmRequest, options?: { signal?: AbortSignal }): Promise<LlmReply>;
  /** Input tokens that a conversation adds to its next request: what was said before. */
  historyTokens?(conversation: string): number;
  /** Ends a conversation and deletes what the provider keeps of it. */
  close?(conversation: string): Promise<void>;
}
