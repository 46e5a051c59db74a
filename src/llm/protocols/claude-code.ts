// Uses the user's Claude Code as a model. Runs `claude -p` for each request, without settings, hooks, plugins, MCP
// servers, CLAUDE.md and transcripts.
import { mkdirSync } from "node:fs";
import type { Env } from "../../config/paths.ts";
import { asObject, parseJson } from "../../core/json.ts";
import { type ChildResult, runChild } from "../child.ts";
import type { LlmReply } from "../provider.ts";
import { jsonOnly } from "../template.ts";
import { failure, isolatedEnv, isolatedSettings, replyOf } from "./claude-result.ts";
import type { SendRequest } from "./http-protocol.ts";

export interface ClaudeCode {
  command: string;
  model: string;
  timeoutMs: number;
  /** Always the same folder, because Claude Code records every folder it runs in. */
  cwd: string;
  env: Env;
}

export function claudeCodeProtocol(claude: ClaudeCode): SendRequest {
  return async (request, signal) => {
    mkdirSync(claude.cwd, { recursive: true, mode: 0o700 });
    const result = await runChild({
      command: claude.command,
      args: argumentsFor(claude, `${request.system}\n\n${jsonOnly(request.schema)}`),
      cwd: claude.cwd,
      // Each request has another text, which no later one would read from the cache.
      env: isolatedEnv(claude.env, { maxOutputTokens: request.maxOutputTokens, caches: false }),
      input: request.text,
      timeoutMs: claude.timeoutMs,
      signal,
    });
    return finish(result);
  };
}

function argumentsFor({ model, env }: ClaudeCode, system: string): string[] {
  const options = {
    "--output-format": "json",
    "--model": model,
    "--system-prompt": system,
    "--tools": "",
    "--setting-sources": "",
    "--settings": JSON.stringify(isolatedSettings(env)),
    "--max-turns": "1",
  };
  const switches = ["-p", "--strict-mcp-config", "--no-session-persistence", "--disable-slash-commands"];
  return [...switches, ...Object.entries(options).flat()];
}

function finish({ status, stdout, stderr }: ChildResult): LlmReply {
  const result = asObject(parseJson(stdout));
  // Without a result, Claude Code sent no request: not logged in, no connection, or a wrong option.
  if (result?.["type"] !== "result") throw failure(stderr || stdout || `exit code ${status}`, "nothing");
  const isError = result["is_error"] === true || status !== 0;
  return replyOf({ ...result, is_error: isError }, stderr || `exit code ${status}`);
}
