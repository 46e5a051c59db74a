// Opens the configured provider: a protocol with a URL, a key and default values.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { findClaude } from "../agents/claude-code/site.ts";
import { type Env, resolvePaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { findAgentSdk } from "./agent-sdk/package.ts";
import { LlmError } from "./error.ts";
import { isProgram, type ModelProvider, PRESETS } from "./presets.ts";
import { agentSdkProtocol } from "./protocols/agent-sdk.ts";
import { chatProtocol } from "./protocols/chat.ts";
import { claudeCodeProtocol } from "./protocols/claude-code.ts";
import type { SendRequest } from "./protocols/http-protocol.ts";
import { messagesProtocol } from "./protocols/messages.ts";
import type { Provider } from "./provider.ts";

export type ModelSettings = Pick<Settings, "provider" | "model" | "baseUrl" | "apiKeyEnv" | "modelTimeoutSeconds">;

/** The server, the model and the key that the settings select. */
export type ModelAccess = NonNullable<ReturnType<typeof modelAccess>>;

export function modelAccess(settings: ModelSettings, env: Env) {
  if (settings.provider === "none") return undefined;
  const { provider, model } = settings;
  const preset = PRESETS[provider];
  // A program knows its server itself.
  const baseUrl = isProgram(provider) ? "" : settings.baseUrl;
  // Do not send the provider's default key to another URL.
  const apiKeyEnv = isProgram(provider) ? "" : settings.apiKeyEnv || (baseUrl === "" ? preset.apiKeyEnv : "");
  return {
    provider,
    /** Empty: the server has no default, and the user named none. */
    model: model || preset.model,
    baseUrl: (baseUrl || preset.baseUrl).replace(/\/+$/, ""),
    /** If empty, no key is sent. */
    apiKeyEnv,
    apiKey: apiKeyEnv === "" ? undefined : env[apiKeyEnv] || undefined,
    isFree: preset.isLocal === true && isOwnNetwork(baseUrl || preset.baseUrl),
    /** Only for `claude` and `agent-sdk`: the path of the program. */
    command: findProgram(provider, env),
  };
}

/** True for this machine and for addresses that are not on the internet. */
function isOwnNetwork(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return OWN_NETWORK.test(hostname) || /^[^.[]+$|\.(?:local|lan|internal|home\.arpa)$/.test(hostname);
}

const OWN_NETWORK =
  /^(?:(?:127|10)(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|\[::1\]|\[f[cd][\da-f:]*\])$/;

function findProgram(provider: ModelProvider, env: Env): string | undefined {
  if (provider === "claude") return findClaude(env);
  return provider === "agent-sdk" ? findAgentSdk(resolvePaths(env)) : undefined;
}

/** What the provider lacks, and how to get it; undefined if it can be used. */
export function missingPart({ provider, model, apiKeyEnv, apiKey, command }: ModelAccess) {
  if (provider === "claude" && command === undefined) {
    return {
      kind: "not-found" as const,
      what: "The claude command was not found",
      fix: "Install Claude Code, or choose another provider",
    };
  }
  if (provider === "agent-sdk" && command === undefined) {
    return {
      kind: "not-found" as const,
      what: "The Agent SDK is not installed",
      fix: "Run: c-mem model install --agent-sdk",
    };
  }
  if (model === "") {
    return {
      kind: "not-found" as const,
      what: `${provider} needs the name of a model`,
      fix: "Run: c-mem config set model NAME",
    };
  }
  if (apiKeyEnv !== "" && apiKey === undefined) {
    return {
      kind: "auth" as const,
      what: `${apiKeyEnv} is not set`,
      fix: `Set ${apiKeyEnv} where your agent runs, or name another variable: c-mem config set apiKeyEnv NAME`,
    };
  }
  return undefined;
}

/** Undefined if no model is configured. */
export function openProvider(settings: ModelSettings, env: Env): Provider | undefined {
  const access = modelAccess(settings, env);
  if (access === undefined) return undefined;
  const { overheadTokens, maxRequests } = PRESETS[access.provider];
  const { send, ...conversations } = protocolFor(access, settings.modelTimeoutSeconds * 1000, env);
  return {
    name: access.provider,
    model: access.model,
    fingerprint: fingerprintOf(access),
    isFree: access.isFree,
    overheadTokens,
    maxRequests,
    async complete(request, { signal } = {}) {
      const missing = missingPart(access);
      if (missing !== undefined) throw new LlmError(missing.kind, missing.what, { hint: missing.fix });
      return send(request, signal);
    },
    ...conversations,
  };
}

type Protocol = { send: SendRequest } & Pick<Provider, "close" | "historyTokens">;

function protocolFor(access: ModelAccess, timeoutMs: number, env: Env): Protocol {
  const { provider, baseUrl, model, apiKey, command = "" } = access;
  const paths = resolvePaths(env);
  switch (PRESETS[provider].protocol) {
    case "messages":
      return { send: messagesProtocol({ baseUrl: baseUrl.replace(/\/v1$/, ""), apiKey, model, timeoutMs }) };
    case "chat": {
      const marksCache = provider === "openrouter" && model.startsWith("anthropic/");
      return { send: chatProtocol({ baseUrl, apiKey, model, timeoutMs, marksCache }) };
    }
    case "claude":
      return { send: claudeCodeProtocol({ command, model, timeoutMs, cwd: join(paths.home, "model"), env }) };
    case "agent-sdk":
      return agentSdkProtocol({ module: command, model, timeoutMs, folder: paths.conversations, env });
  }
}

/** A hash, because the fingerprint is stored and depends on the key. */
function fingerprintOf({ provider, model, baseUrl, apiKeyEnv, apiKey, command }: ModelAccess): string {
  const parts = [provider, model, baseUrl, apiKeyEnv, apiKey ?? "", command ?? ""];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
