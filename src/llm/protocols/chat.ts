// OpenAI's chat completions, as dozens of servers speak them: each a little differently. Streamed or whole.
import { asCount, asObject, asObjects, asString, type JsonObject, parseJson } from "../../core/json.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { LlmError } from "../error.ts";
import { type HttpReply, type ModelServer, post, textOf } from "../http.ts";
import { jsonOnly } from "../json-only.ts";
import type { LlmReply, LlmRequest, Usage } from "../provider.ts";
import { type OptionalField, sendWithout } from "../refused-fields.ts";
import { replyValue } from "../reply-value.ts";
import { sseData } from "../sse.ts";
import { streamedError } from "../status-error.ts";
import { MAX_COST_USD } from "../price.ts";

/** In the order in which a refusal that may mean several is read; one that names nothing is taken to mean the schema. */
const OPTIONAL: readonly OptionalField[] = [
  { name: "stream_options", pattern: /stream_options|include_usage/i },
  { name: "max_tokens", pattern: /max_tokens/i },
  { name: "temperature", pattern: /temperature/i },
  { name: "json_schema", pattern: /^/ },
  { name: "json_object", pattern: /response_format|json_object|json mode/i },
];

export function chatProtocol(server: ModelServer) {
  return (request: LlmRequest, signal?: AbortSignal): Promise<LlmReply> =>
    sendWithout(OPTIONAL, server.refused, (refused) =>
      post(
        {
          url: `${server.baseUrl}/chat/completions`,
          headers: server.apiKey === undefined ? {} : { authorization: `Bearer ${server.apiKey}` },
          body: bodyOf(server, request, refused),
          timeoutMs: server.timeoutMs,
          signal,
        },
        async (reply) =>
          finish(request, reply.isStream ? await readStream(reply) : readWhole(await textOf(reply.chunks))),
      ),
    );
}

function bodyOf({ model, isStreamed }: ModelServer, request: LlmRequest, refused: ReadonlySet<string>): object {
  const { name, json } = request.schema;
  const isSchemaTaken = !refused.has("json_schema");
  const limit = refused.has("max_tokens") ? "max_completion_tokens" : "max_tokens";
  return {
    model,
    messages: [
      { role: "system", content: isSchemaTaken ? request.system : `${request.system}\n\n${jsonOnly(request.schema)}` },
      { role: "user", content: request.text },
    ],
    [limit]: request.maxOutputTokens,
    stream: isStreamed,
    ...(isStreamed && !refused.has("stream_options") && { stream_options: { include_usage: true } }),
    ...(!refused.has("temperature") && { temperature: 0 }),
    ...(isSchemaTaken && {
      response_format: { type: "json_schema", json_schema: { name, strict: true, schema: json } },
    }),
    ...(!isSchemaTaken && !refused.has("json_object") && { response_format: { type: "json_object" } }),
  };
}

interface Completion {
  model: string;
  text: string;
  refusal: string;
  finishReason: string | undefined;
  /** Not every server counts. */
  usage: Usage | undefined;
}

function readWhole(body: string): Completion {
  const reply = asObject(parseJson(body));
  if (reply?.["error"] !== undefined && reply["choices"] === undefined) throw streamedError(reply);
  const choice = asObjects(reply?.["choices"])[0];
  const message = asObject(choice?.["message"]);
  if (message === undefined) {
    throw new LlmError("malformed", "The answer is no chat completion");
  }
  return {
    model: asString(reply?.["model"]) ?? "",
    text: asString(message["content"]) ?? "",
    refusal: asString(message["refusal"]) ?? "",
    finishReason: asString(choice?.["finish_reason"]),
    usage: usageOf(asObject(reply?.["usage"])),
  };
}

async function readStream({ chunks }: HttpReply): Promise<Completion> {
  const completion: Completion = { model: "", text: "", refusal: "", finishReason: undefined, usage: undefined };
  let isDone = false;
  for await (const data of sseData(chunks)) {
    isDone = data === "[DONE]";
    if (isDone) break;
    const event = asObject(parseJson(data)) ?? {};
    if (event["error"] !== undefined && event["error"] !== null) throw spent(streamedError(event), completion);
    applyEvent(completion, event);
  }
  if (!isDone && completion.finishReason === undefined) {
    throw spent(new LlmError("network", "The answer broke off"), completion);
  }
  return completion;
}

/** Where anything was said, something was spent. */
function spent(error: LlmError, { text, usage }: Completion): LlmError {
  if (text === "" && error.kind !== "network") return error;
  return new LlmError(error.kind, error.message, { spent: usage ?? "unknown", cause: error });
}

function applyEvent(completion: Completion, event: JsonObject): void {
  const choice = asObjects(event["choices"])[0];
  const delta = asObject(choice?.["delta"]);
  completion.model = asString(event["model"]) ?? completion.model;
  completion.text += asString(delta?.["content"]) ?? "";
  completion.refusal += asString(delta?.["refusal"]) ?? "";
  completion.finishReason = asString(choice?.["finish_reason"]) ?? completion.finishReason;
  completion.usage = usageOf(asObject(event["usage"])) ?? completion.usage;
}

function usageOf(usage: JsonObject | undefined): Usage | undefined {
  const inputTokens = asCount(usage?.["prompt_tokens"]);
  const outputTokens = asCount(usage?.["completion_tokens"]);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  // OpenRouter says what it charged.
  const cost = usage?.["cost"];
  return {
    inputTokens,
    outputTokens,
    ...(typeof cost === "number" && cost >= 0 && cost < MAX_COST_USD && { costUsd: cost }),
  };
}

function finish(request: LlmRequest, completion: Completion): LlmReply {
  const { model, text, refusal, finishReason } = completion;
  const usage = completion.usage ?? {
    inputTokens: estimateTokens(request.system) + estimateTokens(request.text),
    outputTokens: estimateTokens(text),
    isEstimate: true,
  };
  if (refusal !== "" || finishReason === "content_filter") {
    throw new LlmError("refusal", "The model declined to answer", { spent: usage });
  }
  if (finishReason === "length") throw new LlmError("truncated", "The answer was cut off (length)", { spent: usage });
  return { value: replyValue(text), text, usage, model };
}
