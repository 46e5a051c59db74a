// Whether the model that was chosen can be asked, as far as that can be told without spending anything.
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { ago } from "../core/text.ts";
import { localDay } from "../core/time.ts";
import { priceOf } from "../llm/budget.ts";
import { type ModelAccess, modelAccess, openProvider } from "../llm/providers.ts";
import { parsePrice } from "../llm/price.ts";
import { type Db, hasSqlite } from "../store/db/driver.ts";
import { spentOn } from "../store/tables/ledger.ts";
import { findPause, isPausing } from "../store/tables/model-pauses.ts";
import type { Check } from "./health.ts";
import { withDrained } from "../capture/open-drained.ts";

export function checkModel(paths: Paths, env: Env, now: number): Check[] {
  const { values } = loadSettings({ user: paths.config }, env);
  const access = modelAccess(values, env);
  if (access === undefined) return [{ name: "model", state: "ok", message: "none; nothing is sent anywhere" }];
  const checks = [checkAccess(access), checkPrices(access, values), ...checkStore(paths, values, env, now)];
  return checks.filter((check) => check !== undefined);
}

function checkStore(paths: Paths, settings: Settings, env: Env, now: number): (Check | undefined)[] {
  if (!hasSqlite()) return [];
  try {
    return withDrained(paths, (db) => [checkPause(db, settings, env, now), checkBudget(db, settings, now)]);
  } catch {
    // The check of the database says why.
    return [];
  }
}

function checkAccess(access: ModelAccess): Check {
  const { provider, model, baseUrl, apiKeyEnv, apiKey, command } = access;
  const problem = (message: string, fix: string): Check => ({ name: "model", state: "fail", message, fix });
  if (provider === "claude") {
    if (command !== undefined) return { name: "model", state: "ok", message: `${model} by ${command}` };
    return problem("the claude command was not found", "Install Claude Code, or choose another provider");
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return problem(`baseUrl is no address: ${baseUrl}`, "Run: c-mem config set baseUrl https://…");
  }
  if (apiKeyEnv !== "" && apiKey === undefined) {
    const fix = `Set ${apiKeyEnv} where your agent runs, or name another variable: c-mem config set apiKeyEnv NAME`;
    return problem(`${apiKeyEnv} is not set here`, fix);
  }
  const isOpen = url.protocol === "http:" && !/^(?:localhost|127\.|\[::1\]|host\.docker\.internal)/.test(url.hostname);
  if (isOpen && apiKey !== undefined) {
    return {
      name: "model",
      state: "warn",
      message: `${baseUrl} is not encrypted: the key and what was done can be read on the way`,
      fix: "Use https",
    };
  }
  return { name: "model", state: "ok", message: `${model} at ${baseUrl}` };
}

function checkPrices({ provider, model }: ModelAccess, settings: Settings): Check | undefined {
  const odd = Object.entries(settings.prices).filter(([, price]) => parsePrice(price) === undefined);
  const how = `Run: c-mem config set prices '{"${model}": "0.25/1.25"}' (dollars per million tokens in/out)`;
  if (odd.length > 0) {
    return {
      name: "prices",
      state: "fail",
      message: `not understood: ${odd.map(([name]) => name).join(", ")}`,
      fix: how,
    };
  }
  if (priceOf({ name: provider, model }, settings) !== undefined) return undefined;
  return {
    name: "prices",
    state: "warn",
    message: `the price of ${model} is not known: the limits in dollars do not hold, those in tokens do`,
    fix: how,
  };
}

function checkPause(db: Db, settings: Settings, env: Env, now: number): Check | undefined {
  const provider = openProvider(settings, env);
  const pause = provider && findPause(db, provider.fingerprint);
  if (pause === undefined || !isPausing(pause, now)) return undefined;
  const since = ago(pause.created_at, now);
  if (pause.until !== null) {
    const seconds = Math.ceil((pause.until - now) / 1000);
    return {
      name: "model asked",
      state: "warn",
      message: `waits ${seconds} s more after ${pause.kind} (${pause.message})`,
    };
  }
  return {
    name: "model asked",
    state: "fail",
    message: `not since ${since}: ${pause.message}`,
    fix: "Mend the key, the model or the address; the same ones are tried again by: c-mem worker retry",
  };
}

function checkBudget(db: Db, settings: Settings, now: number): Check {
  const { tokens, microUsd, declined } = spentOn(db, localDay(now));
  const spent = `today ${tokens.toLocaleString("en")} of ${settings.tokensPerDay.toLocaleString("en")} tokens, $${(microUsd / 1e6).toFixed(2)} of $${settings.usdPerDay}`;
  if (declined === 0) return { name: "model budget", state: "ok", message: spent };
  const turns = declined === 1 ? "1 turn keeps" : `${declined.toLocaleString("en")} turns keep`;
  return {
    name: "model budget",
    state: "warn",
    message: `${spent}; used up: ${turns} the version made without a model`,
    fix: "It begins anew tomorrow; `c-mem config` shows the limits, `c-mem cost` what was spent",
  };
}
