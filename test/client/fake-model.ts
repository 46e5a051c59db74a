// A scripted model: the Messages API on a loopback port, which keeps every request.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { type ReplyBlock, sendMessage, sendStream } from "./reply.ts";

/** The model's answer in one step; tool uses get their ids from the request's number. */
export type Step = (request: ModelRequest) => ReplyBlock[];
export type Scripts = Readonly<Record<string, readonly Step[]>>;

/** Like a real model, it does not answer at once. */
const THINKING_MS = 700;

/** Matches the client's request for the summary that replaces a conversation. */
const COMPACTION = /<analysis> block followed by a <summary> block/;

interface Block {
  type: string;
  text?: string;
}

interface Message {
  role: string;
  content: string | Block[];
}

interface Body {
  model: string;
  stream?: boolean;
  system?: unknown;
  messages: Message[];
}

export interface ModelRequest {
  number: number;
  sessionId: string;
  /** Set on a subagent's requests. */
  agentId: string | undefined;
  body: Body;
  /** The texts of all messages, without the system prompt and tools. */
  text: string;
}

export interface FakeModel {
  url: string;
  requests: ModelRequest[];
  close(): Promise<void>;
}

export interface Play {
  scripts: Scripts;
  /** `claude -p` exits after the last answer and kills the async hooks that still run: the answer waits for them. */
  waitForHooks?: () => Promise<void>;
}

export async function startFakeModel(play: Play): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    handle(request, response, play, requests).catch((error: unknown) => {
      sendJson(response, 500, { type: "error", error: { type: "api_error", message: String(error) } });
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { scripts, waitForHooks }: Play,
  requests: ModelRequest[],
): Promise<void> {
  const raw = await readBody(request);
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (request.method === "HEAD" || pathname === "/") return void response.writeHead(200).end();
  const inputTokens = Math.ceil(raw.length / 4);
  if (pathname === "/v1/messages/count_tokens") return sendJson(response, 200, { input_tokens: inputTokens });
  if (pathname !== "/v1/messages") {
    return sendJson(response, 404, { type: "error", error: { type: "not_found_error", message: pathname } });
  }
  const asked = describeRequest(requests.length + 1, request.headers, JSON.parse(raw) as Body);
  requests.push(asked);
  const { model, stream } = asked.body;
  const blocks = answerTo(scripts, asked);
  if (!blocks.some((block) => "tool" in block)) {
    await setTimeout(THINKING_MS);
    await waitForHooks?.();
  }
  const reply = { number: asked.number, model, inputTokens, blocks };
  if (stream) sendStream(response, reply);
  else sendMessage(response, reply);
}

function describeRequest(number: number, headers: IncomingHttpHeaders, body: Body): ModelRequest {
  const header = (name: string) => headers[name] as string | undefined;
  return {
    number,
    sessionId: header("x-claude-code-session-id") ?? "",
    agentId: header("x-claude-code-agent-id"),
    body,
    text: body.messages.map((message) => textsOf(message, JSON.stringify).join("\n")).join("\n\n"),
  };
}

/** A script is named in a prompt; its step is the number of answers since then, so the model itself keeps no state. */
function answerTo(scripts: Scripts, request: ModelRequest): ReplyBlock[] {
  const { messages } = request.body;
  if (COMPACTION.test(request.text)) return [{ text: "<summary>So far, so good.</summary>" }];
  const at = messages.findLastIndex((message) => message.role === "user" && scriptName(message) !== undefined);
  const asked = messages[at];
  const script = asked && scripts[scriptName(asked) ?? ""];
  if (script === undefined) return [{ text: "No script was named." }];
  const said = messages.slice(at + 1).filter((message) => message.role === "assistant").length;
  const step = script[Math.min(said, script.length - 1)];
  return step === undefined ? [] : step(request);
}

/** The script named last, ignoring text that the client itself adds to a message. */
function scriptName(message: Message): string | undefined {
  const texts = textsOf(message).map((text) => text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, ""));
  return [...texts.join("\n").matchAll(/\[\[script:([\w-]+)\]\]/g)].at(-1)?.[1];
}

function textsOf(message: Message, other: (block: Block) => string = () => ""): string[] {
  if (typeof message.content === "string") return [message.content];
  return message.content.map((block) => block.text ?? other(block));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  if (!response.headersSent) response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
