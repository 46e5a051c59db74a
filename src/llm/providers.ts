// Opens the configured provider: a protocol with a URL, a key and default values.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { findClaude } from "../agents/claude-code/site.ts";
import { type Env, resolvePaths } from "../config/paths.ts";
import type { ProviderName, Settings } from "../config/schema.ts";
import { LlmError } from "./error.ts";
import { chatProtocol } from "./protocols/chat.ts";
import { claudeCodeProtocol } from "./protocols/claude-code.ts";
import type { SendRequest } from "./protocols/http-protocol.ts";
import { messagesProtocol } from "./protocols/messages.ts";
import type { Provider } from "./provider.ts";

export type ModelSettings = Pick<Settings, "provider" | "model" | "baseUrl" | "apiKeyEnv" | "modelTimeoutSeconds">;

type Name = Exclude<ProviderName, "none">;

const DEFAULTS = {
  anthropic: {
    model: "claude-haiku-5-5",
    baseUrl: "https://api.anthropic.com",
    apiKeyEnv: "ANTHROPIC_API_KEY",
    // The server adds a system prompt for a tool.
    overheadTokens: 500,
    maxRequests: 1,
  },
  openai: {
    model: "gpt-5.4-nano",
    baseUrl: "https://api.openai.com/v1",
    apiKeyEnv: "OPENAI_API_KEY",
    overheadTokens: 100,
    maxRequests: 1,
  },
  // Measured: Claude Code adds 0.9 KB to the system prompt, and sends up to three requests for a cut-off answer's rest.
  claude: { model: "haiku", baseUrl: "", apiKeyEnv: "", overheadTokens: 1_000, maxRequests: 4 },
} satisfies Record<Name, object>;

/** The server, the model and the key that the settings select. */
export type ModelAccess = NonNullable<ReturnType<typeof modelAccess>>;

export function modelAccess(settings: ModelSettings, env: Env) {
  if (settings.provider === "none") return undefined;
  const defaults = DEFAULTS[settings.provider];
  // Do not send the provider's default key to another URL.
  const apiKeyEnv = settings.apiKeyEnv || (settings.baseUrl === "" ? defaults.apiKeyEnv : "");
  return {
    provider: settings.provider,
    model: settings.model || defaults.model,
    baseUrl: (settings.baseUrl || defaults.baseUrl).replace(/\/+$/, ""),
    /** If empty, no key is sent. */
    apiKeyEnv,
    apiKey: apiKeyEnv === "" ? undefined : env[apiKeyEnv] || undefined,
    /** Only for `claude`: the executable. */
    command: settings.provider === "claude" ? findClaude(env) : undefined,
  };
}

/** Undefined if no model is configured. */
export function openProvider(settings: ModelSettings, env: Env): Provider | undefined {
  const access = modelAccess(settings, env);
  if (access === undefined) return undefined;
  const { provider: name, model, apiKeyEnv, apiKey } = access;
  const { overheadTokens, maxRequests } = DEFAULTS[name];
  const ask = protocolFor(access, settings.modelTimeoutSeconds * 1000, env);
  return {
    name,
    model,
    fingerprint: fingerprintOf(access),
    overheadTokens,
    maxRequests,
    async complete(request, { signal } = {}) {
      if (apiKeyEnv !== "" && apiKey === undefined) throw new LlmError("auth", `${apiKeyEnv} is not set`);
      return ask(request, signal);
    },
  };
}

function protocolFor(access: ModelAccess, timeoutMs: number, env: Env): SendRequest {
  const { provider, baseUrl, model, apiKey, command } = access;
  switch (provider) {
    case "anthropic":
      return messagesProtocol({ baseUrl: baseUrl.replace(/\/v1$/, ""), apiKey, model, timeoutMs });
    case "openai":
      return chatProtocol({ baseUrl, apiKey, model, timeoutMs });
    case "claude":
      return claudeCodeProtocol({ command, model, timeoutMs, cwd: join(resolvePaths(env).home, "model"), env });
  }
}

/** A hash, because the fingerprint is stored and depends on the key. */
function fingerprintOf({ provider, model, baseUrl, apiKeyEnv, apiKey, command }: ModelAccess): string {
  const parts = [provider, model, baseUrl, apiKeyEnv, apiKey ?? "", command ?? ""];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
