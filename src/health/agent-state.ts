// What of C-Mem stands in an agent's files now.
import { join } from "node:path";
import { bundlePath, pluginFolder } from "../agents/claude-code/install.ts";
import { readSettings } from "../agents/agent-files.ts";
import type { AgentSetup, ManagedFile, Program } from "../agents/setup.ts";
import type { InstalledAgent } from "../platform/state/install-record.ts";
import type { Env, Paths } from "../config/paths.ts";

export interface AgentContext {
  env: Env;
  program: Program;
  /** Where copies from before go. */
  backups: string;
}

export function agentContext(paths: Paths, env: Env, node: string): AgentContext {
  const dist = join(pluginFolder(paths.plugin), "dist");
  const program = { node, hook: bundlePath(paths.plugin), mcp: join(dist, "mcp.cjs"), cache: paths.cache };
  return { env, program, backups: paths.backups };
}

export interface AgentState {
  /** Files with ours in them. */
  there: string[];
  /** Files where ours is missing or of another version. */
  missing: string[];
}

/** How it is now; a file that cannot be understood counts as missing. */
export function inspectAgent(
  setup: AgentSetup,
  { env, program }: AgentContext,
  known: InstalledAgent | undefined,
): AgentState {
  const state: AgentState = { there: [], missing: [] };
  for (const file of setup.files(env, program, known?.projects ?? [])) {
    (isInPlace(file) ? state.there : state.missing).push(file.path);
  }
  return state;
}

function isInPlace(file: ManagedFile): boolean {
  try {
    const text = readSettings(file.path);
    return text !== undefined && file.add(text) === text;
  } catch {
    return false;
  }
}
