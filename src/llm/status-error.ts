// Converts an HTTP error of a model server to an LlmError.
import { asCount, asObject, asString, parseJson } from "../core/json.ts";
import { filterText } from "../core/privacy/filter.ts";
import { oneLine } from "../core/text.ts";
import { LlmError, type LlmErrorKind } from "./error.ts";

const MESSAGE_CHARS = 300;
/** Google reports a wrong key with status 400. */
const WRONG_KEY = /API_KEY_INVALID|API key not valid/i;
const NO_MONEY = /insufficient_quota|credit balance|exceeded your current quota|billing/i;
const TOO_LONG = /context_length_exceeded|maximum context length|prompt is too long|context window|too many tokens/i;

const KINDS: ReadonlyMap<number, LlmErrorKind> = new Map([
  [401, "auth"],
  [402, "auth"],
  [403, "auth"],
  [404, "not-found"],
  [408, "timeout"],
  [413, "too-large"],
  [429, "rate-limit"],
]);

/** `body` is the response body or an error event of a stream. */
export function statusError(status: number, body: string, headers?: Headers): LlmError {
  const message = `${status}: ${messageOf(body)}`;
  const isRetriable = status === 429 || status >= 500;
  if (status < 500 && (NO_MONEY.test(body) || WRONG_KEY.test(body))) return new LlmError("auth", message);
  if (status < 400)
    return new LlmError("not-found", `${status}: the server redirects to another address; check baseUrl`);
  const kind = KINDS.get(status) ?? (status >= 500 ? "server" : TOO_LONG.test(body) ? "too-large" : "rejected");
  return new LlmError(kind, message, { retryAfterMs: isRetriable && headers ? retryAfter(headers) : undefined });
}

/** HTTP statuses of the error types that both protocols send within a stream. */
const STREAMED: Readonly<Record<string, number>> = {
  authentication_error: 401,
  permission_error: 403,
  billing_error: 402,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  invalid_request_error: 400,
  overloaded_error: 529,
};

export function streamedError(event: unknown): LlmError {
  const error = asObject(asObject(event)?.["error"]);
  const status = STREAMED[asString(error?.["type"]) ?? ""] ?? asCount(error?.["code"]) ?? 500;
  return statusError(status, JSON.stringify(event));
}

/** Filtered, because servers quote the request in messages, including keys. */
function messageOf(body: string): string {
  const reply = parseJson(body);
  // Google's errors are in an array.
  const parsed = asObject(Array.isArray(reply) ? reply[0] : reply);
  const error = parsed?.["error"];
  const text = asString(error) ?? asString(asObject(error)?.["message"]) ?? asString(parsed?.["message"]) ?? body;
  return oneLine(filterText(text), MESSAGE_CHARS) || "no reason given";
}

/** `retry-after` has seconds or a date. OpenAI also sends `retry-after-ms`. */
function retryAfter(headers: Headers): number | undefined {
  const [milliseconds, text] = [headers.get("retry-after-ms"), headers.get("retry-after")];
  const candidates = [
    Number(milliseconds ?? Number.NaN),
    Number(text ?? Number.NaN) * 1000,
    Date.parse(text ?? "") - Date.now(),
  ];
  const ms = candidates.find(Number.isFinite);
  return ms === undefined ? undefined : Math.max(0, ms);
}
