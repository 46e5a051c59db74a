// Makes one small request to the configured model, booked like any other, and explains why it failed.
import type { Env } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { asObject } from "../core/json.ts";
import { withCommas } from "../core/text.ts";
import { type ActualCost, failedCost, likelyCost, maximumCost, replyCost } from "../llm/budget.ts";
import { LlmError, type LlmErrorKind } from "../llm/error.ts";
import type { LlmReply, LlmRequest, Provider } from "../llm/provider.ts";
import { missingPart, type ModelAccess, modelAccess, openProvider } from "../llm/providers.ts";
import { sha256 } from "../platform/crypto.ts";
import type { Db } from "../store/db/driver.ts";
import { type Limit, limitsOf, reserve, settleRequest } from "../store/tables/ledger.ts";
import { clearPauses } from "../store/tables/model-pauses.ts";
import { type Check, fail, ok, type Result } from "./check.ts";

const REQUEST: LlmRequest = {
  system: "This is a test of the connection. Answer in the requested form.",
  text: "Set ok to true.",
  schema: {
    name: "record_test",
    about: "Records that the request arrived.",
    json: {
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
      additionalProperties: false,
    },
  },
  // The answer takes ten. Models that think first need more.
  maxOutputTokens: 1_000,
};

/** The name of the check. */
export const MODEL_ANSWER = "model answer";

export async function tryModel(db: Db, settings: Settings, env: Env): Promise<Check> {
  const access = modelAccess(settings, env);
  const provider = openProvider(settings, env);
  if (access === undefined || provider === undefined) {
    const message = "no model is configured, so none was tried: the built-in extractor writes the memory";
    return { name: MODEL_ANSWER, ...fail(message, "To choose one: c-mem config set provider NAME") };
  }
  const missing = missingPart(access);
  if (missing !== undefined) return { name: MODEL_ANSWER, ...fail(`not tried: ${missing.what}`, missing.fix) };
  return { name: MODEL_ANSWER, ...(await send(db, provider, access, settings)) };
}

async function send(db: Db, provider: Provider, access: ModelAccess, settings: Settings): Promise<Result> {
  const startedAt = Date.now();
  const likely = likelyCost(REQUEST, provider, settings);
  const cost = { maximum: maximumCost(REQUEST, provider, settings), likely };
  const requestHash = sha256(JSON.stringify(REQUEST)).slice(0, 16);
  const entry = { projectId: null, provider: provider.name, model: provider.model, purpose: "test", requestHash };
  const reservation = reserve(db, entry, cost, limitsOf(settings), startedAt);
  if ("over" in reservation) return overBudget(reservation.over);
  try {
    const reply = await provider.complete(REQUEST);
    const actual = replyCost(reply.usage, likely, provider, settings);
    settleRequest(db, reservation.id, "spent", actual);
    // The key and the address work, so the worker need not wait any longer.
    clearPauses(db, provider.fingerprint);
    return answered(reply, actual, access, Date.now() - startedAt);
  } catch (error) {
    const spent = error instanceof LlmError ? error.spent : "unknown";
    settleRequest(db, reservation.id, "failed", failedCost(spent, likely, provider, settings));
    if (error instanceof LlmError) return fail(`${placeOf(access)}: ${error.message}`, fixFor(error, access));
    throw error;
  }
}

function answered(reply: LlmReply, cost: ActualCost, access: ModelAccess, ms: number): Result {
  const price = cost.costMicroUsd === undefined ? "" : `, $${(cost.costMicroUsd / 1e6).toFixed(4)}`;
  const usage = `${(ms / 1000).toFixed(1)} s, ${withCommas(cost.inputTokens)} tokens in, ${withCommas(cost.outputTokens)} out${price}`;
  if (asObject(reply.value)?.["ok"] === true) return ok(`${placeOf(access)} answered (${usage})`);
  return fail(
    `${placeOf(access)} answered, but not in the requested form (${usage})`,
    "This model cannot write the memory. Choose another: c-mem config set model NAME",
  );
}

function placeOf({ model, baseUrl, provider }: ModelAccess): string {
  return baseUrl === "" ? `${model} through ${provider}` : `${model} at ${baseUrl}`;
}

function overBudget(limit: Limit): Result {
  const setting = limit.replace("microUsd", "usd");
  return fail(
    `not sent: it could exceed today's limit (${setting})`,
    `\`c-mem cost\` shows what was used. To raise the limit: c-mem config set ${setting} NUMBER`,
  );
}

function fixFor(error: LlmError, access: ModelAccess): string {
  return error.hint ?? FIXES[error.kind](access);
}

const NEXT_TIME = (): string => "Try again later: c-mem doctor --try-model";
const CHECK_MODEL = (): string => "Check the model's name: c-mem config set model NAME";

const FIXES: Readonly<Record<LlmErrorKind, (access: ModelAccess) => string>> = {
  auth: ({ apiKeyEnv, baseUrl }) => {
    if (baseUrl === "") return "Log in to Claude Code: run claude, then /login";
    if (apiKeyEnv === "") return "The server wants a key. Name its variable: c-mem config set apiKeyEnv NAME";
    return `Check the key in ${apiKeyEnv}, and that the account has credit`;
  },
  "not-found": ({ baseUrl }) =>
    baseUrl === "" ? CHECK_MODEL() : `${CHECK_MODEL()}, and the address: c-mem config set baseUrl URL`,
  network: ({ baseUrl }) =>
    baseUrl === ""
      ? "Check the network connection"
      : "Check that the server runs, and its address: c-mem config set baseUrl URL",
  timeout: () => "Choose a faster model, or wait longer: c-mem config set modelTimeoutSeconds 300",
  "rate-limit": NEXT_TIME,
  server: NEXT_TIME,
  aborted: NEXT_TIME,
  malformed: () => "Check the address, which may need /v1 at its end: c-mem config set baseUrl URL",
  refusal: CHECK_MODEL,
  truncated: () => "The model thinks for too long. Choose another: c-mem config set model NAME",
  "too-large": CHECK_MODEL,
  rejected: CHECK_MODEL,
};
