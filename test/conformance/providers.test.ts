// Checks that all providers return the same answer, or the same kind of error, and its cost, in the same situation.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isProgram } from "../../src/llm/presets.ts";
import { openProvider } from "../../src/llm/providers.ts";
import type { ClaudeCall } from "./fake-claude.ts";
import { startLoopback, WIRES } from "./loopback.ts";
import { type Scene, USAGE, VALUE } from "./scenes.ts";
import {
  ANTHROPIC,
  ask,
  CLAUDE,
  failure,
  KEY,
  MODEL_SETTINGS,
  OPENAI,
  OPENAI_WHOLE,
  OVER_HTTP,
  PATIENT_SECONDS,
  processesUnder,
  REQUEST,
  stage,
  VARIANTS,
} from "./stage.ts";

describe.each(VARIANTS)("$name", (variant) => {
  it("returns a value, the usage and the model", async () => {
    const { value, usage, model } = await ask(variant, { kind: "answer", value: VALUE });
    expect({ value, model }).toEqual({ value: VALUE, model: "model-of-the-server" });
    expect(usage).toMatchObject({ inputTokens: USAGE.input, outputTokens: USAGE.output });
  });

  it("finds JSON within text", async () => {
    const text = `Here you are:\n\`\`\`json\n${JSON.stringify(VALUE)}\n\`\`\`\nDone.`;
    const reply = await ask(variant, { kind: "words", text });
    expect(reply).toMatchObject({ value: VALUE, text });
  });

  it("returns the text unchanged if it has no JSON", async () => {
    const reply = await ask(variant, { kind: "words", text: "<observation>A & B < C</observation>" });
    expect(reply).toMatchObject({ value: undefined, text: "<observation>A & B < C</observation>" });
  });

  it("reports a refusal, which is billed", async () => {
    const error = await failure(variant, { kind: "refusal" });
    expect(error).toMatchObject({ kind: "refusal", spent: { inputTokens: USAGE.input } });
  });

  it("reports an answer that was cut off, which is billed", async () => {
    const error = await failure(variant, { kind: "truncated" });
    expect(error).toMatchObject({ kind: "truncated", spent: { outputTokens: USAGE.output } });
  });

  it("times out without a reply", async () => {
    expect(await failure(variant, { kind: "silence" })).toMatchObject({ kind: "timeout", spent: "unknown" });
  });

  it("times out on an endless slow reply", async () => {
    expect(await failure(variant, { kind: "drip" })).toMatchObject({ kind: "timeout" });
  });

  it("stops reading after a few megabytes", async () => {
    expect(await failure(variant, { kind: "flood" })).toMatchObject({ kind: "too-large" });
  });

  it("reports a connection that closes in the middle of a reply", async () => {
    const { kind, spent } = await failure(variant, { kind: "reset" });
    // Claude Code then reports no usage, so nothing is billed. Over HTTP the request was sent and may be billed.
    expect([kind, spent === "nothing"]).toEqual(["network", isProgram(variant.provider)]);
  });

  it.each([
    [401, "auth"],
    [403, "auth"],
    [402, "auth"],
    [404, "not-found"],
    [413, "too-large"],
    [429, "rate-limit"],
    [500, "server"],
    [503, "server"],
    [529, "server"],
  ])("maps status %i to %s, at no cost", async (status, kind) => {
    const error = await failure(variant, { kind: "status", status });
    expect([error.kind, error.spent]).toEqual([kind, "nothing"]);
  });

  it("distinguishes an account without money from a rate limit", async () => {
    const message = "Your credit balance is too low to access the API.";
    expect(await failure(variant, { kind: "status", status: 400, message })).toMatchObject({ kind: "auth" });
  });

  it("reports a request that is too long", async () => {
    const message = "prompt is too long: 210000 tokens > 200000 maximum";
    expect(await failure(variant, { kind: "status", status: 400, message })).toMatchObject({ kind: "too-large" });
  });

  it("does not show a key that the server echoes", async () => {
    const message = `Incorrect API key provided: sk-ant-api03-${"a".repeat(95)}`;
    expect((await failure(variant, { kind: "status", status: 401, message })).message).not.toContain("aaaa");
  });

  it("can be cancelled", async () => {
    const { provider } = await stage(variant, [{ kind: "silence" }], PATIENT_SECONDS);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    await expect(provider.complete(REQUEST, { signal: stop.signal })).rejects.toMatchObject({ kind: "aborted" });
  });
});

describe.each(OVER_HTTP)("$name, over HTTP", (variant) => {
  it("reports a reply that does not follow the protocol as malformed", async () => {
    expect(await failure(variant, { kind: "nonsense" })).toMatchObject({ kind: "malformed", spent: "nothing" });
  });

  it.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after-ms": "1500" }, 1_500],
    [{ "retry-after": "in an hour" }, 3_600_000],
    [{ "retry-after": "999999999" }, 86_400_000],
    [{ "retry-after": "soon" }, undefined],
  ])("waits as long as %j says", async (said: Record<string, string>, expected) => {
    const isDate = said["retry-after"] === "in an hour";
    const headers = isDate ? { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() } : said;
    const { retryAfterMs } = await failure(variant, { kind: "status", status: 429, headers });
    if (expected === undefined) expect(retryAfterMs).toBeUndefined();
    else expect(Math.abs((retryAfterMs ?? 0) - expected)).toBeLessThan(5_000);
  });

  it("follows no redirect, which would send the key to another server", async () => {
    const elsewhere = await startLoopback(WIRES.chat, [{ kind: "answer", value: VALUE }]);
    const error = await failure(variant, { kind: "status", status: 307, headers: { location: elsewhere.url } });
    expect([error.kind, elsewhere.asked]).toEqual(["not-found", []]);
  });

  it("sends the key and temperature 0", async () => {
    const { provider, loopback } = await stage(variant, [{ kind: "answer", value: VALUE }]);
    await provider.complete(REQUEST);
    const [asked] = loopback?.asked ?? [];
    const key = variant.protocol === "chat" ? asked?.headers["authorization"] : asked?.headers["x-api-key"];
    expect(key).toContain(KEY);
    expect(asked?.body).toMatchObject({ model: "model-we-asked-for", temperature: 0, stream: true });
    expect(JSON.stringify(asked?.body)).toContain("漢字");
  });

  it("sends no request if the key is not set", async () => {
    const loopback = await startLoopback(WIRES.chat, [{ kind: "answer", value: VALUE }]);
    const provider = openProvider(
      { ...MODEL_SETTINGS, provider: "openai", baseUrl: loopback.url, apiKeyEnv: "KEY" },
      {},
    );
    await expect(provider?.complete(REQUEST)).rejects.toMatchObject({ kind: "auth", message: "KEY is not set" });
    expect(loopback.asked).toEqual([]);
  });

  it("reports that the server is unreachable, and a cost of zero", async () => {
    const { provider } = await stage(variant, [{ kind: "silence" }]);
    const settings = { ...MODEL_SETTINGS, provider: provider.name, baseUrl: await closedServerUrl() };
    await expect(openProvider(settings, {})?.complete(REQUEST)).rejects.toMatchObject({
      kind: "network",
      spent: "nothing",
    });
  });
});

describe.each(OVER_HTTP)("$name, if connecting takes longer than the deadline,", (variant) => {
  it("costs nothing, because no byte of the request was sent", async () => {
    // The server accepts connections but sends nothing, so that the TLS handshake does not finish.
    const server = createServer(() => {}).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { provider } = await stage(variant, [{ kind: "silence" }]);
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = { ...MODEL_SETTINGS, provider: provider.name, baseUrl, modelTimeoutSeconds: 1 };
    await expect(openProvider(settings, {})?.complete(REQUEST)).rejects.toMatchObject({
      kind: "timeout",
      spent: "nothing",
    });
  });
});

describe.each(OVER_HTTP.filter((variant) => variant.isStreamed))("$name, in the middle of a stream,", (variant) => {
  it.each([
    ["overloaded_error", "server"],
    ["rate_limit_error", "rate-limit"],
    ["authentication_error", "auth"],
  ])("maps %s to %s", async (type, kind) => {
    expect(await failure(variant, { kind: "error-in-stream", type })).toMatchObject({ kind });
  });

  it("reports a reply without its last event as a closed connection", async () => {
    const { kind, spent } = await failure(variant, { kind: "broken-off" });
    expect([kind, spent === "nothing"]).toEqual(["network", false]);
  });
});

describe("fields that a server refuses", () => {
  const answer: Scene = { kind: "answer", value: VALUE };
  const no = (message: string): Scene => ({ kind: "status", status: 400, message });

  it.each([
    ["temperature", "`temperature` is deprecated for this model."],
    ["thinking", "thinking: disabled is not supported for this model"],
  ])("of the Messages API: %s is omitted at once and in later requests", async (field, message) => {
    const refuse = ({ body }: { body: Record<string, unknown> }): Scene => (field in body ? no(message) : answer);
    const { provider, loopback } = await stage(ANTHROPIC, [refuse]);
    await provider.complete(REQUEST);
    expect((await provider.complete(REQUEST)).value).toEqual(VALUE);
    expect(loopback?.asked.map(({ body }) => field in body)).toEqual([true, false, false]);
  });

  it("of the Messages API: tool_choice becomes auto if a tool cannot be forced", async () => {
    const { provider, loopback } = await stage(ANTHROPIC, [
      no("Thinking may not be enabled when tool_choice forces tool use."),
      answer,
    ]);
    expect((await provider.complete(REQUEST)).value).toEqual(VALUE);
    expect(loopback?.asked[1]?.body["tool_choice"]).toEqual({ type: "auto" });
  });

  it("of chat completions: schema, then JSON mode, then the format in the prompt", async () => {
    const { provider, loopback } = await stage(OPENAI_WHOLE, [
      no("This model does not support structured output"),
      no("'response_format.type' must be 'text'"),
      answer,
    ]);
    expect((await provider.complete(REQUEST)).value).toEqual(VALUE);
    const formats = loopback?.asked.map(({ body }) => (body["response_format"] as { type: string } | undefined)?.type);
    expect(formats).toEqual(["json_schema", "json_object", undefined]);
    expect(JSON.stringify(loopback?.asked[2]?.body["messages"])).toContain("JSON Schema");
  });

  it("of chat completions: max_tokens is renamed, temperature and stream_options are omitted", async () => {
    const { provider, loopback } = await stage(OPENAI, [
      no("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
      no("Unsupported value: 'temperature' does not support 0 with this model."),
      no("unknown field stream_options"),
      answer,
    ]);
    expect((await provider.complete(REQUEST)).value).toEqual(VALUE);
    const { body } = loopback?.asked[3] ?? { body: {} };
    expect(body).toMatchObject({ max_completion_tokens: 1_000, response_format: { type: "json_schema" } });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["max_tokens"]));
    expect("temperature" in body || "stream_options" in body).toBe(false);
  });

  it("do not cause an endless loop", async () => {
    const { provider, loopback } = await stage(OPENAI_WHOLE, [no("response_format temperature max_tokens")]);
    await expect(provider.complete(REQUEST)).rejects.toMatchObject({ kind: "rejected" });
    expect(loopback?.asked.length).toBeLessThan(7);
  });
});

describe("the claude command", () => {
  it("runs without settings, tools, MCP, hooks and transcripts, outside of the session that started it", async () => {
    const { provider, claude } = await stage(CLAUDE, [{ kind: "answer", value: VALUE }]);
    await provider.complete(REQUEST);
    const [line = ""] = readFileSync(claude?.log ?? "", "utf8").split("\n");
    const { argv, env, cwd, stdin } = JSON.parse(line) as ClaudeCall;
    const option = (name: string): string | undefined => argv[argv.indexOf(name) + 1];
    expect([option("--tools"), option("--setting-sources"), option("--settings")]).toEqual([
      "",
      "",
      '{"disableAllHooks":true}',
    ]);
    expect(argv).toEqual(expect.arrayContaining(["-p", "--strict-mcp-config", "--no-session-persistence"]));
    expect(env).toMatchObject({ C_MEM_ENABLED: "0", CLAUDE_CODE_MAX_OUTPUT_TOKENS: "1000" });
    expect(env["CLAUDECODE"]).toBeUndefined();
    expect(cwd.endsWith(join(".c-mem", "model"))).toBe(true);
    // The text is on stdin, because `ps` shows arguments.
    expect([stdin, argv.join(" ").includes(REQUEST.text)]).toEqual([REQUEST.text, false]);
  });

  it("leaves no process after a timeout", async () => {
    // A long deadline, so that the program has started its child process before.
    const { provider, claude } = await stage(CLAUDE, [{ kind: "silence" }], 8);
    await expect(provider.complete(REQUEST)).rejects.toMatchObject({ kind: "timeout" });
    const { env } = JSON.parse(readFileSync(claude?.log ?? "", "utf8")) as ClaudeCall;
    expect(env["HOME"]).toBe(join(claude?.bin ?? "", "home"));
    expect(processesUnder(claude?.bin ?? "")).toEqual([]);
  });

  it("determines the pause by reporting when its limit ends", async () => {
    const until = Math.floor(Date.now() / 1000) + 3_600;
    const message = `Claude AI usage limit reached|${until}`;
    const { kind, retryAfterMs } = await failure(CLAUDE, { kind: "status", status: 429, message });
    expect([kind, Math.round((retryAfterMs ?? 0) / 600_000)]).toEqual(["rate-limit", 6]);
  });

  it("is reported as not-found if it is missing", async () => {
    const provider = openProvider({ ...MODEL_SETTINGS, provider: "claude" }, { PATH: "", HOME: "/nowhere" });
    await expect(provider?.complete(REQUEST)).rejects.toMatchObject({ kind: "not-found" });
  });
});

/** A URL on which no server listens any more. */
async function closedServerUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return `http://127.0.0.1:${port}`;
}
