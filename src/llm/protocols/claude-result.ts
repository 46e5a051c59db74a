// The result of Claude Code, as `claude -p` prints it and the Agent SDK returns it, and what isolates both.
import { join } from "node:path";
import { claudeConfigDir } from "../../agents/claude-code/discover.ts";
import { readJson } from "../../agents/claude-code/site.ts";
import type { Env } from "../../config/paths.ts";
import { asCount, asObject, asString, type JsonObject } from "../../core/json.ts";
import { filterText } from "../../core/privacy/filter.ts";
import { oneLine } from "../../core/text.ts";
import { LlmError, type LlmErrorKind } from "../error.ts";
import { cacheTokens, reportedCost } from "../price.ts";
import type { LlmReply, Usage } from "../provider.ts";
import { replyValue } from "../reply-value.ts";
import { addUsage } from "./messages.ts";

/** Variables of the session that started this process. With them, Claude Code would join that session. */
const SESSION_VARIABLES =
  /^(?:CLAUDECODE|CLAUDE_(?:PROJECT_DIR|PLUGIN_\w+|ENV_FILE|PID)|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|CHILD_SESSION|SESSION_\w+))$/;

/** C_MEM_ENABLED=0 disables C-Mem's hooks if they run anyway. */
export function isolatedEnv(env: Env, { maxOutputTokens, caches }: { maxOutputTokens: number; caches: boolean }): Env {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !SESSION_VARIABLES.test(name))),
    C_MEM_ENABLED: "0",
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
    // Claude Code marks the end of each request for the cache, and writing costs a quarter more than other input.
    ...(!caches && { DISABLE_PROMPT_CACHING: "1" }),
    // No retries here: the worker sends a failed request again.
    CLAUDE_CODE_MAX_RETRIES: "0",
    CLAUDE_CODE_DISABLE_THINKING: "1",
    CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}

/** No hooks, and of the user's settings only the command that prints the key. */
export function isolatedSettings(env: Env): object {
  const settings = asObject(readJson(join(claudeConfigDir(env), "settings.json")));
  const apiKeyHelper = asString(settings?.["apiKeyHelper"]);
  return { disableAllHooks: true, ...(apiKeyHelper !== undefined && { apiKeyHelper }) };
}

/** `errorText`: shown if the result has no text. */
export function replyOf(result: JsonObject, errorText: string): LlmReply {
  const text = asString(result["result"]) ?? "";
  const usage = usageOf(result);
  const stopReason = asString(result["stop_reason"]);
  if (stopReason === "refusal") throw new LlmError("refusal", "The model declined to answer", { spent: usage });
  if (stopReason === "max_tokens" || /exceeded the \d+ output token maximum/i.test(text)) {
    throw new LlmError("truncated", "The answer was cut off", { spent: usage });
  }
  if (result["is_error"] === true) throw failure(text || errorText, usage.inputTokens > 0 ? usage : "nothing");
  const [model = ""] = Object.keys(asObject(result["modelUsage"]) ?? {});
  return { value: replyValue(text), text, usage, model };
}

/**
 * Of this request alone. `usage` has its tokens, but `total_cost_usd` is that of the whole conversation, also if it was
 * resumed. A single-shot result has no other cost.
 */
function usageOf(result: JsonObject): Usage {
  const models = asObject(result["model_usage_since_last_result"]);
  if (models === undefined) return { ...addUsage(undefined, result), ...reportedCost(result["total_cost_usd"]) };
  const rows = Object.values(models).map((row) => asObject(row) ?? {});
  const sum = (key: string): number => rows.reduce((total, row) => total + (asCount(row[key]) ?? 0), 0);
  const [read, write] = [sum("cacheReadInputTokens"), sum("cacheCreationInputTokens")];
  const costUsd = rows.reduce((total, row) => total + (reportedCost(row["costUSD"]).costUsd ?? 0), 0);
  return {
    inputTokens: sum("inputTokens") + read + write,
    outputTokens: sum("outputTokens"),
    ...cacheTokens(read, write),
    costUsd,
  };
}

/** Claude Code reports errors as text. */
const FAILURES: readonly [LlmErrorKind, RegExp][] = [
  ["auth", /\/login|log ?in|api key|authenticat|oauth|credit balance|\b40[123]\b|subscription/i],
  ["rate-limit", /usage limit|rate limit|limit reached|hit your .*limit|\b429\b/i],
  ["too-large", /prompt is too long|\b413\b/i],
  ["not-found", /\b404\b|model .*(?:not exist|not found|not have access)/i],
  ["network", /connection error|ECONN|ENOTFOUND|fetch failed|unable to connect/i],
  ["timeout", /timed? ?out/i],
];

export function failure(words: string, spent: Usage | "nothing" | "unknown"): LlmError {
  const kind = FAILURES.find(([, pattern]) => pattern.test(words))?.[0] ?? "server";
  // "Claude AI usage limit reached|1763200000" has the time in seconds at which the limit ends.
  const until = Number(/\|(\d{10})\b/.exec(words)?.[1] ?? Number.NaN) * 1000;
  const retryAfterMs = Number.isFinite(until) ? Math.max(0, until - Date.now()) : undefined;
  return new LlmError(kind, `claude: ${oneLine(filterText(words), 300)}`, { spent, retryAfterMs });
}
