// Prompts typed while the agent works. They wait in Claude Code's queue: some are handed over during the turn and never
// get a line of their own, others get one when the turn is over. The hook runs when a prompt is typed.
import type { AgentEvent } from "../../core/event.ts";
import { asObject, asString, asTime, type JsonObject } from "../../core/json.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { emit, type Turn } from "../turn.ts";
import { queuedPromptText } from "./prompt.ts";

export interface QueuedPrompt {
  text: string;
  at: number;
  /** The turn in which the prompt was typed. */
  promptId?: string;
  /** True once its event was emitted. */
  isTold: boolean;
}

/** Limit of prompts; the oldest are dropped, because they were certainly answered. */
const MAX_QUEUED = 50;

/** Returns "private" for a wholly private prompt: the rest of the turn may be an answer to it. */
export function enqueue(queue: QueuedPrompt[], turn: Turn, line: JsonObject): "private" | undefined {
  const text = queuedPromptText(asString(line["content"]) ?? "");
  const at = asTime(line["timestamp"]);
  if (text === undefined || at === undefined) return undefined;
  if (isWhollyPrivate(text)) return "private";
  if (!turn.isPrivate) queue.push(queuedPrompt(text, at, turn));
  queue.splice(0, queue.length - MAX_QUEUED);
  return undefined;
}

function queuedPrompt(text: string, at: number, { promptId }: Turn): QueuedPrompt {
  return { text, at, ...(promptId !== undefined && { promptId }), isTold: false };
}

/** Newer versions log when a prompt leaves the queue, or attach it when it is handed over: emit its event then. */
export function readDequeued(queue: QueuedPrompt[], turn: Turn, line: JsonObject): AgentEvent[] {
  const attachment = asObject(line["attachment"]);
  if (attachment !== undefined && attachment["commandMode"] !== "prompt") return [];
  const text = queuedPromptText(asString(attachment?.["prompt"] ?? line["content"]) ?? "");
  if (text === undefined) return [];
  const known = queue.find((one) => one.text === text);
  if (known !== undefined) return emitQueued([known], turn);
  const at = asTime(attachment?.["timestamp"]) ?? asTime(line["timestamp"]);
  if (attachment === undefined || at === undefined || isWhollyPrivate(text)) return [];
  return emitQueued([queuedPrompt(text, at, turn)], turn);
}

/** Removes a prompt that now begins a turn. Returns the time at which it was typed. */
export function takeQueuedTime(queue: QueuedPrompt[], text: string): number | undefined {
  const index = queue.findIndex((one) => one.text === text);
  return index < 0 ? undefined : queue.splice(index, 1)[0]?.at;
}

/** Emits the prompts that were handed over during a turn, which have no line of their own. */
export function emitQueued(queue: readonly QueuedPrompt[], turn: Turn): AgentEvent[] {
  return queue.flatMap((prompt) => {
    if (prompt.isTold) return [];
    prompt.isTold = true;
    return emit(turn, { kind: "prompt", promptId: prompt.promptId, text: prompt.text }, prompt.at);
  });
}
