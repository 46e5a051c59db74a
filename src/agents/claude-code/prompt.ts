// Separates the prompts that a person typed from the text that Claude Code writes in the user role.
import { asObjects, asString, type Json } from "../../core/json.ts";
import { isMachinePrompt } from "./event.ts";

/** Commands to Claude Code itself, for which no hook runs. All other commands are prompts. */
const OWN_COMMANDS = new Set(
  (
    "add-dir agents bug clear color compact config context copy cost desktop doctor effort exit export extra-usage fast feedback help hooks ide " +
    "keybindings login logout mcp memory mobile model output-style passes permissions plugin plugins privacy-settings quit rate-limit-options " +
    "reload-plugins release-notes remote-control rename resume rewind sandbox skills stats status statusline stickers tasks terminal-setup theme " +
    "todos upgrade usage vim voice"
  ).split(" "),
);

/** Start of "[Request interrupted by user]" and "[Request interrupted by user for tool use]". */
const INTERRUPTION = "[Request interrupted";

/** True for the message that Claude Code writes in the user role when the user presses Esc. */
export function isInterruption(content: Json | undefined): boolean {
  if (typeof content === "string") return content.startsWith(INTERRUPTION);
  return asObjects(content).some(({ type, text }) => type === "text" && asString(text)?.startsWith(INTERRUPTION));
}

/** True for the notice that wakes the agent when background work has ended. */
export function isWakeUp(content: Json | undefined): boolean {
  return typeof content === "string" && /^\s*<(?:task-notification|teammate-message)\b/.test(content);
}

export function promptText(content: Json | undefined): string | undefined {
  const blocks = asObjects(content).map((block) => asString(block["text"]) ?? "");
  const text = typeof content === "string" ? content : blocks.join("\n");
  if (text.trim() === "" || isMachinePrompt(text) || text.startsWith(INTERRUPTION)) return undefined;
  const command = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]?.trim();
  if (command === undefined) return text;
  if (OWN_COMMANDS.has(command.replace(/^\//, ""))) return undefined;
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? "";
  return `${command} ${args}`.trim();
}

/** Like `promptText`, for an entry of the queue: commands are as typed ("/model x"), tasks are JSON. */
export function queuedPromptText(text: string): string | undefined {
  const command = /^\/(\S*)/.exec(text)?.[1];
  if (/^\s*\{"task_id"/.test(text) || OWN_COMMANDS.has(command ?? "")) return undefined;
  return promptText(text);
}
