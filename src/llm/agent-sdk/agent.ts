// A running query of the Agent SDK: takes one message at a time and returns its result.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { pathToFileURL } from "node:url";
import type { Env } from "../../config/paths.ts";
import { asObject, asString, type JsonObject } from "../../core/json.ts";
import { killGroup } from "../child.ts";
import { LlmError } from "../error.ts";

/** The part of the SDK that C-Mem uses. */
interface AgentSdk {
  query(call: { prompt: AsyncIterable<UserMessage>; options: Record<string, unknown> }): AsyncIterator<unknown>;
}

interface UserMessage {
  type: "user";
  session_id: string;
  parent_tool_use_id: null;
  message: { role: "user"; content: string };
}

export interface AgentOptions {
  /** The path of the SDK's module. */
  module: string;
  cwd: string;
  env: Env;
  model: string;
  system: string;
  settings: object;
  /** The conversation to continue. */
  resume: string | undefined;
}

export interface Agent {
  /** Returns the SDK's result message. */
  ask(text: string): Promise<JsonObject>;
  /** False if the program has ended, e.g. because it was killed while it waited. */
  isRunning(): boolean;
  /** While it waits for the next message, the program does not keep this process alive: it ends with it. */
  setIdle(isIdle: boolean): void;
  /** True once the program may have sent a request to the model. */
  hasBegun(): boolean;
  /** What the program reported, if it fails without a result. */
  stderr(): string;
  /** Lets the program write its transcript and exit, or kills it after two seconds. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

const STDERR_CHARS = 4_096;
const EXIT_MS = 2_000;
/** One answer takes about ten messages. */
const MAX_MESSAGES = 1_000;

export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { query } = (await import(pathToFileURL(options.module).href)) as AgentSdk;
  const input = messageQueue();
  let child: ChildProcess | undefined;
  let stderr = "";
  let hasBegun = false;
  const messages = query({
    prompt: input.messages,
    options: {
      ...isolation(options),
      // A process group of its own, so that the program's children can be killed, too.
      spawnClaudeCodeProcess: ({
        command,
        args,
        cwd,
        env,
      }: {
        command: string;
        args: string[];
        cwd: string;
        env: Env;
      }) => {
        child = spawn(command, args, { cwd, env, windowsHide: true, detached: process.platform !== "win32" });
        child.stderr
          ?.setEncoding("utf8")
          .on("data", (chunk: string) => (stderr = (stderr + chunk).slice(-STDERR_CHARS)));
        return child;
      },
    },
  });
  const isRunning = (): boolean => child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const exited = async (): Promise<void> => {
    if (child !== undefined && isRunning()) await once(child, "exit");
  };
  const kill = async (): Promise<void> => {
    if (child !== undefined) killGroup(child);
    await exited();
  };
  return {
    async ask(text) {
      input.push(text);
      for (let count = 0; count < MAX_MESSAGES; count++) {
        const { value, done } = await messages.next();
        if (done) throw new Error("the program ended without an answer");
        const message = asObject(value) ?? {};
        hasBegun ||= message["type"] === "system" && message["subtype"] === "init";
        if (message["type"] === "result") return message;
      }
      throw new LlmError("too-large", `The answer is over ${MAX_MESSAGES} messages`, { spent: "unknown" });
    },
    isRunning,
    setIdle(isIdle) {
      // Pipes are sockets, but their types do not say so.
      for (const handle of [child, child?.stdin, child?.stdout, child?.stderr] as (Partial<Socket> | undefined)[])
        if (isIdle) handle?.unref?.();
        else handle?.ref?.();
    },
    hasBegun: () => hasBegun,
    stderr: () => stderr,
    async stop() {
      input.end();
      void readToEnd(messages);
      const timer = setTimeout(() => child !== undefined && killGroup(child), EXIT_MS);
      await exited();
      clearTimeout(timer);
    },
    kill,
  };
}

async function readToEnd(messages: AsyncIterator<unknown>): Promise<void> {
  try {
    while (!(await messages.next()).done);
  } catch {
    // Killed because it did not exit in time.
  }
}

/** Without tools, MCP servers, hooks and settings of the user; the conversation is the only thing it keeps. */
function isolation({ cwd, env, model, system, settings, resume }: AgentOptions): Record<string, unknown> {
  return {
    cwd,
    env,
    model,
    systemPrompt: system,
    tools: [],
    mcpServers: {},
    strictMcpConfig: true,
    settingSources: [],
    settings,
    maxTurns: 1,
    extraArgs: { "disable-slash-commands": null },
    ...(resume !== undefined && { resume }),
  };
}

/** The messages that the SDK reads: it waits for the next one until `end`. */
function messageQueue() {
  const waiting: string[] = [];
  let isEnded = false;
  let wake = (): void => {};
  async function* messages(): AsyncGenerator<UserMessage> {
    for (;;) {
      const content = waiting.shift();
      if (content !== undefined) {
        yield { type: "user", session_id: "", parent_tool_use_id: null, message: { role: "user", content } };
      } else if (isEnded) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    messages: messages(),
    push(text: string): void {
      waiting.push(text);
      wake();
    },
    end(): void {
      isEnded = true;
      wake();
    },
  };
}

export function sessionIdOf(result: JsonObject): string | undefined {
  return asString(result["session_id"]);
}
