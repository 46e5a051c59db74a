import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { openEndpoint } from "./endpoint.ts";

interface Asked {
  url: string | undefined;
  authorization: string | undefined;
  body: { model: string; input: string[] };
}

type Answer = (asked: Asked, response: ServerResponse) => void;

const open: (() => void)[] = [];
afterEach(() => open.splice(0).forEach((close) => close()));

/** A server on the loopback that answers with `answer` and records the requests. */
async function serve(answer: Answer): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const each = {
        url: request.url,
        authorization: request.headers.authorization,
        body: JSON.parse(text) as Asked["body"],
      };
      asked.push(each);
      answer(each, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** Vectors of three dimensions made from the length of each text, in reverse order. */
const lengths: Answer = ({ body }, response) => {
  const data = body.input.map((text, index) => ({ index, embedding: [text.length, 0, 1] })).toReversed();
  response.end(JSON.stringify({ object: "list", data }));
};

function replying(text: string, status = 200): Answer {
  return (_asked, response) => response.writeHead(status).end(text);
}

function replyingWith(embedding: unknown): Answer {
  return replying(JSON.stringify({ data: [{ index: 0, embedding }] }));
}

describe("an embedding server", () => {
  it("returns vectors of length one in the order of the texts, over several requests", async () => {
    const { url, asked } = await serve(lengths);
    const embedder = await openEndpoint({ url, model: "nomic-embed-text", apiKey: "k" });
    expect([embedder.id, embedder.dimensions]).toEqual(["openai:nomic-embed-text:3", 3]);
    const texts = Array.from({ length: 150 }, (_, index) => "x".repeat(index + 1));
    const vectors = await embedder.embed(texts);
    expect(vectors.map(([first = 0, , third = 1]) => Math.round(first / third))).toEqual(
      texts.map((text) => text.length),
    );
    expect(Math.hypot(...(vectors[7] ?? []))).toBeCloseTo(1, 6);
    expect(asked.map(({ body }) => body.input.length)).toEqual([1, 64, 64, 22]);
    expect(asked[1]).toMatchObject({
      url: "/v1/embeddings",
      authorization: "Bearer k",
      body: { model: "nomic-embed-text" },
    });
  });

  it.each(["", "/", "/v1", "/v1/", "/v1/embeddings"])("is found if its URL ends in %j", async (end) => {
    const { url, asked } = await serve(lengths);
    await openEndpoint({ url: url + end, model: "m" });
    expect(asked[0]).toMatchObject({ url: "/v1/embeddings", authorization: undefined });
  });

  it("receives no empty text, no half character and no text that is too long", async () => {
    const { url, asked } = await serve(lengths);
    const embedder = await openEndpoint({ url, model: "m" });
    await embedder.embed(["", "\uD800", "y".repeat(100_000)]);
    expect(asked[1]?.body.input.map((text) => [text.length, text.charCodeAt(0)])).toEqual([
      [1, 32],
      [1, 0xfffd],
      [8_000, 121],
    ]);
  });

  it.each<[string, Answer, string]>([
    [
      "an error message",
      replying('{"error": {"message": "model \\u001b[31m\\"m\\" not found"}}', 404),
      '404 model [31m"m" not found',
    ],
    ["an error of Ollama's", replying('{"error": "no such model"}', 400), "400 no such model"],
    ["an error page", replying("<html>", 502), "502"],
    ["no JSON", replying("hello"), "no list of 1 embeddings"],
    ["null", replying("null"), "no list"],
    ["too few vectors", replying('{"data": []}'), "no list of 1"],
    ["nothing in the list", replying('{"data": [null]}'), "not a list of up to"],
    ["text for a vector", replyingWith("AAAA"), "not a list of up to"],
    ["an empty vector", replyingWith([]), "not a list of up to"],
    ["a vector too long", replyingWith(Array.from({ length: 5_000 }, () => 1)), "not a list of up to 4096"],
    ["null in a vector", replyingWith([1, null]), "values that are not numbers"],
    ["a number too large", replyingWith([1, 1e300]), "values that are not numbers"],
    ["a wrong number", replying('{"data": [{"index": 1, "embedding": [1]}]}'), "not numbered in order"],
    ["more than it may", replying(`"${"x".repeat(9_000_000)}"`), "more than 8388608 bytes"],
  ])("causes an error if it answers with %s", async (_what, answer, message) => {
    const { url } = await serve(answer);
    await expect(openEndpoint({ url, model: "m" })).rejects.toMatchObject({
      code: "endpoint_failed",
      message: expect.stringContaining(message),
    });
  });

  it("causes an error if its dimensions change", async () => {
    let count = 2;
    const { url } = await serve((asked, response) =>
      replyingWith(Array.from({ length: ++count }, () => 1))(asked, response),
    );
    const embedder = await openEndpoint({ url, model: "m" });
    await expect(embedder.embed(["a"])).rejects.toMatchObject({ code: "endpoint_failed" });
  });

  it("is not followed if it redirects", async () => {
    const other = await serve(lengths);
    const { url } = await serve((_asked, response) =>
      response.writeHead(307, { location: `${other.url}/v1/embeddings` }).end(),
    );
    await expect(openEndpoint({ url, model: "m" })).rejects.toMatchObject({ code: "endpoint_unreachable" });
    expect(other.asked).toEqual([]);
  });

  it("times out if it never answers, or never ends its answer", async () => {
    const silent = await serve(() => undefined);
    await expect(openEndpoint({ url: silent.url, model: "m", timeoutMs: 100 })).rejects.toMatchObject({
      code: "endpoint_unreachable",
      message: expect.stringContaining("within 100 ms"),
    });
    const endless = await serve((_asked, response) => void response.write("{"));
    await expect(openEndpoint({ url: endless.url, model: "m", timeoutMs: 100 })).rejects.toMatchObject({
      code: "endpoint_unreachable",
    });
  });

  it("that does not run causes an error that does not show the key", async () => {
    const error: unknown = await openEndpoint({ url: "http://127.0.0.1:1", model: "m", apiKey: "sk-secret" }).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({ code: "endpoint_unreachable", message: "127.0.0.1:1 cannot be reached." });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  it.each(["", "localhost:11434", "file:///etc/passwd", "http://user:pass@127.0.0.1"])(
    "cannot have the URL %j",
    async (url) => {
      await expect(openEndpoint({ url, model: "m" })).rejects.toMatchObject({ code: "usage" });
    },
  );

  it("is not awaited after the embedder is closed", async () => {
    let silent = false;
    const { url } = await serve((asked, response) => (silent ? undefined : lengths(asked, response)));
    const embedder = await openEndpoint({ url, model: "m" });
    silent = true;
    const waiting = embedder.embed(["a"]);
    await embedder.close();
    await expect(waiting).rejects.toMatchObject({ code: "endpoint_unreachable" });
  });
});
