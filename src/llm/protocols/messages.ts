// Anthropic's Messages API: the answer is the input of a tool the model is made to call. Streamed or whole.
import { asCount, asObject, asObjects, asString, type JsonObject, parseJson } from "../../core/json.ts";
import { LlmError } from "../error.ts";
import { type HttpReply, type ModelServer, post, textOf } from "../http.ts";
import type { LlmReply, LlmRequest, Usage } from "../provider.ts";
import { type OptionalField, sendWithout } from "../refused-fields.ts";
import { replyValue } from "../reply-value.ts";
import { sseData } from "../sse.ts";
import { streamedError } from "../status-error.ts";

/** Newer models refuse one or the other of these with a 400. */
const OPTIONAL: readonly OptionalField[] = [
  { name: "tool_choice", pattern: /tool_choice|forc(?:e|ed|es|ing) tool/i },
  { name: "temperature", pattern: /temperature|sampling/i },
  { name: "thinking", pattern: /thinking/i },
];

export function messagesProtocol(server: ModelServer) {
  return (request: LlmRequest, signal?: AbortSignal): Promise<LlmReply> =>
    sendWithout(OPTIONAL, server.refused, (refused) =>
      post(
        {
          url: `${server.baseUrl}/v1/messages`,
          headers: {
            "anthropic-version": "2023-06-01",
            ...(server.apiKey !== undefined && { "x-api-key": server.apiKey }),
          },
          body: bodyOf(server, request, refused),
          timeoutMs: server.timeoutMs,
          signal,
        },
        async (reply) => finish(reply.isStream ? await readStream(reply) : readWhole(await textOf(reply.chunks))),
      ),
    );
}

function bodyOf({ model, isStreamed }: ModelServer, request: LlmRequest, refused: ReadonlySet<string>): object {
  const { name, about, json } = request.schema;
  return {
    model,
    max_tokens: request.maxOutputTokens,
    stream: isStreamed,
    system: request.system,
    messages: [{ role: "user", content: request.text }],
    tools: [{ name, description: about, input_schema: json }],
    tool_choice: refused.has("tool_choice") ? { type: "auto" } : { type: "tool", name },
    ...(!refused.has("temperature") && { temperature: 0 }),
    // Where it is on by default it would be paid for, and a tool could not be called for.
    ...(!refused.has("thinking") && { thinking: { type: "disabled" } }),
  };
}

/** A message as far as it has come; `stopReason` is the last thing known of it. */
interface Message {
  model: string;
  text: string;
  input: string | JsonObject | undefined;
  stopReason: string | undefined;
  usage: Usage;
}

function readWhole(body: string): Message {
  const message = asObject(parseJson(body));
  if (message?.["type"] !== "message") {
    throw new LlmError("malformed", "The answer is no message of the Messages API");
  }
  const blocks = asObjects(message["content"]);
  return {
    model: asString(message["model"]) ?? "",
    text: blocks.map((block) => (block["type"] === "text" ? (asString(block["text"]) ?? "") : "")).join(""),
    input: asObject(blocks.find((block) => block["type"] === "tool_use")?.["input"]),
    stopReason: asString(message["stop_reason"]),
    usage: addUsage({ inputTokens: 0, outputTokens: 0 }, asObject(message["usage"])),
  };
}

async function readStream({ chunks }: HttpReply): Promise<Message> {
  const message: Message = {
    model: "",
    text: "",
    input: undefined,
    stopReason: undefined,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  try {
    for await (const data of sseData(chunks)) {
      const event = asObject(parseJson(data)) ?? {};
      if (event["type"] === "error") throw streamedError(event);
      applyEvent(message, event);
      if (event["type"] === "message_stop") return message;
    }
  } catch (error) {
    // What came before the break has been paid for.
    if (error instanceof LlmError && error.kind !== "too-large") {
      throw new LlmError(error.kind, error.message, { spent: spentOn(message), cause: error });
    }
    throw error;
  }
  throw new LlmError("network", "The answer broke off", { spent: spentOn(message) });
}

function spentOn({ usage }: Message): Usage | "unknown" {
  return usage.inputTokens > 0 ? usage : "unknown";
}

function applyEvent(message: Message, event: JsonObject): void {
  switch (event["type"]) {
    case "message_start": {
      const start = asObject(event["message"]);
      message.model = asString(start?.["model"]) ?? "";
      message.usage = addUsage(message.usage, asObject(start?.["usage"]));
      return;
    }
    case "content_block_delta": {
      const delta = asObject(event["delta"]);
      if (delta?.["type"] === "text_delta") message.text += asString(delta["text"]) ?? "";
      if (delta?.["type"] === "input_json_delta") {
        message.input = `${String(message.input ?? "")}${asString(delta["partial_json"]) ?? ""}`;
      }
      return;
    }
    case "message_delta":
      message.stopReason = asString(asObject(event["delta"])?.["stop_reason"]) ?? message.stopReason;
      message.usage = addUsage(message.usage, asObject(event["usage"]));
  }
}

/** The counts of a stream are running totals: the last ones stand. */
function addUsage(before: Usage, usage: JsonObject | undefined): Usage {
  const cached = ["cache_creation_input_tokens", "cache_read_input_tokens"].map((key) => asCount(usage?.[key]) ?? 0);
  const input = (asCount(usage?.["input_tokens"]) ?? 0) + cached.reduce((sum, count) => sum + count, 0);
  return {
    inputTokens: Math.max(before.inputTokens, input),
    outputTokens: asCount(usage?.["output_tokens"]) ?? before.outputTokens,
  };
}

function finish({ model, text, input, stopReason, usage }: Message): LlmReply {
  switch (stopReason) {
    case "refusal":
      throw new LlmError("refusal", "The model declined to answer", { spent: usage });
    case "max_tokens":
    case "model_context_window_exceeded":
      throw new LlmError("truncated", `The answer was cut off (${stopReason})`, { spent: usage });
    default: {
      const value = typeof input === "string" ? asObject(parseJson(input)) : input;
      const words = typeof input === "string" && value === undefined ? input : text;
      return { value: value ?? replyValue(words), text: words, usage, model };
    }
  }
}
