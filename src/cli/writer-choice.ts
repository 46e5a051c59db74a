// Asks who writes the memory: the built-in extractor, the user's Claude Code, a provider with a key, or a local server.
import type { Env } from "../config/paths.ts";
import { parseSetting, type ProviderName, PROVIDERS, type Settings } from "../config/schema.ts";
import { count, withCommas } from "../core/text.ts";
import { PROVIDER_LABELS, type ProviderLabel, providerLabel } from "../llm/provider-labels.ts";
import { modelAccess } from "../llm/providers.ts";
import { findUsage, usageText } from "../queries/usage-estimate.ts";
import { askOne, askText, type Choice } from "./prompts.ts";

/** The settings that a choice writes; undefined: their default. */
export type WriterChoice = Pick<Settings, "provider"> & Record<"model" | "baseUrl" | "apiKeyEnv", string | undefined>;

const DEFAULTS = { model: undefined, baseUrl: undefined, apiKeyEnv: undefined };
const EXTRACTOR: WriterChoice = { provider: "none", ...DEFAULTS };

/** A server that has no row of its own: `openai` with the user's URL. */
const OTHER_SERVER = "other";

export async function chooseWriter(settings: Settings, env: Env, now: number): Promise<WriterChoice> {
  const writer = await askOne("Who writes the memory?", writers(settings, env, now));
  switch (writer) {
    case "none":
      return EXTRACTOR;
    case "key":
      return chooseKey(settings, env);
    case "server":
      return chooseServer(settings, env);
    default:
      return { provider: writer, ...DEFAULTS };
  }
}

function writers(settings: Settings, env: Env, now: number): Choice<ProviderName | "key" | "server">[] {
  const usage = findUsage(env, settings, now);
  const limit = `daily limit ${withCommas(settings.tokensPerDay)} tokens and $${settings.usdPerDay}`;
  const estimate = usage.sessions === 0 ? limit : `estimated from ${count(usage.sessions, "session")}; ${limit}`;
  const agents = providersThatNeed("agent").flatMap((id) => {
    const access = modelAccess({ ...settings, ...DEFAULT_TEXTS, provider: id }, env);
    if (access?.command === undefined) return [];
    return [{ value: id, label: `${providerLabel(id)}: ${access.model}, ${usageText(usage)}`, hint: estimate }];
  });
  const names = (needs: ProviderLabel["needs"]): string => providersThatNeed(needs).map(providerLabel).join(", ");
  const servers = names("server");
  return [
    { value: "none", label: `${providerLabel("none")}: free, immediate, sends nothing` },
    ...agents,
    { value: "key", label: `An API key: ${names("key")}`, hint: `${usageText(usage)}; ${limit}` },
    {
      value: "server",
      label: `A local server${servers === "" ? " with OpenAI's API, such as Ollama" : `: ${servers} or another`}`,
      hint: "nothing leaves your machine or network",
    },
  ];
}

const DEFAULT_TEXTS = { model: "", baseUrl: "", apiKeyEnv: "" };

async function chooseKey(settings: Settings, env: Env): Promise<WriterChoice> {
  const choices = providersThatNeed("key").map((id) => ({ value: id, label: providerLabel(id) }));
  const provider = await askOne("Which provider?", choices);
  const usual = modelAccess({ ...settings, ...DEFAULT_TEXTS, provider }, env)?.apiKeyEnv ?? "";
  const apiKeyEnv = await askText("Which environment variable has the key?", usual, (name) =>
    /^[A-Za-z_]\w*$/.test(name) ? undefined : `Enter the variable's name, such as ${usual}, not the key.`,
  );
  return { ...DEFAULTS, provider, ...(apiKeyEnv !== usual && { apiKeyEnv }) };
}

async function chooseServer(settings: Settings, env: Env): Promise<WriterChoice> {
  const known = providersThatNeed("server").map((id) => ({ value: id, label: providerLabel(id) }));
  const other = { value: OTHER_SERVER, label: "Another server with OpenAI's API" } as const;
  const server = known.length === 0 ? OTHER_SERVER : await askOne("Which server?", [...known, other]);
  const provider = server === OTHER_SERVER ? "openai" : server;
  const usual =
    server === OTHER_SERVER ? undefined : modelAccess({ ...settings, ...DEFAULT_TEXTS, provider }, env)?.baseUrl;
  const baseUrl = await askText("Its address?", usual ?? "http://127.0.0.1:11434/v1", problemOfUrl);
  const model = await askText("Which model?", "", (name) => (name === "" ? "Enter the model's name." : undefined));
  return { ...DEFAULTS, provider, model, ...(baseUrl !== usual && { baseUrl }) };
}

function problemOfUrl(text: string): string | undefined {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return "Enter a URL, such as http://127.0.0.1:11434/v1.";
  return parseSetting("baseUrl", text) === undefined ? "Leave out the user name and password." : undefined;
}

function providersThatNeed(needs: ProviderLabel["needs"]): ProviderName[] {
  const ids: readonly string[] = PROVIDERS;
  const offered = Object.keys(PROVIDER_LABELS).filter((id) => PROVIDER_LABELS[id]?.needs === needs && ids.includes(id));
  return offered as ProviderName[];
}
