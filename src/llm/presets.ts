// What each provider needs beyond its protocol: a URL, the variable with its key and a small model.
import type { ProviderName } from "../config/schema.ts";

export type ModelProvider = Exclude<ProviderName, "none">;

export interface Preset {
  protocol: "messages" | "chat" | "claude" | "agent-sdk";
  /** Empty: the user names one. */
  model: string;
  /** Empty: the provider is a program. */
  baseUrl: string;
  /** Empty: no key is sent. */
  apiKeyEnv: string;
  overheadTokens: number;
  maxRequests: number;
  /** The server runs the models that the user installed: at no price per token, unless it is on the internet. */
  isLocal?: true;
  /** A warning about the server, shown when it is chosen. */
  note?: string;
}

/** Servers add a few words to a request, e.g. for its schema. */
const CHAT = { protocol: "chat", overheadTokens: 100, maxRequests: 1 } as const;
const LOCAL = { ...CHAT, model: "", apiKeyEnv: "", isLocal: true } as const;
/** Measured: Claude Code adds 1.4 KB, and sends up to three requests for a cut-off answer's rest. */
const CLAUDE = { model: "haiku", baseUrl: "", apiKeyEnv: "", overheadTokens: 1_000, maxRequests: 4 } as const;

export const PRESETS: Readonly<Record<ModelProvider, Preset>> = {
  claude: { ...CLAUDE, protocol: "claude" },
  "agent-sdk": { ...CLAUDE, protocol: "agent-sdk" },
  anthropic: {
    protocol: "messages",
    model: "claude-haiku-5-5",
    baseUrl: "https://api.anthropic.com",
    apiKeyEnv: "ANTHROPIC_API_KEY",
    // The server adds a system prompt for a tool.
    overheadTokens: 500,
    maxRequests: 1,
  },
  openai: { ...CHAT, model: "gpt-5.4-nano", baseUrl: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" },
  openrouter: {
    ...CHAT,
    model: "openai/gpt-5.4-nano",
    baseUrl: "https://openrouter.ai/api/v1",
    apiKeyEnv: "OPENROUTER_API_KEY",
  },
  gemini: {
    ...CHAT,
    model: "gemini-3.5-flash-lite",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    apiKeyEnv: "GEMINI_API_KEY",
  },
  ollama: {
    ...LOCAL,
    baseUrl: "http://127.0.0.1:11434/v1",
    note: "Ollama cuts long requests without an error. Start it with OLLAMA_CONTEXT_LENGTH=32768.",
  },
  lmstudio: { ...LOCAL, baseUrl: "http://127.0.0.1:1234/v1" },
  vllm: { ...LOCAL, baseUrl: "http://127.0.0.1:8000/v1" },
};

/** Whether the provider is a program on this machine that uses the user's Claude account or key. */
export function isProgram(provider: ModelProvider): boolean {
  return PRESETS[provider].baseUrl === "";
}
