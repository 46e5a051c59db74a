// The providers: an address, a key and defaults over a protocol.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { findClaude } from "../agents/claude-code/site.ts";
import { type Env, resolvePaths } from "../config/paths.ts";
import type { ProviderName, Settings } from "../config/schema.ts";
import { LlmError } from "./error.ts";
import { chatProtocol } from "./protocols/chat.ts";
import { claudeCodeProtocol } from "./protocols/claude-code.ts";
import { messagesProtocol } from "./protocols/messages.ts";
import type { LlmReply, LlmRequest, Provider } from "./provider.ts";

export type ModelSettings = Pick<Settings, "provider" | "model" | "baseUrl" | "apiKeyEnv" | "modelTimeoutSeconds">;

interface Defaults {
  model: string;
  baseUrl: string;
  apiKeyEnv: string;
  overheadTokens: number;
  requestsAtMost: number;
}

const DEFAULTS: Readonly<Record<Exclude<ProviderName, "none">, Defaults>> = {
  anthropic: {
    model: "claude-haiku-5-5",
    baseUrl: "https://api.anthropic.com",
    apiKeyEnv: "ANTHROPIC_API_KEY",
    // The tool's own system prompt.
    overheadTokens: 500,
    requestsAtMost: 1,
  },
  openai: {
    model: "gpt-5.4-nano",
    baseUrl: "https://api.openai.com/v1",
    apiKeyEnv: "OPENAI_API_KEY",
    overheadTokens: 100,
    requestsAtMost: 1,
  },
  // Measured: the client puts some 0.9 KB before every system prompt, and asks up to three times more for the rest of an
  // answer that was cut off.
  claude: { model: "haiku", baseUrl: "", apiKeyEnv: "", overheadTokens: 1_000, requestsAtMost: 4 },
};

/** What the settings come to: where a question would go, with which key. */
export interface ModelAccess {
  provider: Exclude<ProviderName, "none">;
  model: string;
  baseUrl: string;
  /** Empty: none is sent. */
  apiKeyEnv: string;
  apiKey: string | undefined;
  /** For `claude`: the executable. */
  command: string | undefined;
}

export function modelAccess(settings: ModelSettings, env: Env): ModelAccess | undefined {
  if (settings.provider === "none") return undefined;
  const defaults = DEFAULTS[settings.provider];
  // A company's key goes to nobody else: with an own address the variable has to be named.
  const apiKeyEnv = settings.apiKeyEnv || (settings.baseUrl === "" ? defaults.apiKeyEnv : "");
  return {
    provider: settings.provider,
    model: settings.model || defaults.model,
    baseUrl: (settings.baseUrl || defaults.baseUrl).replace(/\/+$/, ""),
    apiKeyEnv,
    apiKey: apiKeyEnv === "" ? undefined : env[apiKeyEnv] || undefined,
    command: settings.provider === "claude" ? findClaude(env) : undefined,
  };
}

/** What servers were found to refuse, by fingerprint. Whoever opens providers again and again keeps one and hands it on. */
export type Learnt = Map<string, Set<string>>;

/** Undefined: none is configured, and nothing is asked of anybody. */
export function openProvider(
  settings: ModelSettings,
  env: Env,
  { isStreamed = true, learnt = new Map() }: { isStreamed?: boolean; learnt?: Learnt } = {},
): Provider | undefined {
  const access = modelAccess(settings, env);
  if (access === undefined) return undefined;
  const { provider: name, model, apiKeyEnv, apiKey } = access;
  const fingerprint = fingerprintOf(access);
  const refused = learnt.get(fingerprint) ?? new Set();
  learnt.set(fingerprint, refused);
  const ask = protocolFor(access, { timeoutMs: settings.modelTimeoutSeconds * 1000, isStreamed, refused, env });
  return {
    name,
    model,
    fingerprint,
    overheadTokens: DEFAULTS[name].overheadTokens,
    requestsAtMost: DEFAULTS[name].requestsAtMost,
    async complete(request, { signal } = {}) {
      if (apiKeyEnv !== "" && apiKey === undefined) throw new LlmError("auth", `${apiKeyEnv} is not set`);
      return ask(request, signal);
    },
  };
}

type Ask = (request: LlmRequest, signal?: AbortSignal) => Promise<LlmReply>;

function protocolFor(
  access: ModelAccess,
  options: { timeoutMs: number; isStreamed: boolean; refused: Set<string>; env: Env },
): Ask {
  const { model, baseUrl, apiKey, command } = access;
  const { timeoutMs, isStreamed, refused, env } = options;
  switch (access.provider) {
    case "anthropic":
      return messagesProtocol({ baseUrl: baseUrl.replace(/\/v1$/, ""), apiKey, model, timeoutMs, isStreamed, refused });
    case "openai":
      return chatProtocol({ baseUrl, apiKey, model, timeoutMs, isStreamed, refused });
    case "claude":
      return claudeCodeProtocol({ command, model, timeoutMs, cwd: join(resolvePaths(env).home, "model"), env });
  }
}

/** One way: it is stored. */
function fingerprintOf({ provider, model, baseUrl, apiKeyEnv, apiKey, command }: ModelAccess): string {
  const parts = [provider, model, baseUrl, apiKeyEnv, apiKey ?? "", command ?? ""];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
