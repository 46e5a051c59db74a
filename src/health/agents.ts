// Checks the agents other than Claude Code that C-Mem was installed into.
import { spawnSync } from "node:child_process";
import { readSettings } from "../agents/settings-file.ts";
import { installedProgram } from "../agents/claude-code/install.ts";
import type { AgentSetup, ManagedFile, Program } from "../agents/setup.ts";
import { SETUPS } from "../agents/setups.ts";
import type { Env, Paths } from "../config/paths.ts";
import { readInstall } from "../platform/state/install-record.ts";
import type { HookRun } from "../store/tables/drops.ts";
import { type CheckRow, fail, type HealthContext, ok, type Result } from "./check.ts";

export type AgentContext = ReturnType<typeof agentContext>;

/** `backups` is the folder for copies of changed files. */
export function agentContext(paths: Paths, env: Env, node: string) {
  const program: Program = installedProgram({ target: paths.plugin, node, cache: paths.cache });
  return { env, program, backups: paths.backups };
}

export const AGENT_CHECKS: readonly CheckRow[] = SETUPS.map((setup) => [
  setup.label,
  (context) => checkAgent(setup, context),
]);

/** Checks that the agent's files have C-Mem's entries, then runs its hook with empty stdin. */
function checkAgent(setup: AgentSetup, { paths, env, record }: HealthContext): Result | undefined {
  const known = record?.agents?.[setup.id];
  if (record === undefined || known === undefined) return undefined;
  const { program } = agentContext(paths, env, record.node);
  const missing = setup.files(env, program, known.projects ?? []).filter((file) => !isInPlace(file));
  const fix = `Run: c-mem install ${setup.id}`;
  if (missing.length > 0) return fail(`missing or outdated in ${missing.map(({ path }) => path).join(", ")}`, fix);
  const { node, hook } = program;
  const args = [hook, "save", "--agent", setup.id];
  const { status, stdout } = spawnSync(node, args, { input: "", encoding: "utf8", timeout: 10_000 });
  if (status !== 0 || stdout !== "{}\n") return fail(`${node} ${hook} does not run`, fix);
  return ok(`in place; C-Mem injects at ${setup.surfaces.join(", ")}`);
}

/** A file that cannot be parsed counts as missing. */
function isInPlace(file: ManagedFile): boolean {
  try {
    const text = readSettings(file.path);
    return text !== undefined && file.add(text) === text;
  } catch {
    return false;
  }
}

/** The other agents that C-Mem was installed into or whose hooks have fired, with the time of the last run. */
export function agentRuns(paths: Paths, runs: readonly HookRun[]) {
  const record = readInstall(paths.install);
  return SETUPS.flatMap(({ id, label }) => {
    const own = runs.filter(({ hook }) => hook.startsWith(`${id} `));
    const installed = record?.agents?.[id] !== undefined;
    if (!installed && own.length === 0) return [];
    const lastAt = own.length === 0 ? undefined : Math.max(...own.map((run) => run.last_at));
    return [{ id, label, installed, lastAt, count: own.reduce((sum, run) => sum + run.count, 0) }];
  });
}
