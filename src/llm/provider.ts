// What the rest of the program knows of a model: a question with a schema goes in, an answer and what it took comes out.
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
  /** JSON Schema, strict: every property required, none besides. */
  json: Readonly<Record<string, unknown>>;
}

export interface LlmReply {
  /** The structured answer; undefined where there were only words: see `text`. */
  value: unknown;
  text: string;
  usage: Usage;
  /** As the server names it: what was asked for may be an alias. */
  model: string;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** As the server reckons it, where it does. */
  costUsd?: number;
  /** The server did not count: estimated from the texts. */
  isEstimate?: boolean;
}

export interface Provider {
  name: Exclude<ProviderName, "none">;
  model: string;
  /** Changes with whatever could mend a refused login: key, model, address. */
  fingerprint: string;
  /** What the provider adds of its own to every question. */
  overheadTokens: number;
  /** How often it may ask for one question of ours: some go on by themselves after an answer was cut off. */
  requestsAtMost: number;
  /** Throws nothing but LlmError. */
  complete(request: LlmRequest, options?: { signal?: AbortSignal }): Promise<LlmReply>;
}
