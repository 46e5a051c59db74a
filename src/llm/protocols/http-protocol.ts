// Sends requests for both HTTP protocols and reads the replies, streamed or whole. Omits optional fields that a server
// refuses.
import { asObject, type JsonObject, parseJson } from "../../core/json.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { LlmError } from "../error.ts";
import { type HttpReply, post, textOf } from "../http.ts";
import type { LlmReply, LlmRequest, Usage } from "../provider.ts";
import { replyValue } from "../reply-value.ts";
import { sseData } from "../sse.ts";
import { streamedError } from "../status-error.ts";

export interface ModelServer {
  /** Without the path of the protocol. */
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
  timeoutMs: number;
}

/** A reply as far as it has arrived. */
export interface Answer {
  model: string;
  text: string;
  /** The structured answer, if the protocol has one: a JSON text or an object. */
  input: string | JsonObject | undefined;
  stopReason: string | undefined;
  isRefused: boolean;
  /** Undefined if the server reports no token counts. */
  usage: Usage | undefined;
}

export interface HttpProtocol {
  path: string;
  headers: Readonly<Record<string, string>>;
  /** If an error message matches several fields, the first one is omitted. */
  optionalFields: readonly { name: string; pattern: RegExp }[];
  bodyOf(request: LlmRequest, refused: ReadonlySet<string>): object;
  /** True for a reply that the server did not stream. */
  isWhole(reply: JsonObject): boolean;
  /** Adds an event of the stream, or a whole reply, to the answer. */
  applyEvent(answer: Answer, event: JsonObject): void;
  /** True for the last event of a stream. The connection may still be open. */
  isLast(event: JsonObject): boolean;
}

export type SendRequest = (request: LlmRequest, signal?: AbortSignal) => Promise<LlmReply>;

export function sendOverHttp(server: ModelServer, protocol: HttpProtocol): SendRequest {
  const knownRefused = new Set<string>();
  const send = (request: LlmRequest, refused: ReadonlySet<string>, signal?: AbortSignal): Promise<LlmReply> =>
    post(
      {
        url: server.baseUrl + protocol.path,
        headers: protocol.headers,
        body: { model: server.model, stream: true, ...protocol.bodyOf(request, refused) },
        timeoutMs: server.timeoutMs,
        signal,
      },
      async (reply) => finish(request, await readAnswer(reply, protocol)),
    );
  return async (request, signal) => {
    const refused = new Set(knownRefused);
    for (;;) {
      try {
        const reply = await send(request, refused, signal);
        for (const name of refused) knownRefused.add(name);
        return reply;
      } catch (error) {
        // Try again without the refused field. A rejected request costs nothing.
        if (!(error instanceof LlmError) || error.kind !== "rejected") throw error;
        const isRefused = ({ name, pattern }: { name: string; pattern: RegExp }): boolean =>
          !refused.has(name) && pattern.test(error.message);
        const field = protocol.optionalFields.find(isRefused);
        if (field === undefined) throw error;
        refused.add(field.name);
      }
    }
  };
}

/**
 * The system prompt, with a mark if writing the cache pays. It also holds the tool: everything before the mark. Writing
 * costs a quarter more than other input, reading a tenth of it.
 */
export function cachedSystem({ system, isRepeated }: LlmRequest): string | object[] {
  return isRepeated ? [{ type: "text", text: system, cache_control: { type: "ephemeral" } }] : system;
}

async function readAnswer({ isStream, chunks }: HttpReply, protocol: HttpProtocol): Promise<Answer> {
  const answer: Answer = {
    model: "",
    text: "",
    input: undefined,
    stopReason: undefined,
    isRefused: false,
    usage: undefined,
  };
  if (!isStream) {
    const reply = asObject(parseJson(await textOf(chunks))) ?? {};
    if (protocol.isWhole(reply)) {
      protocol.applyEvent(answer, reply);
      return answer;
    }
    // Some servers report errors with status 200.
    throw isError(reply) ? streamedError(reply) : new LlmError("malformed", "The reply does not follow the protocol");
  }
  for await (const data of sseData(chunks)) {
    if (data === "[DONE]") return answer;
    const event = asObject(parseJson(data)) ?? {};
    if (isError(event)) throw withCost(streamedError(event), answer);
    protocol.applyEvent(answer, event);
    if (protocol.isLast(event)) return answer;
  }
  // Some servers omit the last event.
  if (answer.stopReason !== undefined) return answer;
  throw withCost(new LlmError("network", "The connection closed before the reply was complete"), answer);
}

function isError({ type, error }: JsonObject): boolean {
  return type === "error" || (error !== undefined && error !== null);
}

/** The server bills text that arrived before the error. Without text, only a broken connection may be billed. */
function withCost(error: LlmError, { text, usage }: Answer): LlmError {
  if (usage === undefined && text === "" && error.kind !== "network") return error;
  const spent = usage !== undefined && usage.inputTokens > 0 ? usage : "unknown";
  return new LlmError(error.kind, error.message, { spent, cause: error });
}

const REFUSED: ReadonlySet<unknown> = new Set(["refusal", "content_filter"]);
const TRUNCATED: ReadonlySet<unknown> = new Set(["length", "max_tokens", "model_context_window_exceeded"]);

function finish(request: LlmRequest, { model, text, input, stopReason, isRefused, usage }: Answer): LlmReply {
  const spent = usage ?? {
    inputTokens: estimateTokens(request.system) + estimateTokens(request.text),
    outputTokens: estimateTokens(text),
    isEstimate: true,
  };
  if (isRefused || REFUSED.has(stopReason)) throw new LlmError("refusal", "The model declined to answer", { spent });
  if (TRUNCATED.has(stopReason)) throw new LlmError("truncated", `The answer was cut off (${stopReason})`, { spent });
  const value = typeof input === "string" ? asObject(parseJson(input)) : input;
  // Invalid JSON may contain a valid object.
  const words = typeof input === "string" && value === undefined ? input : text;
  return { value: value ?? replyValue(words), text: words, usage: spent, model };
}
