// How C-Mem is doing in the agents beside Claude Code it was installed into.
import { spawnSync } from "node:child_process";
import { SETUPS } from "../agents/setups.ts";
import { type InstalledAgent, readInstall } from "../platform/state/install-record.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { HookRun } from "../store/tables/drops.ts";
import { agentContext, inspectAgent } from "./agent-state.ts";
import type { Check } from "./health.ts";

/** Not only whether its hooks are in place: what they run is run, with nothing on stdin. */
export function checkAgents(paths: Paths, env: Env): Check[] {
  const record = readInstall(paths.install);
  if (record?.agents === undefined) return [];
  const context = agentContext(paths, env, record.node);
  return SETUPS.filter(({ id }) => record.agents?.[id] !== undefined).map((setup) => {
    const { missing } = inspectAgent(setup, context, record.agents?.[setup.id]);
    const fix = `Run: c-mem install ${setup.id}`;
    if (missing.length > 0) {
      return { name: setup.label, state: "fail", message: `not, or not up to date, in ${missing.join(", ")}`, fix };
    }
    const { node, hook } = context.program;
    const { status, stdout } = spawnSync(node, [hook, "save", "--agent", setup.id], {
      input: "",
      encoding: "utf8",
      timeout: 10_000,
    });
    if (status === 0 && stdout === "{}\n")
      return { name: setup.label, state: "ok", message: `in place; its model is told at ${setup.told.join(", ")}` };
    return { name: setup.label, state: "fail", message: `${node} ${hook} does not run`, fix };
  });
}

export interface AgentRuns {
  id: string;
  label: string;
  installed: boolean;
  lastAt: number | undefined;
  count: number;
}

/** Each agent C-Mem was installed into, or whose hooks have fired, and when they did last. */
export function agentRuns(paths: Paths, runs: readonly HookRun[]): AgentRuns[] {
  const installed: Record<string, InstalledAgent> = readInstall(paths.install)?.agents ?? {};
  return SETUPS.flatMap(({ id, label }) => {
    const own = runs.filter(({ hook }) => hook.startsWith(`${id} `));
    const isInstalled = installed[id] !== undefined;
    if (!isInstalled && own.length === 0) return [];
    const lastAt = own.length === 0 ? undefined : Math.max(...own.map((run) => run.last_at));
    return [{ id, label, installed: isInstalled, lastAt, count: own.reduce((sum, run) => sum + run.count, 0) }];
  });
}
