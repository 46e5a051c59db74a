// Opens a provider against a fake server, a fake claude command or a fake Agent SDK that plays scenes.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { SETTINGS } from "../../src/config/schema.ts";
import { LlmError } from "../../src/llm/error.ts";
import { isProgram, type ModelProvider, type Preset, PRESETS } from "../../src/llm/presets.ts";
import type { LlmReply, LlmRequest, Provider } from "../../src/llm/provider.ts";
import { type ModelSettings, openProvider } from "../../src/llm/providers.ts";
import { type FakeAgentSdk, fakeAgentSdk } from "./fake-agent-sdk.ts";
import { type FakeClaude, fakeClaude } from "./fake-claude.ts";
import { type Loopback, type Script, startLoopback, WIRES } from "./loopback.ts";
import type { Scene } from "./scenes.ts";

export const REQUEST: LlmRequest = {
  system: "You take notes.",
  text: "What was done — “ü” 漢字",
  schema: {
    name: "record",
    about: "Records it.",
    json: { type: "object", properties: {}, additionalProperties: true },
  },
  maxOutputTokens: 1_000,
};

export const KEY = "made-up-key";
/** For tests that wait for the deadline. A fake program needs longer, because it takes time to start. */
const DEADLINE_SECONDS = 0.4;
const PROGRAM_DEADLINE_SECONDS = 3;
/** For all other tests, which must not reach the deadline even on a busy machine. */
export const PATIENT_SECONDS = 30;

export interface Variant {
  name: string;
  provider: ModelProvider;
  protocol: Preset["protocol"];
  isStreamed: boolean;
}

function variantOf(provider: ModelProvider, isStreamed: boolean): Variant {
  const { protocol } = PRESETS[provider];
  const name = isProgram(provider) ? provider : `${provider}, ${isStreamed ? "streamed" : "whole"}`;
  return { name, provider, protocol, isStreamed };
}

export const ANTHROPIC = variantOf("anthropic", true);
export const ANTHROPIC_WHOLE = variantOf("anthropic", false);
export const OPENAI = variantOf("openai", true);
export const OPENAI_WHOLE = variantOf("openai", false);
export const CLAUDE = variantOf("claude", false);
export const AGENT_SDK = variantOf("agent-sdk", false);
const OTHERS = Object.keys(PRESETS)
  .map((name) => variantOf(name as ModelProvider, true))
  .filter(({ name }) => ![ANTHROPIC, OPENAI, CLAUDE, AGENT_SDK].some((known) => known.name === name));
export const OVER_HTTP = [ANTHROPIC, ANTHROPIC_WHOLE, OPENAI, OPENAI_WHOLE, ...OTHERS];
export const VARIANTS = [...OVER_HTTP, CLAUDE, AGENT_SDK];

interface Stage {
  provider: Provider;
  loopback?: Loopback;
  claude?: FakeClaude;
  sdk?: FakeAgentSdk;
}

function timeoutSeconds({ protocol }: Variant, script: Script): number {
  const isEndless = script.some((scene) => "kind" in scene && (scene.kind === "silence" || scene.kind === "drip"));
  if (!isEndless) return PATIENT_SECONDS;
  return protocol === "claude" || protocol === "agent-sdk" ? PROGRAM_DEADLINE_SECONDS : DEADLINE_SECONDS;
}

export async function stage(
  variant: Variant,
  script: Script,
  modelTimeoutSeconds = timeoutSeconds(variant, script),
): Promise<Stage> {
  const { protocol, isStreamed, provider: name } = variant;
  const settings = { ...MODEL_SETTINGS, modelTimeoutSeconds };
  if (protocol === "claude") {
    const claude = fakeClaude(script[0] as Scene);
    const env = { PATH: `${claude.bin}:${process.env["PATH"]}`, HOME: join(claude.bin, "home"), CLAUDECODE: "1" };
    const provider = openProvider({ ...settings, provider: "claude" }, env) as Provider;
    return { provider, claude };
  }
  if (protocol === "agent-sdk") {
    const sdk = fakeAgentSdk(script as Scene[]);
    const env = { PATH: process.env["PATH"], HOME: sdk.home, C_MEM_HOME: sdk.home, CLAUDECODE: "1" };
    return { provider: openProvider({ ...settings, provider: name }, env) as Provider, sdk };
  }
  const loopback = await startLoopback(WIRES[protocol], script, { canStream: isStreamed });
  const access = { provider: name, baseUrl: `${loopback.url}/v1`, apiKeyEnv: "KEY" };
  return { provider: openProvider({ ...settings, ...access }, { KEY }) as Provider, loopback };
}

export const MODEL_SETTINGS: ModelSettings = {
  provider: "none",
  model: "model-we-asked-for",
  baseUrl: "",
  apiKeyEnv: "",
  modelTimeoutSeconds: SETTINGS.modelTimeoutSeconds.default,
};

export async function ask(variant: Variant, ...script: Script): Promise<LlmReply> {
  const { provider } = await stage(variant, script);
  return provider.complete(REQUEST);
}

export async function failure(variant: Variant, ...script: Script): Promise<LlmError> {
  const error: unknown = await ask(variant, ...script).then(
    (reply) => `answered ${JSON.stringify(reply)}`,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LlmError);
  return error as LlmError;
}

/** Processes whose environment contains this folder: the fake program and its child processes. */
export function processesUnder(folder: string): string[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(folder));
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
