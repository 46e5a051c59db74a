// A simulated agent: writes its transcript and runs its hooks, and continues if a hook is killed.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readLostEvents } from "../../src/platform/state/lost-events.ts";
import { resolvePaths } from "../../src/config/paths.ts";
import { run, type RunOptions, type World } from "../e2e/harness.ts";

export interface Agent {
  sessionId: string;
  /** Tool use ids by prompt id: all of them must be stored in the end. */
  turns: Map<string, string[]>;
  /** Ids of prompts and tool uses whose hook answered without losing its event: on a full disk it answers, too. */
  acknowledged: Set<string>;
  turn(): Promise<void>;
  end(): Promise<void>;
}

export interface AgentOptions {
  /** False: the agent writes no transcript, and C-Mem gets its events from hooks only. */
  hasTranscript?: boolean;
  onHook?: NonNullable<RunOptions["onStart"]>;
}

export function countLost(world: World): number {
  return readLostEvents(resolvePaths(world.env).lostEvents)?.count ?? 0;
}

export function createAgent(
  world: World,
  sessionId: string,
  random: () => number,
  { hasTranscript = true, onHook }: AgentOptions = {},
): Agent {
  const folder = join(world.claudeDir, "projects", "chaos");
  mkdirSync(folder, { recursive: true });
  const transcript = join(folder, `${sessionId}.jsonl`);
  const turns = new Map<string, string[]>();
  const acknowledged = new Set<string>();
  let lines = 0;

  /** Uses the real time even if the hooks get a wrong clock. */
  const write = (line: object) => {
    if (!hasTranscript) return;
    const about = { uuid: `${sessionId}-${lines++}`, sessionId, cwd: world.project, version: "2.1.325" };
    appendFileSync(transcript, `${JSON.stringify({ ...about, timestamp: new Date().toISOString(), ...line })}\n`);
  };
  const hook = async (command: string, payload: object, id?: string) => {
    const about = { session_id: sessionId, transcript_path: transcript, cwd: world.project };
    const lostBefore = countLost(world);
    const { status, signal, stdout, stderr } = await run(world, [command], {
      input: JSON.stringify({ ...about, ...payload }),
      ...(onHook && { onStart: onHook }),
    });
    if (signal === null && (status !== 0 || stderr !== ""))
      throw new Error(`${command} printed an error: ${status} ${stderr}`);
    const isAnswered = stdout.includes('"continue":true');
    if (id !== undefined && isAnswered && countLost(world) === lostBefore) acknowledged.add(id);
  };
  const assistant = (block: object, id: string) =>
    write({ type: "assistant", message: { id, role: "assistant", model: "opus", content: [block] } });
  const user = (content: unknown, promptId: string, extra: object = {}) =>
    write({ type: "user", promptId, message: { role: "user", content }, ...extra });

  async function useTool(promptId: string, id: string): Promise<void> {
    const input = { command: `npm run task-${id}` };
    assistant({ type: "tool_use", id, name: "Bash", input }, `m-${id}`);
    const stdout = `${id} is done. `.repeat(20);
    user([{ type: "tool_result", tool_use_id: id, content: stdout }], promptId, {
      toolUseResult: { stdout, stderr: "" },
    });
    const use = { tool_name: "Bash", tool_use_id: id, tool_input: input, tool_response: { stdout, stderr: "" } };
    await hook("save", { hook_event_name: "PostToolUse", prompt_id: promptId, ...use }, id);
  }

  return {
    sessionId,
    turns,
    acknowledged,
    async turn() {
      const promptId = `${sessionId}-p${turns.size + 1}`;
      const tools = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => `${promptId}-t${index}`);
      turns.set(promptId, tools);
      const prompt = `Do ${promptId}: run its tasks, and say when they are through.`;
      user(prompt, promptId, { promptSource: "typed" });
      await hook("new", { hook_event_name: "UserPromptSubmit", prompt_id: promptId, prompt }, promptId);
      for (const id of tools) await useTool(promptId, id);
      const words = `All of ${promptId} is through.`;
      assistant({ type: "text", text: words }, `m-${promptId}`);
      await hook("summary", { hook_event_name: "Stop", prompt_id: promptId, last_assistant_message: words });
    },
    end: () => hook("cleanup", { hook_event_name: "SessionEnd", reason: "other" }),
  };
}
