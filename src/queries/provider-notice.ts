// The notice after a change of model settings: which text is sent where, and what it may cost.
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
    `From now on the prompts and work of each turn, filtered and shortened, are sent to ${access.model} at ${where}.`,
    `Daily limits: ${settings.tokensPerDay.toLocaleString("en")} tokens and $${settings.usdPerDay}; for one project ${settings.tokensPerProjectAndDay.toLocaleString("en")} and $${settings.usdPerProjectAndDay}.`,
    price === undefined
      ? "Its price is unknown, so only the token limits apply. Set the price with `c-mem config set prices`."
      : `Price: $${price.input} in, $${price.output} out per million tokens. \`c-mem cost\` shows the spending.`,
    ...(access.apiKeyEnv !== "" && access.apiKey === undefined
      ? [`${access.apiKeyEnv} is not set here. Set it in the environment of your agent.`]
      : []),
    ...(access.provider === "claude" && access.command === undefined ? ["The claude command was not found."] : []),
  ].join("\n");
}
