// The agents beside Claude Code that C-Mem can be installed into, one row each. Apart from spec.ts: only `install` and those who look after it
// need what edits files.
import { codexSetup } from "./codex/setup.ts";
import { copilotSetup } from "./copilot-cli/setup.ts";
import { cursorSetup } from "./cursor/setup.ts";
import { geminiSetup } from "./gemini-cli/setup.ts";
import { openCodeSetup } from "./opencode/setup.ts";
import type { AgentSetup } from "./setup.ts";

export const SETUPS: readonly AgentSetup[] = [codexSetup, geminiSetup, copilotSetup, openCodeSetup, cursorSetup];
