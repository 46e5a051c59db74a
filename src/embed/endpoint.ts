// Embeds with any server that has OpenAI's /v1/embeddings: Ollama, LM Studio, llama.cpp, vLLM, OpenAI.
import { AppError } from "../core/error.ts";
import { asObject, parseJson } from "../core/json.ts";
import { oneLine } from "../core/text.ts";
import { MAX_DIMENSIONS } from "../core/vector-record.ts";
import { type Embedder, normalise } from "./embedder.ts";

export interface EndpointOptions {
  /** With or without /v1 at the end, e.g. http://127.0.0.1:11434. */
  url: string;
  model: string;
  apiKey?: string;
  timeoutMs?: number;
  /** If undefined, a first request finds out the number of dimensions. */
  dimensions?: number;
}

/** "openai:nomic-embed-text:768"; undefined for the id of a local model. */
export function endpointModel(id: string): { model: string; dimensions: number } | undefined {
  const [, model, dimensions] = /^openai:(.+):(\d+)$/.exec(id) ?? [];
  return model === undefined ? undefined : { model, dimensions: Number(dimensions) };
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** Limit per request: servers refuse very long lists. */
const MAX_TEXTS = 64;
/** Limit per text. Models read a few hundred to a few thousand tokens, and some servers refuse longer texts. */
const MAX_CHARS = 8_000;
/** Enough for 64 vectors of 4,096 numbers with twenty characters each. */
const MAX_REPLY_BYTES = 8 * 1024 * 1024;
const MAX_ERROR_CHARS = 300;

export async function openEndpoint(options: EndpointOptions): Promise<Embedder> {
  const url = endpointUrl(options.url);
  const closing = new AbortController();
  const embed = (texts: readonly string[]): Promise<Float32Array[]> => request(url, options, texts, closing.signal);
  const dimensions = options.dimensions ?? (await embed(["c-mem"]))[0]?.length ?? 0;
  return {
    id: `openai:${options.model}:${dimensions}`,
    dimensions,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += MAX_TEXTS)
        vectors.push(...(await embed(texts.slice(start, start + MAX_TEXTS))));
      const other = vectors.find((vector) => vector.length !== dimensions);
      if (other !== undefined) throw badReply(url, `vectors of ${other.length} dimensions instead of ${dimensions}`);
      return vectors;
    },
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}

function endpointUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") {
    throw new AppError("usage", "embeddingsUrl must be an http(s) address without user name and password.", {
      hint: "Example: http://127.0.0.1:11434. Put the key into the variable named by embeddingsKeyEnv.",
    });
  }
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith("/embeddings") ? path : `${path.endsWith("/v1") ? path : `${path}/v1`}/embeddings`;
  return url;
}

async function request(
  url: URL,
  { model, apiKey, timeoutMs = DEFAULT_TIMEOUT_MS }: EndpointOptions,
  texts: readonly string[],
  closing: AbortSignal,
): Promise<Float32Array[]> {
  // Send " " for an empty text, which some servers refuse.
  const input = texts.map((text) => text.slice(0, MAX_CHARS).toWellFormed() || " ");
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input, encoding_format: "float" }),
      // A redirect would send the texts to another server.
      redirect: "error",
      signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await readReply(url, response);
    if (!response.ok) throw badReply(url, `${response.status} ${errorText(text)}`.trim());
    return parseVectors(url, text, texts.length);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isLate = error instanceof Error && error.name === "TimeoutError";
    throw new AppError(
      "endpoint_unreachable",
      isLate ? `${url.host} did not answer within ${timeoutMs} ms.` : `${url.host} cannot be reached.`,
      { hint: "Check that the embedding server runs; until then search uses keywords only.", cause: error },
    );
  }
}

async function readReply(url: URL, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_REPLY_BYTES) throw badReply(url, `more than ${MAX_REPLY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** `{"data": [{"index": 0, "embedding": [...]}]}`, in any order. */
function parseVectors(url: URL, text: string, count: number): Float32Array[] {
  const data = asObject(parseJson(text))?.["data"];
  if (!Array.isArray(data) || data.length !== count) throw badReply(url, `no list of ${count} embeddings`);
  const vectors: Float32Array[] = [];
  for (const [position, entry] of data.entries()) {
    const { index = position, embedding } = asObject(entry) ?? {};
    if (typeof index !== "number" || !(index in data) || vectors[index] !== undefined)
      throw badReply(url, "embeddings that are not numbered in order");
    if (!Array.isArray(embedding) || embedding.length === 0 || embedding.length > MAX_DIMENSIONS)
      throw badReply(url, `an embedding that is not a list of up to ${MAX_DIMENSIONS} numbers`);
    if (!embedding.every((value) => typeof value === "number" && Number.isFinite(Math.fround(value))))
      throw badReply(url, "an embedding with values that are not numbers");
    vectors[index] = normalise(Float32Array.from(embedding as number[]));
  }
  return vectors;
}

/** The message in `{"error": {"message": "..."}}` or Ollama's `{"error": "..."}`, on one line. */
function errorText(text: string): string {
  const error = asObject(parseJson(text))?.["error"];
  const message = asObject(error)?.["message"] ?? error;
  return typeof message === "string" ? oneLine(message, MAX_ERROR_CHARS) : "";
}

function badReply(url: URL, reply: string): AppError {
  return new AppError("endpoint_failed", `${url.host} answered: ${reply}.`, {
    hint: "Check that the server has this embedding model; until then search uses keywords only.",
  });
}
