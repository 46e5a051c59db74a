// From what a server says when it does not answer to the kind of trouble it is.
import { asCount, asObject, asString, parseJson } from "../core/json.ts";
import { filterText } from "../core/privacy/filter.ts";
import { oneLine } from "../core/text.ts";
import { LlmError } from "./error.ts";

const MESSAGE_CHARS = 300;
const NO_MONEY = /insufficient_quota|credit balance|exceeded your current quota|billing/i;
const TOO_LONG = /context_length_exceeded|maximum context length|prompt is too long|context window|too many tokens/i;

export interface Refusal {
  status: number;
  /** The body, or what a stream said instead of going on. */
  body: string;
  headers?: Headers;
  now?: number;
}

export function statusError({ status, body, headers, now = Date.now() }: Refusal): LlmError {
  const message = `${status}: ${messageOf(body)}`;
  const retryAfterMs = headers === undefined ? undefined : retryAfter(headers, now);
  if (NO_MONEY.test(body) && status < 500) return new LlmError("auth", message);
  switch (status) {
    case 401:
    case 402:
    case 403:
      return new LlmError("auth", message);
    case 404:
      return new LlmError("not-found", message);
    case 408:
      return new LlmError("timeout", message);
    case 413:
      return new LlmError("too-large", message);
    case 429:
      return new LlmError("rate-limit", message, { retryAfterMs });
    default:
      if (status >= 500) return new LlmError("server", message, { retryAfterMs });
      if (status < 400) return new LlmError("not-found", `${status}: the server wants us elsewhere; mend baseUrl`);
      return new LlmError(TOO_LONG.test(body) ? "too-large" : "rejected", message);
  }
}

/** The types that both protocols put into an error in the middle of a stream. */
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
  return statusError({ status, body: JSON.stringify(event) });
}

/** Servers quote what they were sent, keys included. */
function messageOf(body: string): string {
  const parsed = asObject(parseJson(body));
  const error = parsed?.["error"];
  const text = asString(error) ?? asString(asObject(error)?.["message"]) ?? asString(parsed?.["message"]) ?? body;
  return oneLine(filterText(text), MESSAGE_CHARS) || "no reason given";
}

/** In seconds or as a date; OpenAI also says it in milliseconds. */
function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  const said = headers.get("retry-after");
  const seconds = Number(said ?? Number.NaN);
  const date = said === null ? Number.NaN : Date.parse(said);
  const ms = [exact, seconds * 1000, date - now].find((value) => Number.isFinite(value));
  return ms === undefined ? undefined : Math.max(0, ms);
}
