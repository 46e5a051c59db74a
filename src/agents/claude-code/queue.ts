// Prompts typed while the agent was at work. They wait in the client's queue: some are then handed over in the middle of
// the turn and never get a line of their own, others get one once the turn is over. Hooks see them when they are typed.
import type { AgentEvent } from "../../core/event.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { emit, type Turn } from "../turn.ts";
import { asObject, asString, asTime, type JsonObject } from "../../core/json.ts";
import { typedPrompt } from "./prompt.ts";

export interface QueuedPrompt {
  text: string;
  at: number;
  /** The turn it was typed in. */
  promptId?: string;
  isTold: boolean;
}

/** More do not wait at a time; the oldest have long been answered. */
const MAX_QUEUED = 50;

/** Returns the prompt, if it is wholly private: then what follows in this turn may be for it. */
export function enqueue(queue: QueuedPrompt[], turn: Turn, line: JsonObject): string | undefined {
  const text = typedPrompt(asString(line["content"]) ?? "");
  const at = asTime(line["timestamp"]);
  if (text === undefined || at === undefined) return undefined;
  if (isWhollyPrivate(text)) return text;
  if (!turn.isPrivate)
    queue.push({ text, at, ...(turn.promptId !== undefined && { promptId: turn.promptId }), isTold: false });
  queue.splice(0, queue.length - MAX_QUEUED);
  return undefined;
}

/** Newer versions say what was taken out of the queue, or note what was handed over; it is told of at once. */
export function takeQueued(queue: QueuedPrompt[], turn: Turn, line: JsonObject): AgentEvent[] {
  const attachment = asObject(line["attachment"]);
  if (attachment !== undefined && attachment["commandMode"] !== "prompt") return [];
  const text = typedPrompt(asString(attachment?.["prompt"] ?? line["content"]) ?? "");
  if (text === undefined) return [];
  const known = queue.find((one) => one.text === text);
  if (known !== undefined) return known.isTold ? [] : tell(turn, known);
  const at = asTime(attachment?.["timestamp"]) ?? asTime(line["timestamp"]);
  const { promptId } = turn;
  return attachment === undefined || at === undefined || isWhollyPrivate(text)
    ? []
    : tell(turn, { text, at, ...(promptId !== undefined && { promptId }), isTold: false });
}

/** Somebody took them back to go on typing. */
export function forgetQueued(queue: QueuedPrompt[]): QueuedPrompt[] {
  return queue.filter((one) => one.isTold);
}

/** When a prompt that now begins a turn was typed, if it waited in the queue. */
export function typedAt(queue: QueuedPrompt[], text: string): number | undefined {
  const index = queue.findIndex((one) => one.text === text);
  return index < 0 ? undefined : queue.splice(index, 1)[0]?.at;
}

/** What no line has spoken of since: it was handed over in the middle of a turn. */
export function tellQueued(queue: readonly QueuedPrompt[], turn: Turn): AgentEvent[] {
  return queue.filter((one) => !one.isTold).flatMap((one) => tell(turn, one));
}

function tell(turn: Turn, prompt: QueuedPrompt): AgentEvent[] {
  prompt.isTold = true;
  const { text, at, promptId } = prompt;
  return emit(turn, { kind: "prompt", ...(promptId !== undefined && { promptId }), text }, at);
}
