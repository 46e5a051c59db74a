// Replies of a Messages API server.
import { type Scene, USAGE } from "./scenes.ts";

export const path = "/v1/messages";

export function error(type: string, message: string): object {
  return { type: "error", error: { type, message }, request_id: "req_1" };
}

const usage = { input_tokens: USAGE.input - 1, cache_read_input_tokens: 1, output_tokens: USAGE.output };

export function whole(scene: Scene): object {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "model-of-the-server",
    content: blockOf(scene) === undefined ? [] : [blockOf(scene)],
    stop_reason: stopReason(scene),
    stop_sequence: null,
    usage,
  };
}

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: object };

function blockOf(scene: Scene): Block | undefined {
  if (scene.kind === "answer") return { type: "tool_use", id: "toolu_1", name: "record", input: scene.value };
  if (scene.kind === "refusal") return undefined;
  return { type: "text", text: scene.kind === "words" ? scene.text : "Once upon a" };
}

function stopReason({ kind }: Scene): string {
  if (kind === "truncated") return "max_tokens";
  if (kind === "refusal") return "refusal";
  return kind === "answer" ? "tool_use" : "end_turn";
}

export function events(scene: Scene): string[] {
  const message = whole(scene);
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const said = [event("message_start", { message: start }), event("ping", {}), ...blockEvents(blockOf(scene))];
  if (scene.kind === "error-in-stream")
    return [...said, `event: error\ndata: ${JSON.stringify(error(scene.type, "no"))}\n\n`];
  if (scene.kind === "broken-off") return said;
  return [
    ...said,
    event("message_delta", { delta: { stop_reason: stopReason(scene) }, usage: { output_tokens: USAGE.output } }),
    event("message_stop", {}),
  ];
}

function blockEvents(block: Block | undefined): string[] {
  if (block === undefined) return [];
  const start = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
  const text = block.type === "text" ? block.text : JSON.stringify(block.input);
  const half = Math.floor(text.length / 2);
  const deltas = [text.slice(0, half), text.slice(half)].map((part) =>
    block.type === "text" ? { type: "text_delta", text: part } : { type: "input_json_delta", partial_json: part },
  );
  return [
    event("content_block_start", { index: 0, content_block: start }),
    ...deltas.map((delta) => event("content_block_delta", { index: 0, delta })),
    event("content_block_stop", { index: 0 }),
  ];
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
