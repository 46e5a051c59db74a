// Replies of a chat completions server.
import { type Scene, USAGE } from "./scenes.ts";

export const path = "/v1/chat/completions";

export function error(type: string, message: string): object {
  return { error: { message, type, param: null, code: null } };
}

const usage = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
  prompt_tokens_details: { cached_tokens: 3 },
};

export function whole(scene: Scene): object {
  const said = saidIn(scene);
  return {
    ...envelope("chat.completion"),
    choices: [{ index: 0, message: { role: "assistant", refusal: null, ...said }, finish_reason: finishReason(scene) }],
    usage,
  };
}

function saidIn(scene: Scene): { content: string | null; refusal?: string } {
  if (scene.kind === "refusal") return { content: null, refusal: "I cannot help with that." };
  if (scene.kind === "answer") return { content: JSON.stringify(scene.value) };
  return { content: scene.kind === "words" ? scene.text : "Once upon a" };
}

function finishReason({ kind }: Scene): string {
  return kind === "truncated" ? "length" : "stop";
}

export function events(scene: Scene): string[] {
  const { content, refusal } = saidIn(scene);
  const text = content ?? "";
  const half = Math.floor(text.length / 2);
  const said = [
    chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
    ...[text.slice(0, half), text.slice(half)].map((part) =>
      chunk([{ index: 0, delta: { content: part }, finish_reason: null }]),
    ),
    ...(refusal === undefined ? [] : [chunk([{ index: 0, delta: { refusal }, finish_reason: null }])]),
  ];
  if (scene.kind === "error-in-stream") return [...said, `data: ${JSON.stringify(error(scene.type, "no"))}\n\n`];
  if (scene.kind === "broken-off") return said;
  return [
    ...said,
    chunk([{ index: 0, delta: {}, finish_reason: finishReason(scene) }]),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ];
}

function chunk(choices: object[], extra: object = {}): string {
  return `data: ${JSON.stringify({ ...envelope("chat.completion.chunk"), choices, ...extra })}\n\n`;
}

function envelope(object: string): object {
  return { id: "chatcmpl-1", object, created: 1, model: "model-of-the-server" };
}
