// Checks the keys, the default models, the prompt cache and the usage of providers.
import { describe, expect, it } from "vitest";
import type { ModelProvider } from "../../src/llm/presets.ts";
import { findPrice } from "../../src/llm/price.ts";
import type { Provider } from "../../src/llm/provider.ts";
import { modelAccess, type ModelSettings, openProvider } from "../../src/llm/providers.ts";
import { startLoopback, WIRES } from "./loopback.ts";
import { type Scene, USAGE, VALUE } from "./scenes.ts";
import {
  AGENT_SDK,
  ANTHROPIC,
  ANTHROPIC_WHOLE,
  ask,
  CLAUDE,
  MODEL_SETTINGS,
  OPENAI,
  REQUEST,
  stage,
  type Variant,
} from "./stage.ts";

describe("the prompt cache", () => {
  const REPEATED = { ...REQUEST, isRepeated: true };
  const MARKED = [{ type: "text", text: REQUEST.system, cache_control: { type: "ephemeral" } }];
  const answer: Scene = { kind: "answer", value: VALUE };

  it("of the Messages API is written only if more requests follow", async () => {
    const { provider, loopback } = await stage(ANTHROPIC, [answer]);
    await provider.complete(REQUEST);
    await provider.complete(REPEATED);
    expect(loopback?.asked.map(({ body }) => body["system"])).toEqual([REQUEST.system, MARKED]);
  });

  it("of OpenRouter is marked for Anthropic's models; other servers need no mark", async () => {
    const loopback = await startLoopback(WIRES.chat, [answer]);
    const systemSentTo = async (provider: ModelProvider, model: string): Promise<unknown> => {
      const settings = { ...MODEL_SETTINGS, provider, model, baseUrl: `${loopback.url}/v1` };
      await openProvider(settings, {})?.complete(REPEATED);
      const messages = loopback.asked.at(-1)?.body["messages"] as { content: unknown }[];
      return messages[0]?.content;
    };
    expect(await systemSentTo("openrouter", "anthropic/claude-haiku-4.5")).toEqual(MARKED);
    expect(await systemSentTo("openrouter", "openai/gpt-5.4-nano")).toBe(REQUEST.system);
    expect(await systemSentTo("openai", "gpt-5.4-nano")).toBe(REQUEST.system);
  });

  it.each(["system.0.cache_control: Extra inputs are not permitted", "system: Input should be a valid string"])(
    "is not used by a server that replies %j",
    async (message) => {
      const refuse = ({ body }: { body: Record<string, unknown> }): Scene =>
        typeof body["system"] === "string" ? answer : { kind: "status", status: 400, message };
      const { provider, loopback } = await stage(ANTHROPIC, [refuse]);
      await provider.complete(REPEATED);
      await provider.complete(REPEATED);
      expect(loopback?.asked.map(({ body }) => body["system"])).toEqual([MARKED, REQUEST.system, REQUEST.system]);
    },
  );

  it.each<[Variant, object]>([
    [ANTHROPIC, { cacheReadTokens: 1 }],
    [ANTHROPIC_WHOLE, { cacheReadTokens: 1 }],
    [OPENAI, { cacheReadTokens: 3 }],
    [CLAUDE, { cacheReadTokens: 3, cacheWriteTokens: 1 }],
    [AGENT_SDK, { cacheReadTokens: 3, cacheWriteTokens: 1 }],
  ])("is in the usage of $name, as part of the input", async (of, cached) => {
    const { usage } = await ask(of, answer);
    expect(usage).toMatchObject({ inputTokens: USAGE.input, outputTokens: USAGE.output, ...cached });
  });
});

describe("a reply without usage", () => {
  it("has an estimated cost", async () => {
    const wire = { ...WIRES.chat, whole: (scene: Scene) => ({ ...WIRES.chat.whole(scene), usage: undefined }) };
    const { url } = await startLoopback(wire, [{ kind: "answer", value: VALUE }], { canStream: false });
    const settings: ModelSettings = { ...MODEL_SETTINGS, provider: "openai", baseUrl: `${url}/v1` };
    const reply = await openProvider(settings, {})?.complete(REQUEST);
    expect(reply?.usage.inputTokens).toBeGreaterThan(5);
    expect(reply?.usage.outputTokens).toBeGreaterThan(5);
  });
});

describe("a key", () => {
  it("of a provider is sent only to that provider", async () => {
    const { url, asked } = await startLoopback(WIRES.chat, [{ kind: "answer", value: VALUE }]);
    const settings: ModelSettings = { ...MODEL_SETTINGS, provider: "openai", baseUrl: `${url}/v1` };
    await openProvider(settings, { OPENAI_API_KEY: "secret" })?.complete(REQUEST);
    expect(asked[0]?.headers["authorization"]).toBeUndefined();
  });

  it.each([
    ["anthropic", "ANTHROPIC_API_KEY", "claude-haiku-5-5"],
    ["openai", "OPENAI_API_KEY", "gpt-5.4-nano"],
    ["openrouter", "OPENROUTER_API_KEY", "openai/gpt-5.4-nano"],
    ["gemini", "GEMINI_API_KEY", "gemini-3.5-flash-lite"],
  ] as const)("of %s is in %s, and its small model has a known price", async (provider, name, model) => {
    const settings = { ...MODEL_SETTINGS, provider, model: "" };
    const opened = openProvider(settings, {}) as Provider;
    await expect(opened.complete(REQUEST)).rejects.toMatchObject({ kind: "auth", message: `${name} is not set` });
    expect([opened.model, findPrice(opened.model, {})?.cacheRead]).toEqual([model, expect.any(Number)]);
  });

  it.each(["ollama", "lmstudio", "vllm"] as const)(
    "is not needed by %s, but the name of a model is",
    async (provider) => {
      const opened = openProvider({ ...MODEL_SETTINGS, provider, model: "" }, {}) as Provider;
      await expect(opened.complete(REQUEST)).rejects.toMatchObject({
        kind: "not-found",
        hint: expect.stringMatching("config set model"),
      });
      expect(modelAccess({ ...MODEL_SETTINGS, provider }, {})).toMatchObject({
        apiKeyEnv: "",
        baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      });
    },
  );

  it("that Google rejects with status 400 is a wrong key", async () => {
    const message = "API key not valid. Please pass a valid API key.";
    const wire = { ...WIRES.chat, error: () => [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }] };
    const { url } = await startLoopback(wire, [{ kind: "status", status: 400 }]);
    const opened = openProvider({ ...MODEL_SETTINGS, provider: "gemini", baseUrl: `${url}/v1` }, {});
    await expect(opened?.complete(REQUEST)).rejects.toMatchObject({ kind: "auth", message: `400: ${message}` });
  });

  it("changes the fingerprint, which does not contain it", () => {
    const of = (key: string): string =>
      openProvider({ ...MODEL_SETTINGS, provider: "openai", apiKeyEnv: "KEY" }, { KEY: key })?.fingerprint ?? "";
    expect(of("one")).not.toBe(of("two"));
    expect(of("one")).toMatch(/^[0-9a-f]{16}$/);
  });
});
