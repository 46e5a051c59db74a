// The wire form of a model's answer: one JSON message, or the same as server-sent events.
import type { ServerResponse } from "node:http";

export type ReplyBlock = { text: string } | { thinking: string } | { tool: string; input: object };

export interface Reply {
  number: number;
  model: string;
  inputTokens: number;
  blocks: ReplyBlock[];
}

type WireBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: object };

export function sendMessage(response: ServerResponse, reply: Reply): void {
  response.writeHead(200, { "content-type": "application/json", "request-id": requestId(reply) });
  response.end(JSON.stringify(messageOf(reply)));
}

export function sendStream(response: ServerResponse, reply: Reply): void {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": requestId(reply) });
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  const message = messageOf(reply);
  const { content, stop_reason, usage } = message;
  send("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  for (const [index, block] of content.entries()) {
    const { start, deltas } = streamedBlock(block);
    send("content_block_start", { index, content_block: start });
    for (const delta of deltas) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  send("message_stop", {});
  response.end();
}

function streamedBlock(block: WireBlock): { start: object; deltas: object[] } {
  switch (block.type) {
    case "text":
      return { start: { ...block, text: "" }, deltas: [{ type: "text_delta", text: block.text }] };
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          { type: "thinking_delta", thinking: block.thinking },
          { type: "signature_delta", signature: block.signature },
        ],
      };
    case "tool_use":
      return {
        start: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }],
      };
  }
}

function messageOf({ number, model, inputTokens, blocks }: Reply) {
  const content = blocks.map((block, index) => wireBlock(block, `toolu_${number}_${index}`));
  const usesTool = content.some((block) => block.type === "tool_use");
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: usesTool ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: Math.ceil(JSON.stringify(content).length / 4),
    },
  };
}

function wireBlock(block: ReplyBlock, id: string): WireBlock {
  if ("text" in block) return { type: "text", text: block.text };
  if ("thinking" in block) return { type: "thinking", thinking: block.thinking, signature: "c2lnbmF0dXJl" };
  return { type: "tool_use", id, name: block.tool, input: block.input };
}

function requestId({ number }: Reply): string {
  return `req_${number}`;
}
