// A chat completions server on a loopback port. Counts the estimated tokens of what it receives and answers by script.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { estimateTokens } from "../../src/core/tokens.ts";
import type { ChatBody, Contestant } from "./contestant.ts";

export interface ModelServer {
  url: string;
  requests: number;
  sentTokens: number;
  replyTokens: number;
  /** Everything that was sent. */
  texts: string[];
  close(): Promise<void>;
}

export async function startModel({ modelReply }: Contestant): Promise<ModelServer> {
  const server = createServer(async (request, response) => {
    const text = await bodyOf(request);
    const content = answer(text);
    response.writeHead(content === undefined ? 404 : 200, { "content-type": "application/json" });
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }];
    response.end(JSON.stringify({ id: "x", object: "chat.completion", created: 0, model: "scripted", choices, usage }));
  });
  const answer = (text: string): string | undefined => {
    if (modelReply === undefined || text === "") return undefined;
    const body = JSON.parse(text) as ChatBody;
    const reply = modelReply(body);
    const { messages, response_format: format, tools } = body;
    model.requests += 1;
    model.texts.push(text);
    model.sentTokens += messages.reduce((sum, message) => sum + estimateTokens(plain(message.content)), 0);
    for (const part of [format, tools])
      if (part !== undefined) model.sentTokens += estimateTokens(JSON.stringify(part));
    model.replyTokens += estimateTokens(reply);
    return reply;
  };
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const model: ModelServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: 0,
    sentTokens: 0,
    replyTokens: 0,
    texts: [],
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return model;
}

const plain = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content));

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
