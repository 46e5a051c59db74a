// Runs every health check. `status` shows a few results, `doctor` all.
import { inspectClaude } from "../agents/claude-code/site.ts";
import { withDrained } from "../capture/open-drained.ts";
import { userSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { readInstall } from "../platform/state/install-record.ts";
import { hasSqlite } from "../store/db/driver.ts";
import { AGENT_CHECKS } from "./agents.ts";
import type { Check, CheckRow, HealthContext } from "./check.ts";
import { CLAUDE_CHECKS, checkNode, checkPermissions } from "./install-checks.ts";
import { MODEL_CHECKS } from "./model-checks.ts";
import { BACKUP_CHECKS, DATABASE_CHECKS } from "./store-checks.ts";
import { WORKER_CHECKS } from "./worker-checks.ts";

const CHECKS: readonly CheckRow[] = [
  ["node", checkNode],
  ...DATABASE_CHECKS,
  ["privacy", checkPermissions],
  ...CLAUDE_CHECKS,
  ...AGENT_CHECKS,
  ...WORKER_CHECKS,
  ...BACKUP_CHECKS,
  ...MODEL_CHECKS,
];

export function checkHealth(
  paths: Paths,
  env: Env,
  { now, deep, cwd }: { now: number; deep: boolean; cwd?: string },
): Check[] {
  const settings = userSettings(paths, env);
  const record = readInstall(paths.install);
  const context = { paths, env, now, deep, cwd, settings, record, site: inspectSite(env) };
  if (!hasSqlite()) return runChecks({ ...context, store: undefined });
  try {
    return withDrained(paths, (store) => runChecks({ ...context, store }));
  } catch (error) {
    return runChecks({ ...context, store: error as Error });
  }
}

function runChecks(context: HealthContext): Check[] {
  return CHECKS.flatMap(([name, check]) => {
    const result = check(context);
    return result === undefined ? [] : [{ name, ...result }];
  });
}

function inspectSite(env: Env): HealthContext["site"] {
  try {
    return inspectClaude(env);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
