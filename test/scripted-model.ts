// A model without a server: it answers each request with the next reply of a script.
import { SETTINGS, type SettingKey, type Settings } from "../src/config/schema.ts";
import type { LlmRequest, Provider } from "../src/llm/provider.ts";

export const DEFAULT_SETTINGS = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, { default: value }]) => [key as SettingKey, value]),
) as unknown as Settings;

type Reply = object | (() => object);

/** The last reply is repeated. A function is called when the request is sent. */
export function scripted(...replies: Reply[]): Provider & { asked: LlmRequest[] } {
  const asked: LlmRequest[] = [];
  return {
    name: "openai",
    model: "m",
    fingerprint: "f",
    overheadTokens: 0,
    maxRequests: 1,
    asked,
    complete(request) {
      asked.push(request);
      const reply = replies[Math.min(asked.length, replies.length) - 1];
      const value = typeof reply === "function" ? reply() : reply;
      return Promise.resolve({ value, text: "", usage: { inputTokens: 10, outputTokens: 5 }, model: "m" });
    },
  };
}
