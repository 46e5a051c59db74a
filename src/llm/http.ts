// Sends a POST request with a deadline and a size limit. All failures are LlmErrors.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { filterText } from "../core/privacy/filter.ts";
import { LlmError } from "./error.ts";
import { statusError } from "./status-error.ts";

/** A reply of a few thousand tokens has about 20 KB, or 500 KB as a stream. */
const MAX_REPLY_BYTES = 4 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

export interface HttpCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: object;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface HttpReply {
  isStream: boolean;
  chunks: AsyncIterable<string>;
}

/** Any error of `read` that is not an LlmError is reported like a failure of the connection. */
export async function post<T>(call: HttpCall, read: (reply: HttpReply) => Promise<T>): Promise<T> {
  const deadline = AbortSignal.timeout(call.timeoutMs);
  const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
  const sending = watchSending(call.url);
  try {
    const response = await fetch(call.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...call.headers },
      body: JSON.stringify(call.body),
      signal,
      // A redirect would send the key to another server.
      redirect: "manual",
    });
    if (!response.ok) {
      const body = await textOf(chunksOf(response, MAX_ERROR_BYTES));
      throw statusError(response.status, body, response.headers);
    }
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    return await read({ isStream, chunks: chunksOf(response, MAX_REPLY_BYTES) });
  } catch (error) {
    if (error instanceof LlmError) throw error;
    throw transportError(error, call, deadline, sending.hasSent());
  } finally {
    sending.end();
  }
}

export async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return text;
}

async function* chunksOf(response: Response, maxBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new LlmError("too-large", `The server's answer is over ${maxBytes} bytes`, { spent: "unknown" });
    }
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

/** Node's fetch publishes this when it writes a request to an open connection. */
const SEND_HEADERS = "undici:client:sendHeaders";

/** Watches whether the request was sent. If not, it cannot be billed. */
function watchSending(url: string): { hasSent(): boolean; end(): void } {
  const { origin, pathname, search } = new URL(url);
  let hasSent = false;
  const onSend = (message: unknown): void => {
    const { request } = message as { request: { origin: unknown; path: unknown } };
    if (String(request.origin) === origin && request.path === pathname + search) hasSent = true;
  };
  subscribe(SEND_HEADERS, onSend);
  return { hasSent: () => hasSent, end: () => void unsubscribe(SEND_HEADERS, onSend) };
}

function transportError(error: unknown, call: HttpCall, deadline: AbortSignal, hasSent: boolean): LlmError {
  const spent = hasSent ? "unknown" : "nothing";
  if (call.signal?.aborted) return new LlmError("aborted", "The request was cancelled", { spent });
  if (deadline.aborted) return new LlmError("timeout", `No answer within ${call.timeoutMs / 1000} s`, { spent });
  const { code, message } = causeOf(error);
  if (hasSent && code?.startsWith("UND_ERR_") && code.endsWith("_TIMEOUT")) {
    return new LlmError("timeout", message, { spent, cause: error });
  }
  return new LlmError("network", `${new URL(call.url).host}: ${code ?? filterText(message, 300)}`, {
    spent,
    cause: error,
  });
}

/** fetch only reports "fetch failed". The reason is its cause, or the first error of the cause. */
function causeOf(error: unknown): { code: string | undefined; message: string } {
  let current = error as { cause?: unknown; errors?: unknown[]; code?: unknown; message?: unknown };
  for (let depth = 0; depth < 5; depth++) {
    const inner = current.cause ?? current.errors?.[0];
    if (typeof inner !== "object" || inner === null) break;
    current = inner;
  }
  return { code: typeof current.code === "string" ? current.code : undefined, message: String(current.message) };
}
