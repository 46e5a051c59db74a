// A fake Agent SDK: its `query` starts a program, plays scenes and logs its calls. Installed where C-Mem looks for it.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { resolvePaths } from "../../src/config/paths.ts";
import { AGENT_SDK_VERSION, agentSdkFolder, PLATFORM } from "../../src/llm/agent-sdk/package.ts";
import { type Scene, USAGE } from "./scenes.ts";

export interface AgentCall {
  text: string;
  options: Record<string, unknown> & { cwd: string; env: Record<string, string>; resume?: string };
}

export interface FakeAgentSdk {
  /** For C_MEM_HOME. */
  home: string;
  /** One for each message. */
  calls(): AgentCall[];
}

/** One scene per message; the last one is repeated. */
export function fakeAgentSdk(script: readonly Scene[]): FakeAgentSdk {
  const home = mkdtempSync(join(tmpdir(), "c-mem-sdk-"));
  const module = join(
    agentSdkFolder(resolvePaths({ C_MEM_HOME: home })),
    "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs",
  );
  const log = join(home, "calls.jsonl");
  mkdirSync(dirname(module), { recursive: true });
  mkdirSync(`${dirname(module)}-${PLATFORM}`);
  writeFileSync(join(dirname(module), "package.json"), JSON.stringify({ version: AGENT_SDK_VERSION }));
  writeFileSync(log, "");
  writeFileSync(module, program(script, log));
  const calls = () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as AgentCall);
  return { home, calls };
}

/** The program only waits for the end of its input; `query` plays the scenes itself. */
function program(script: readonly Scene[], log: string): string {
  return `
import { appendFileSync, readFileSync } from "node:fs";
const script = ${JSON.stringify(script)};
const usage = { inputTokens: ${USAGE.input - 4}, cacheReadInputTokens: 3, cacheCreationInputTokens: 1, outputTokens: ${USAGE.output}, costUSD: 0.0012 };
export async function* query({ prompt, options }) {
  const { spawnClaudeCodeProcess, ...rest } = options;
  const child = spawnClaudeCodeProcess({ command: process.execPath, args: ["-e", "process.stdin.on('end', () => process.exit()).resume()"], cwd: options.cwd, env: options.env });
  const exit = new Promise((done) => child.once("exit", done));
  const session_id = options.resume ?? crypto.randomUUID();
  let turns = 0;
  for await (const { message } of prompt) {
    const at = readFileSync(${JSON.stringify(log)}, "utf8").split("\\n").length - 1;
    appendFileSync(${JSON.stringify(log)}, JSON.stringify({ text: message.content, options: rest }) + "\\n");
    const scene = script[Math.min(at, script.length - 1)];
    turns += 1;
    const result = (fields, used = usage) => ({ type: "result", subtype: "success", is_error: false, result: "", session_id,
      total_cost_usd: 0.0012 * turns, modelUsage: { "model-of-the-server": {} }, model_usage_since_last_result: { "model-of-the-server": used }, ...fields });
    const failed = (text) => result({ is_error: true, result: text }, {});
    yield { type: "system", subtype: "init", session_id };
    switch (scene.kind) {
      case "answer": yield result({ result: JSON.stringify(scene.value) }); break;
      case "words": yield result({ result: scene.text }); break;
      case "refusal": yield result({ stop_reason: "refusal" }); break;
      case "truncated": yield result({ stop_reason: "max_tokens" }); break;
      case "status": yield failed("API Error: " + scene.status + " " + (scene.message ?? "no")); break;
      case "reset": yield failed("API Error: Connection error."); break;
      case "flood": for (;;) yield { type: "stream_event" };
      case "nonsense": throw new Error("Claude Code process exited with code 1");
      default: await exit; throw new Error("Claude Code process terminated by signal SIGKILL");
    }
  }
  child.stdin.end();
}
`;
}
