// A chat completions server on a loopback port, whose replies a benchmark computes. Counts estimated tokens.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { estimateTokens } from "../src/core/tokens.ts";
import * as chat from "../test/conformance/chat-wire.ts";
import { type ModelRequest, readChatRequest } from "../test/conformance/model-request.ts";
import type { Scene } from "../test/conformance/scenes.ts";

export interface Exchange {
  purpose: ModelRequest["purpose"];
  at: number;
  /** Of the system prompt and the schema, which are the same in each request of this purpose. */
  fixedTokens: number;
  /** Of the rest of the request. */
  textTokens: number;
  outputTokens: number;
}

export interface ChatServer {
  url: string;
  exchanges: Exchange[];
  close(): Promise<void>;
}

/** Undefined: the model refuses. `path` is the part of the path before the protocol's own. */
export type Reply = (request: ModelRequest, path: string) => object | undefined;

export async function startChatServer(reply: Reply): Promise<ChatServer> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await bodyOf(request)) as Record<string, unknown>;
    const asked = readChatRequest(body);
    const path = (request.url ?? "").replace(chat.path, "");
    const value = reply(asked, path);
    const exchange = exchangeOf(body, asked, value);
    exchanges.push(exchange);
    const scene: Scene = value === undefined ? { kind: "refusal" } : { kind: "answer", value };
    const usage = {
      prompt_tokens: exchange.fixedTokens + exchange.textTokens,
      completion_tokens: exchange.outputTokens,
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...chat.whole(scene), usage }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function exchangeOf(body: Record<string, unknown>, { purpose, text }: ModelRequest, value: unknown): Exchange {
  const { messages, response_format: format } = body as { messages: { content: string }[]; response_format: object };
  const sent = messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const textTokens = estimateTokens(text);
  return {
    purpose,
    at: Date.now(),
    fixedTokens: sent - textTokens + estimateTokens(JSON.stringify(format)),
    textTokens,
    outputTokens: value === undefined ? 0 : estimateTokens(JSON.stringify(value)),
  };
}
