// Which text a model is sent, where, and what it may cost. Shown before and after a change of model settings.
import type { Env } from "../config/paths.ts";
import type { SettingKey, Settings } from "../config/schema.ts";
import { withCommas } from "../core/text.ts";
import { priceOf } from "../llm/budget.ts";
import { isProgram, PRESETS } from "../llm/presets.ts";
import type { Price } from "../llm/price.ts";
import { missingPart, modelAccess } from "../llm/providers.ts";
import { usd } from "./cost.ts";

const ABOUT_MODELS: ReadonlySet<SettingKey> = new Set(["provider", "model", "baseUrl", "apiKeyEnv"]);

/** Undefined if the change sends no text to a model. */
export function providerNotice(changed: SettingKey, settings: Settings, env: Env): string | undefined {
  return settings.provider === "none" || !ABOUT_MODELS.has(changed) ? undefined : modelNotice(settings, env);
}

export function modelNotice(settings: Settings, env: Env): string {
  const access = modelAccess(settings, env);
  if (access === undefined) return "The built-in extractor writes the memory. Nothing is sent to a model.";
  const { provider, model, baseUrl, isFree } = access;
  const where = isProgram(provider) ? THROUGH[PRESETS[provider].protocol] : `at ${baseUrl}`;
  const missing = missingPart(access);
  const { tokensPerDay, tokensPerProjectAndDay, usdPerDay, usdPerProjectAndDay } = settings;
  return [
    `The prompts and work of each turn, filtered and shortened, are sent to ${model || "a model"} ${where}.`,
    `Daily limits: ${withCommas(tokensPerDay)} tokens and ${limitText(usdPerDay)}; for one project ${withCommas(tokensPerProjectAndDay)} and ${limitText(usdPerProjectAndDay)}. Work beyond them waits until the next day.`,
    priceText(priceOf({ name: provider, model, isFree }, settings)),
    ...(PRESETS[provider].note === undefined ? [] : [PRESETS[provider].note]),
    ...(missing === undefined ? [] : [`${missing.what}. ${missing.fix}.`]),
    ...(missing?.kind === "auth" ? ["The worker reads the key when it starts: `c-mem worker restart`."] : []),
    "`c-mem doctor --try-model` makes one small request to try it.",
  ].join("\n");
}

/** "$1", "$0.50" */
const limitText = (dollars: number): string => (Number.isInteger(dollars) ? `$${dollars}` : usd(dollars));

const THROUGH: Readonly<Record<string, string>> = {
  claude: "through your Claude Code",
  "agent-sdk": "through Claude's Agent SDK, with the login or key of your Claude Code",
};

function priceText(price: Price | undefined): string {
  if (price === undefined) {
    return "Its price is unknown, so only the token limits apply. Set the price with `c-mem config set prices`.";
  }
  if (price.input === 0 && price.output === 0) return "A server of your own costs nothing per token.";
  return `Price: $${price.input} in, $${price.output} out per million tokens. \`c-mem cost\` shows the spending.`;
}
