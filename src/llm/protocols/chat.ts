// OpenAI's chat completions protocol. Dozens of servers implement it with small differences.
import { asCount, asObject, asObjects, asString, type JsonObject } from "../../core/json.ts";
import { cacheTokens, reportedCost } from "../price.ts";
import type { LlmRequest, Usage } from "../provider.ts";
import { jsonOnly } from "../template.ts";
import { cachedSystem, type SendRequest, sendOverHttp, type ModelServer } from "./http-protocol.ts";

export interface ChatServer extends ModelServer {
  /** The prompt cache needs a mark. Most servers cache without one, if they have a cache. */
  marksCache: boolean;
}

export function chatProtocol(server: ChatServer): SendRequest {
  return sendOverHttp(server, {
    path: "/chat/completions",
    headers: server.apiKey === undefined ? {} : { authorization: `Bearer ${server.apiKey}` },
    optionalFields: [
      { name: "cache_control", pattern: /cache_control|prompt.?cach/i },
      { name: "stream_options", pattern: /stream_options|include_usage/i },
      { name: "max_tokens", pattern: /max_tokens/i },
      { name: "temperature", pattern: /temperature/i },
      // If the error names no field, assume that the server does not support the schema.
      { name: "json_schema", pattern: /^/ },
      { name: "json_object", pattern: /response_format|json_object|json mode/i },
    ],
    bodyOf: (request, refused) => bodyOf(request, refused, server.marksCache),
    isWhole: (reply) => asObject(asObjects(reply["choices"])[0]?.["message"]) !== undefined,
    applyEvent(answer, event) {
      const choice = asObjects(event["choices"])[0];
      const message = asObject(choice?.["delta"] ?? choice?.["message"]);
      answer.model = asString(event["model"]) ?? answer.model;
      answer.text += asString(message?.["content"]) ?? "";
      answer.isRefused ||= (asString(message?.["refusal"]) ?? "") !== "";
      answer.stopReason = asString(choice?.["finish_reason"]) ?? answer.stopReason;
      answer.usage = usageOf(event) ?? answer.usage;
    },
    isLast: () => false,
  });
}

function bodyOf(request: LlmRequest, refused: ReadonlySet<string>, marksCache: boolean): object {
  const { name, json } = request.schema;
  const format = refused.has("json_schema")
    ? { type: "json_object" }
    : { type: "json_schema", json_schema: { name, strict: true, schema: json } };
  const system = refused.has("json_schema") ? `${request.system}\n\n${jsonOnly(request.schema)}` : request.system;
  const isMarked = marksCache && !refused.has("cache_control");
  return {
    messages: [
      { role: "system", content: isMarked ? cachedSystem({ ...request, system }) : system },
      { role: "user", content: request.text },
    ],
    [refused.has("max_tokens") ? "max_completion_tokens" : "max_tokens"]: request.maxOutputTokens,
    ...(!refused.has("stream_options") && { stream_options: { include_usage: true } }),
    ...(!refused.has("temperature") && { temperature: 0 }),
    ...(!refused.has("json_object") && { response_format: format }),
  };
}

function usageOf(reply: JsonObject): Usage | undefined {
  const usage = asObject(reply["usage"]);
  const inputTokens = asCount(usage?.["prompt_tokens"]);
  const outputTokens = asCount(usage?.["completion_tokens"]);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const details = asObject(usage?.["prompt_tokens_details"]);
  const [read, write] = [asCount(details?.["cached_tokens"]), asCount(details?.["cache_write_tokens"])];
  // OpenRouter also reports the cost.
  return { inputTokens, outputTokens, ...cacheTokens(read, write), ...reportedCost(usage?.["cost"]) };
}
