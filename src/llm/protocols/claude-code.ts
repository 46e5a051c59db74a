// Uses the user's Claude Code as a model. Runs `claude -p` for each request, without settings, hooks, plugins, MCP
// servers, CLAUDE.md and transcripts. C_MEM_ENABLED=0 disables C-Mem's hooks if they run anyway.
import { mkdirSync } from "node:fs";
import { asObject, asString, parseJson } from "../../core/json.ts";
import { filterText } from "../../core/privacy/filter.ts";
import { oneLine } from "../../core/text.ts";
import { type ChildResult, runChild } from "../child.ts";
import { LlmError, type LlmErrorKind } from "../error.ts";
import { reportedCost } from "../price.ts";
import type { LlmReply, Usage } from "../provider.ts";
import { replyValue } from "../reply-value.ts";
import { jsonOnly } from "../template.ts";
import type { SendRequest } from "./http-protocol.ts";
import { addUsage } from "./messages.ts";

export interface ClaudeCode {
  /** The executable; undefined if it was not found. */
  command: string | undefined;
  model: string;
  timeoutMs: number;
  /** Always the same folder, because Claude Code records every folder it runs in. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

export function claudeCodeProtocol(claude: ClaudeCode): SendRequest {
  return async (request, signal) => {
    if (claude.command === undefined) throw new LlmError("not-found", "The claude command was not found");
    mkdirSync(claude.cwd, { recursive: true, mode: 0o700 });
    const result = await runChild({
      command: claude.command,
      args: argumentsFor(claude.model, `${request.system}\n\n${jsonOnly(request.schema)}`),
      cwd: claude.cwd,
      env: environmentFor(claude.env, request.maxOutputTokens),
      input: request.text,
      timeoutMs: claude.timeoutMs,
      signal,
    });
    return finish(result);
  };
}

function argumentsFor(model: string, system: string): string[] {
  const options = {
    "--output-format": "json",
    "--model": model,
    "--system-prompt": system,
    "--tools": "",
    "--setting-sources": "",
    "--settings": '{"disableAllHooks":true}',
    "--max-turns": "1",
  };
  const switches = ["-p", "--strict-mcp-config", "--no-session-persistence", "--disable-slash-commands"];
  return [...switches, ...Object.entries(options).flat()];
}

/** Variables of the session that started this process. With them, Claude Code would join that session. */
const SESSION_VARIABLES =
  /^(?:CLAUDECODE|CLAUDE_(?:PROJECT_DIR|PLUGIN_\w+|ENV_FILE|PID)|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|CHILD_SESSION|SESSION_\w+))$/;

function environmentFor(env: ClaudeCode["env"], maxOutputTokens: number): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !SESSION_VARIABLES.test(name))),
    C_MEM_ENABLED: "0",
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
    // No retries here: the worker sends a failed request again.
    CLAUDE_CODE_MAX_RETRIES: "0",
    CLAUDE_CODE_DISABLE_THINKING: "1",
    CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}

function finish({ status, stdout, stderr }: ChildResult): LlmReply {
  const result = asObject(parseJson(stdout));
  // Without a result, Claude Code sent no request: not logged in, no connection, or a wrong option.
  if (result?.["type"] !== "result") throw failure(stderr || stdout || `exit code ${status}`, "nothing");
  const text = asString(result["result"]) ?? "";
  const usage = { ...addUsage(undefined, result), ...reportedCost(result["total_cost_usd"]) };
  const stopReason = asString(result["stop_reason"]);
  if (stopReason === "refusal") throw new LlmError("refusal", "The model declined to answer", { spent: usage });
  if (stopReason === "max_tokens" || /exceeded the \d+ output token maximum/i.test(text)) {
    throw new LlmError("truncated", "The answer was cut off", { spent: usage });
  }
  if (result["is_error"] === true || status !== 0) {
    throw failure(text || stderr || `exit code ${status}`, usage.inputTokens > 0 ? usage : "nothing");
  }
  const [model = ""] = Object.keys(asObject(result["modelUsage"]) ?? {});
  return { value: replyValue(text), text, usage, model };
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

function failure(words: string, spent: Usage | "nothing"): LlmError {
  const kind = FAILURES.find(([, pattern]) => pattern.test(words))?.[0] ?? "server";
  // "Claude AI usage limit reached|1763200000" has the time in seconds at which the limit ends.
  const until = Number(/\|(\d{10})\b/.exec(words)?.[1] ?? Number.NaN) * 1000;
  const retryAfterMs = Number.isFinite(until) ? Math.max(0, until - Date.now()) : undefined;
  return new LlmError(kind, `claude: ${oneLine(filterText(words), 300)}`, { spent, retryAfterMs });
}
