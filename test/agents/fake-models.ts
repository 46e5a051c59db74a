// Fake models that make the given tool calls one by one and then answer. Three APIs: OpenAI's Responses (Codex),
// Gemini's, and chat completions (Copilot, OpenCode).
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Call = readonly [tool: string, input: object | string];

export interface FakeModel {
  port: number;
  /** All requests so far, as JSON. */
  requests: string[];
  close(): Promise<void>;
}

export const ANSWER = "All done: app.txt changed.";

export async function startFakeModel(calls: readonly Call[]): Promise<FakeModel> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, calls, requests);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = () => new Promise<void>((done) => server.close(() => done()));
  return { port: (server.address() as AddressInfo).port, requests, close };
}

interface Body {
  input?: { type: string }[];
  contents?: { parts?: { functionResponse?: unknown }[] }[];
  messages?: { role: string }[];
  tools?: { functionDeclarations?: unknown[] }[];
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  calls: readonly Call[],
  requests: string[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const url = request.url ?? "";
  if (request.method !== "POST" || !/responses|GenerateContent|generateContent|completions/.test(url)) {
    response.writeHead(url.includes("/models") ? 200 : 404, { "content-type": "application/json" });
    response.end('{"data": [], "models": []}');
    return;
  }
  requests.push(text);
  const body = JSON.parse(text) as Body;
  const events = url.includes("/responses")
    ? responsesEvents(calls[count(body.input, ({ type }) => type.endsWith("call_output"))], requests.length)
    : url.includes("enerateContent")
      ? geminiEvents(body, calls)
      : completionEvents(body, calls, requests.length);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(
    events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""),
  );
}

function count<Item>(items: readonly Item[] | undefined, is: (item: Item) => boolean): number {
  return (items ?? []).filter(is).length;
}

function responsesEvents(call: Call | undefined, number: number): object[] {
  const id = `call_${number}`;
  const item =
    call === undefined
      ? { type: "message", id: `msg_${number}`, role: "assistant", content: [{ type: "output_text", text: ANSWER }] }
      : typeof call[1] === "string"
        ? { type: "custom_tool_call", id: `ctc_${number}`, call_id: id, name: call[0], input: call[1] }
        : { type: "function_call", id: `fc_${number}`, call_id: id, name: call[0], arguments: JSON.stringify(call[1]) };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  return [
    { type: "response.created", response: { id: `resp_${number}` } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: `resp_${number}`, usage } },
  ];
}

/** Side requests, such as the one for a title, have no tools. */
function geminiEvents(body: Body, calls: readonly Call[]): object[] {
  const parts = (body.contents ?? []).flatMap((content) => content.parts ?? []);
  const isMain = (body.tools ?? []).some((tool) => (tool.functionDeclarations ?? []).length > 3);
  const call = isMain ? calls[count(parts, (part) => part.functionResponse !== undefined)] : undefined;
  const part = call === undefined ? { text: ANSWER } : { functionCall: { name: call[0], args: call[1] } };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  return [
    { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata },
  ];
}

function completionEvents(body: Body, calls: readonly Call[], number: number): (object | string)[] {
  const isMain = (body.tools ?? []).length > 3;
  const call = isMain ? calls[count(body.messages, ({ role }) => role === "tool")] : undefined;
  const named = call && { name: call[0], arguments: JSON.stringify(call[1]) };
  const delta = named
    ? { role: "assistant", tool_calls: [{ index: 0, id: `call_${number}`, type: "function", function: named }] }
    : { role: "assistant", content: ANSWER };
  const base = { id: `c${number}`, object: "chat.completion.chunk", created: 1, model: "m" };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const end = { index: 0, delta: {}, finish_reason: named ? "tool_calls" : "stop" };
  return [{ ...base, choices: [{ index: 0, delta }] }, { ...base, choices: [end], usage }, "[DONE]"];
}
