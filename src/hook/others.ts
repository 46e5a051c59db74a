// What the hooks of agents other than Claude Code need. Built as agents.cjs, loaded only for them.
import { codexWire } from "../agents/codex/event.ts";
import { copilotWire } from "../agents/copilot-cli/event.ts";
import { cursorWire } from "../agents/cursor/event.ts";
import { geminiWire } from "../agents/gemini-cli/event.ts";
import type { HookWire } from "../agents/hook-wire.ts";
import { openCodeWire } from "../agents/opencode/event.ts";
import { AppError } from "../core/error.ts";
import { hasRulesFile, refreshRules } from "./rules-file.ts";

export interface OtherAgents {
  wireOf(agent: string): HookWire;
  hasRulesFile: typeof hasRulesFile;
  refreshRules: typeof refreshRules;
}

const WIRES: Readonly<Record<string, HookWire>> = {
  codex: codexWire,
  "gemini-cli": geminiWire,
  "copilot-cli": copilotWire,
  opencode: openCodeWire,
  cursor: cursorWire,
};

export function wireOf(agent: string): HookWire {
  const wire = Object.hasOwn(WIRES, agent) ? WIRES[agent] : undefined;
  if (wire === undefined) throw new AppError("usage", "--agent names no agent whose hooks are known");
  return wire;
}

export { hasRulesFile, refreshRules };
