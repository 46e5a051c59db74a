// Chooses the agents to install into if the user named none: asks, and offers those found on this machine.
import { SETUPS } from "../agents/setups.ts";
import { findGitTree } from "../platform/git-tree.ts";
import type { AgentSetup, SetupProject } from "../agents/setup.ts";
import type { Env } from "../config/paths.ts";
import { statOf } from "../platform/read-file.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { say } from "./output.ts";
import { askWhich } from "./prompts.ts";

export const CLAUDE_CODE = "claude-code";

/** The agents that C-Mem can be installed into. */
export const INSTALLABLE: readonly string[] = [CLAUDE_CODE, ...SETUPS.map(({ id }) => id)];

/** If it must not ask (no terminal, --yes, --dry-run), chooses only Claude Code: other agents must be named. */
export async function chooseAgents(env: Env, isAsked: boolean, installed: readonly string[]): Promise<string[]> {
  const found = SETUPS.filter(({ folder }) => existsSync(folder(env)));
  if (found.length === 0) return [CLAUDE_CODE];
  if (!isAsked) {
    const others = found.filter(({ id }) => !installed.includes(id));
    const offers = others.map(({ label, id }) => `${label} (c-mem install ${id})`);
    if (offers.length > 0) say(`Also found: ${offers.join(", ")}.`);
    return [CLAUDE_CODE];
  }
  const options = [
    { value: CLAUDE_CODE, label: "Claude Code" },
    ...found.map(({ id, label }) => ({ value: id, label })),
  ];
  return askWhich("Which agents should C-Mem record? (space to toggle, enter to continue)", options);
}

export function setupsOf(names: readonly string[]): AgentSetup[] {
  return SETUPS.filter(({ id }) => names.includes(id));
}

/** The current working tree: an agent's files per project are written only where install ran. */
export function currentWorkingTree(cwd: string): SetupProject | undefined {
  const tree = findGitTree(cwd);
  if (tree === undefined) return undefined;
  const { top, gitDir, commonDir } = tree;
  // A `.git` file may point anywhere.
  const isRepository = statOf(join(commonDir, "objects"))?.isDirectory() === true;
  return isRepository ? { top, gitDir, exclude: join(commonDir, "info", "exclude") } : { top };
}
