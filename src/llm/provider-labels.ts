// Names of the model providers for people, and what a user must name for each. `install` and the page read this table.

export interface ProviderLabel {
  label: string;
  /** What `install` asks for; undefined: it does not offer this provider. */
  needs?: "agent" | "key" | "server";
}

/** By id, in the order in which they are offered. Ids that `PROVIDERS` does not have are not offered. */
export const PROVIDER_LABELS: Readonly<Record<string, ProviderLabel>> = {
  none: { label: "Built-in extractor" },
  claude: { label: "Your Claude Code", needs: "agent" },
  "agent-sdk": { label: "Claude's Agent SDK" },
  anthropic: { label: "Anthropic", needs: "key" },
  openai: { label: "OpenAI", needs: "key" },
  openrouter: { label: "OpenRouter", needs: "key" },
  gemini: { label: "Gemini", needs: "key" },
  ollama: { label: "Ollama", needs: "server" },
  lmstudio: { label: "LM Studio", needs: "server" },
  vllm: { label: "vLLM", needs: "server" },
};

export function providerLabel(id: string): string {
  return PROVIDER_LABELS[id]?.label ?? id;
}
