// The agents C-Mem knows, one row each.
import type { AgentEvent } from "../core/event.ts";
import { type HookCall, hookEvent } from "./claude-code/event.ts";

export interface AgentSpec {
  id: string;
  label: string;
  /** Reduces what a hook command was sent to our event. */
  hookEvent(call: HookCall): AgentEvent | undefined;
}

export const CLAUDE_CODE: AgentSpec = { id: "claude-code", label: "Claude Code", hookEvent };
