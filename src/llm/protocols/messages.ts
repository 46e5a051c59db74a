// Anthropic's Messages API. The model is forced to call a tool, and the tool's input is the answer.
import { asCount, asObject, asObjects, asString, type JsonObject } from "../../core/json.ts";
import { cacheTokens } from "../price.ts";
import type { LlmRequest, Usage } from "../provider.ts";
import { type Answer, cachedSystem, type SendRequest, sendOverHttp, type ModelServer } from "./http-protocol.ts";

export function messagesProtocol(server: ModelServer): SendRequest {
  return sendOverHttp(server, {
    path: "/v1/messages",
    headers: {
      "anthropic-version": "2023-06-01",
      ...(server.apiKey !== undefined && { "x-api-key": server.apiKey }),
    },
    // Newer models refuse some of these fields with status 400.
    optionalFields: [
      // Servers without a prompt cache may also refuse a system prompt in blocks.
      { name: "cache_control", pattern: /cache_control|prompt.?cach|\bsystem\b.*\b(?:string|str)\b/i },
      { name: "tool_choice", pattern: /tool_choice|forc(?:e|ed|es|ing) tool/i },
      { name: "temperature", pattern: /temperature|sampling/i },
      { name: "thinking", pattern: /thinking/i },
    ],
    bodyOf,
    isWhole: (reply) => reply["type"] === "message",
    applyEvent,
    isLast: (event) => event["type"] === "message_stop",
  });
}

function bodyOf(request: LlmRequest, refused: ReadonlySet<string>): object {
  const { name, about, json } = request.schema;
  return {
    max_tokens: request.maxOutputTokens,
    system: refused.has("cache_control") ? request.system : cachedSystem(request),
    messages: [{ role: "user", content: request.text }],
    tools: [{ name, description: about, input_schema: json }],
    tool_choice: refused.has("tool_choice") ? { type: "auto" } : { type: "tool", name },
    ...(!refused.has("temperature") && { temperature: 0 }),
    // Thinking is billed, and a model that thinks cannot be forced to call a tool.
    ...(!refused.has("thinking") && { thinking: { type: "disabled" } }),
  };
}

function applyEvent(answer: Answer, event: JsonObject): void {
  const delta = asObject(event["delta"]);
  switch (event["type"]) {
    case "message": {
      const blocks = asObjects(event["content"]);
      answer.model = asString(event["model"]) ?? "";
      answer.text = blocks.map((block) => (block["type"] === "text" ? (asString(block["text"]) ?? "") : "")).join("");
      answer.input = asObject(blocks.find((block) => block["type"] === "tool_use")?.["input"]);
      answer.stopReason = asString(event["stop_reason"]);
      answer.usage = addUsage(undefined, event);
      return;
    }
    case "message_start": {
      const message = asObject(event["message"]);
      answer.model = asString(message?.["model"]) ?? "";
      answer.usage = addUsage(answer.usage, message);
      return;
    }
    case "content_block_delta":
      if (delta?.["type"] === "text_delta") answer.text += asString(delta["text"]) ?? "";
      if (delta?.["type"] === "input_json_delta") {
        answer.input = `${String(answer.input ?? "")}${asString(delta["partial_json"]) ?? ""}`;
      }
      return;
    case "message_delta":
      answer.stopReason = asString(delta?.["stop_reason"]) ?? answer.stopReason;
      answer.usage = addUsage(answer.usage, event);
  }
}

/** The counts in a stream are running totals, so the last ones are used. */
export function addUsage(before: Usage | undefined, message: JsonObject | undefined): Usage {
  const usage = asObject(message?.["usage"]);
  const counted = (key: string): number => asCount(usage?.[key]) ?? 0;
  const [read, write] = [counted("cache_read_input_tokens"), counted("cache_creation_input_tokens")];
  const cacheReadTokens = Math.max(before?.cacheReadTokens ?? 0, read);
  const cacheWriteTokens = Math.max(before?.cacheWriteTokens ?? 0, write);
  return {
    inputTokens: Math.max(before?.inputTokens ?? 0, counted("input_tokens") + read + write),
    outputTokens: asCount(usage?.["output_tokens"]) ?? before?.outputTokens ?? 0,
    ...cacheTokens(cacheReadTokens, cacheWriteTokens),
  };
}
