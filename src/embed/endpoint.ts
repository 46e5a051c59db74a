// Any server that speaks OpenAI's /v1/embeddings (Ollama, LM Studio, llama.cpp, vLLM, OpenAI itself) as an embedder.
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { type Embedder, normalise } from "./embedder.ts";
import { MAX_DIMENSIONS } from "../core/vector-record.ts";

export interface EndpointOptions {
  /** With or without the /v1 at its end, e.g. http://127.0.0.1:11434. */
  url: string;
  model: string;
  apiKey?: string;
  timeoutMs?: number;
  /** Where the vectors' dimensions are known, the server is not asked before there is something to embed. */
  dimensions?: number;
}

const ID = /^openai:(.+):(\d+)$/;

/** The model an embedder's id names, or undefined where it is none of a server's. */
export function endpointModel(id: string): { model: string; dimensions: number } | undefined {
  const [, model, dimensions] = ID.exec(id) ?? [];
  return model === undefined ? undefined : { model, dimensions: Number(dimensions) };
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** Texts to a request: servers refuse very long lists. */
const MAX_TEXTS = 64;
/** Models see some hundred to some thousand tokens; what comes after is cut here, not refused there. */
const MAX_CHARS = 8_000;
/** 64 vectors of 4,096 numbers, twenty letters each. */
const MAX_REPLY_BYTES = 8 * 1024 * 1024;
const MAX_ERROR_CHARS = 300;

/** Asks for one vector first, unless the dimensions are given: to see that the server answers and how many dimensions the model has. */
export async function openEndpoint(options: EndpointOptions): Promise<Embedder> {
  const url = endpointUrl(options.url);
  const closing = new AbortController();
  const probe = async (): Promise<number> => (await request(url, options, ["c-mem"], closing.signal))[0]?.length ?? 0;
  const dimensions = options.dimensions ?? (await probe());
  return {
    id: `openai:${options.model}:${dimensions}`,
    dimensions,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += MAX_TEXTS) {
        const part = texts.slice(start, start + MAX_TEXTS);
        const answer = await request(url, options, part, closing.signal);
        const other = answer.find((vector) => vector.length !== dimensions);
        if (other !== undefined) throw bad(url, `vectors of ${other.length} dimensions where there were ${dimensions}`);
        vectors.push(...answer);
      }
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
    throw new AppError("usage", "The address of the embedding server is no http(s) address.", {
      hint: "For example http://127.0.0.1:11434; a key goes into a setting of its own.",
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
  // Some servers refuse an empty text, and with it the whole list.
  const input = texts.map((text) => text.slice(0, MAX_CHARS).toWellFormed() || " ");
  let text: string;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input, encoding_format: "float" }),
      // The texts are meant for this server and no other.
      redirect: "error",
      signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]),
    });
    text = await readBounded(response);
    if (!response.ok) throw bad(url, `${response.status} ${errorText(text)}`.trim());
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isLate = error instanceof Error && error.name === "TimeoutError";
    throw new AppError(
      "endpoint_unreachable",
      isLate ? `${url.host} did not answer within ${timeoutMs} ms.` : `${url.host} cannot be reached.`,
      { hint: "See that the embedding server runs; until then search goes by words only.", cause: error },
    );
  }
  return vectorsOf(url, text, texts.length);
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_REPLY_BYTES) throw bad(new URL(response.url), `more than ${MAX_REPLY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** `{"data": [{"index": 0, "embedding": [...]}]}`, in any order. */
function vectorsOf(url: URL, text: string, count: number): Float32Array[] {
  const data = (parse(text) as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count) throw bad(url, `no list of ${count} embeddings`);
  const vectors: Float32Array[] = [];
  for (const [place, entry] of (data as unknown[]).entries()) {
    const { index = place, embedding } = (entry ?? {}) as { index?: unknown; embedding?: unknown };
    if (
      typeof index !== "number" ||
      !Number.isInteger(index) ||
      index < 0 ||
      index >= count ||
      vectors[index] !== undefined
    ) {
      throw bad(url, "embeddings that are not numbered in order");
    }
    vectors[index] = vectorOf(url, embedding);
  }
  return vectors;
}

function vectorOf(url: URL, embedding: unknown): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0 || embedding.length > MAX_DIMENSIONS) {
    throw bad(url, `an embedding that is no list of up to ${MAX_DIMENSIONS} numbers`);
  }
  if (!embedding.every((value) => typeof value === "number" && Number.isFinite(Math.fround(value)))) {
    throw bad(url, "an embedding with something else than numbers in it");
  }
  return normalise(Float32Array.from(embedding as number[]));
}

function errorText(text: string): string {
  const body = parse(text) as { error?: { message?: unknown } | string } | null;
  const error = body?.error;
  const message = typeof error === "string" ? error : error?.message;
  // What a server says may hold anything: one line of it, and no control characters.
  return typeof message === "string" ? oneLine(message, MAX_ERROR_CHARS) : "";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function bad(url: URL, what: string): AppError {
  return new AppError("endpoint_failed", `${url.host} answered: ${what}.`, {
    hint: "See that the server has this embedding model; until then search goes by words only.",
  });
}
