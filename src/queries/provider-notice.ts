// Printed once when a model is switched on: what is sent where, and what it may cost.
import type { Env } from "../config/paths.ts";
import type { SettingKey, Settings } from "../config/schema.ts";
import { priceOf } from "../llm/budget.ts";
import { modelAccess } from "../llm/providers.ts";

const ABOUT_MODELS: ReadonlySet<SettingKey> = new Set(["provider", "model", "baseUrl", "apiKeyEnv"]);

export function providerNotice(changed: SettingKey, settings: Settings, env: Env): string | undefined {
  const access = modelAccess(settings, env);
  if (access === undefined || !ABOUT_MODELS.has(changed)) return undefined;
  const where = access.provider === "claude" ? "your Claude Code" : access.baseUrl;
  const price = priceOf({ name: access.provider, model: access.model }, settings);
  return [
    `From now on what was asked and done in each turn, filtered and shortened, goes to ${access.model} at ${where}.`,
    `It may take ${settings.tokensPerDay.toLocaleString("en")} tokens and $${settings.usdPerDay} a day, of that ${settings.tokensPerProjectAndDay.toLocaleString("en")} and $${settings.usdPerProjectAndDay} for one project.`,
    price === undefined
      ? "Its price is not known, so only the limit in tokens holds: `c-mem config set prices` tells it."
      : `It is reckoned at $${price.input} in and $${price.output} out per million tokens. \`c-mem cost\` shows what was spent.`,
    ...(access.apiKeyEnv !== "" && access.apiKey === undefined
      ? [`${access.apiKeyEnv} is not set here: it has to be where your agent runs.`]
      : []),
    ...(access.provider === "claude" && access.command === undefined ? ["The claude command was not found."] : []),
  ].join("\n");
}
