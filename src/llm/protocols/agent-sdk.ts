// Claude's Agent SDK: one conversation for each recorded session. The program that it starts uses 200 MB, so it runs
// only while requests follow each other.
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Env } from "../../config/paths.ts";
import { asArray, asString, type JsonObject } from "../../core/json.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { type Agent, sessionIdOf, startAgent } from "../agent-sdk/agent.ts";
import {
  type Conversation,
  conversationFolder,
  deleteConversation,
  deleteOldConversations,
  readConversation,
  saveConversation,
} from "../agent-sdk/conversations.ts";
import { sha256 } from "../../platform/crypto.ts";
import { LlmError } from "../error.ts";
import conversationPrompt from "../prompts/conversation.md";
import type { LlmReply, LlmRequest, Provider } from "../provider.ts";
import { jsonOnly } from "../template.ts";
import { failure, isolatedEnv, isolatedSettings, replyOf } from "./claude-result.ts";
import type { SendRequest } from "./http-protocol.ts";

export interface AgentSdkServer {
  /** The path of the SDK's module. */
  module: string;
  model: string;
  timeoutMs: number;
  /** The folder of all conversations. */
  folder: string;
  env: Env;
}

/** A conversation sends everything that was said with each request. Above this, the next request begins a new one. */
export const CONVERSATION_TOKENS = 16_000;
/** How long the program waits for the next request of a row. */
const IDLE_MS = 20_000;

interface Running {
  agent: Agent;
  /** What the program was started with. Another request needs another program. */
  options: string;
  idle?: NodeJS.Timeout;
}

/** By folder. Shared by all providers, so that no two programs write the same conversation. */
const running = new Map<string, Running>();

export function agentSdkProtocol(
  server: AgentSdkServer,
): { send: SendRequest } & Required<Pick<Provider, "close" | "historyTokens">> {
  const folderOf = (name: string): string => conversationFolder(server.folder, name);
  return {
    async send(request, signal) {
      if (signal?.aborted) throw new LlmError("aborted", "The request was cancelled");
      deleteOldConversations(server.folder, Date.now());
      const folder = folderOf(request.conversation ?? randomUUID());
      try {
        return await ask(server, folder, request, signal);
      } finally {
        if (request.conversation === undefined) await discard(folder);
      }
    },
    historyTokens: (name) => readConversation(folderOf(name))?.tokens ?? 0,
    close: (name) => discard(folderOf(name)),
  };
}

async function ask(
  server: AgentSdkServer,
  folder: string,
  request: LlmRequest,
  signal: AbortSignal | undefined,
): Promise<LlmReply> {
  const before = conversationWithRoom(folder, request);
  if (before === undefined) await discard(folder);
  const { text, instructions } = messageFor(request, before);
  let current: Running | undefined;
  let deadline: Deadline | undefined;
  try {
    current = await runningFor(server, folder, request, before);
    const { agent } = current;
    deadline = startDeadline(server.timeoutMs, signal, () => void agent.kill());
    const result = await agent.ask(text);
    const reply = replyOf(result, errorsOf(result) || agent.stderr());
    const id = sessionIdOf(result);
    const tokens = reply.usage.inputTokens + reply.usage.outputTokens;
    if (id !== undefined) saveConversation(folder, { id, tokens, instructions });
    if (request.isRepeated) waitForNext(folder, current);
    else await stop(folder);
    return reply;
  } catch (error) {
    // A failed request stays out of the conversation: the next request begins a new one.
    await discard(folder);
    throw deadline?.error() ?? toLlmError(error, current?.agent);
  } finally {
    deadline?.end();
  }
}

function conversationWithRoom(folder: string, request: LlmRequest): Conversation | undefined {
  const found = readConversation(folder);
  return found !== undefined && found.tokens + estimateTokens(request.text) <= CONVERSATION_TOKENS ? found : undefined;
}

/**
 * A resumed conversation keeps its first system prompt, but the requests of a session have different ones. So they are
 * sent in messages, and only if they differ from the last ones.
 */
function messageFor({ system, schema, text }: LlmRequest, before: Conversation | undefined) {
  const words = `${system}\n\n${jsonOnly(schema)}`;
  const instructions = sha256(words);
  if (before?.instructions === instructions) return { text, instructions };
  return { text: `=== instructions ===\n${words}\n=== end of instructions ===\n\n${text}`, instructions };
}

async function runningFor(
  { module, model, env }: AgentSdkServer,
  folder: string,
  request: LlmRequest,
  before: Conversation | undefined,
): Promise<Running> {
  const { maxOutputTokens, isRepeated = false } = request;
  const options = JSON.stringify([module, model, maxOutputTokens, isRepeated]);
  const found = running.get(folder);
  clearTimeout(found?.idle);
  found?.agent.setIdle(false);
  if (found?.options === options && found.agent.isRunning()) return found;
  await stop(folder);
  const cwd = join(folder, "work");
  mkdirSync(cwd, { recursive: true, mode: 0o700 });
  const agent = await startAgent({
    module,
    cwd,
    model,
    system: conversationPrompt.trim(),
    settings: isolatedSettings(env),
    env: {
      ...isolatedEnv(env, { maxOutputTokens, caches: isRepeated }),
      CLAUDE_CONFIG_DIR: join(folder, "claude"),
      // The user's login stays where it is, and Claude Code renews it there. Empty: the usual place.
      CLAUDE_SECURESTORAGE_CONFIG_DIR: env["CLAUDE_SECURESTORAGE_CONFIG_DIR"] ?? env["CLAUDE_CONFIG_DIR"] ?? "",
    },
    resume: before?.id,
  });
  const started = { agent, options };
  running.set(folder, started);
  return started;
}

function waitForNext(folder: string, current: Running): void {
  current.idle = setTimeout(() => void stop(folder), IDLE_MS).unref();
  current.agent.setIdle(true);
}

async function stop(folder: string): Promise<void> {
  const found = running.get(folder);
  // Deleted by `forget`: the program must not write to it again.
  if (found !== undefined && readConversation(folder) === undefined) return discard(folder);
  running.delete(folder);
  clearTimeout(found?.idle);
  await found?.agent.stop();
}

async function discard(folder: string): Promise<void> {
  const found = running.get(folder);
  running.delete(folder);
  clearTimeout(found?.idle);
  await found?.agent.kill();
  deleteConversation(folder);
}

interface Deadline {
  /** Set if the time is over or the request was cancelled. */
  error(): LlmError | undefined;
  end(): void;
}

function startDeadline(timeoutMs: number, signal: AbortSignal | undefined, onStop: () => void): Deadline {
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any(signal === undefined ? [deadline] : [deadline, signal]);
  either.addEventListener("abort", onStop);
  return {
    error() {
      if (signal?.aborted) return new LlmError("aborted", "The request was cancelled", { spent: "unknown" });
      if (!deadline.aborted) return undefined;
      return new LlmError("timeout", `No answer within ${timeoutMs / 1000} s`, { spent: "unknown" });
    },
    end: () => either.removeEventListener("abort", onStop),
  };
}

function errorsOf(result: JsonObject): string {
  return asArray(result["errors"])
    .map(asString)
    .filter((text) => text !== undefined)
    .join("; ");
}

/** The SDK throws if its program fails; the program's own words say why. */
function toLlmError(error: unknown, agent: Agent | undefined): LlmError {
  if (error instanceof LlmError) return error;
  const words = agent?.stderr().trim() || (error as Error).message;
  return failure(words, agent?.hasBegun() ? "unknown" : "nothing");
}
