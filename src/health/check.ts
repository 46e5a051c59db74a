// Arguments and results of health checks.
import type { ClaudeSite } from "../agents/claude-code/site.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { AppError } from "../core/error.ts";
import type { InstallRecord } from "../platform/state/install-record.ts";
import type { Db } from "../store/db/driver.ts";

export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  message: string;
  fix?: string;
}

export interface HealthContext {
  paths: Paths;
  env: Env;
  now: number;
  /** Also read the whole database, which takes seconds if it is large. */
  deep: boolean;
  /** Check the settings files of this folder's project too. */
  cwd: string | undefined;
  /** The user's settings. */
  settings: Settings;
  record: InstallRecord | undefined;
  /** Claude Code's files, or the error that prevents reading them. */
  site: ClaudeSite | AppError;
  /** The open database, the error that prevents opening it, or undefined if this Node has no SQLite. */
  store: Db | Error | undefined;
}

export type Result = Omit<Check, "name">;
/** One row of the table of checks. A check returns undefined if it does not apply. */
export type CheckRow = readonly [name: string, check: (context: HealthContext) => Result | undefined];

export const ok = (message: string): Result => ({ state: "ok", message });
export const warn = (message: string, fix: string): Result => ({ state: "warn", message, fix });
export const fail = (message: string, fix: string): Result => ({ state: "fail", message, fix });

/** A check that needs the database. */
export function onStore(check: (db: Db, context: HealthContext) => Result | undefined): CheckRow[1] {
  return (context) => {
    const { store } = context;
    return store === undefined || store instanceof Error ? undefined : check(store, context);
  };
}

/** A check that needs Claude Code's files. */
export function onSite(check: (site: ClaudeSite, context: HealthContext) => Result | undefined): CheckRow[1] {
  return (context) => (context.site instanceof Error ? undefined : check(context.site, context));
}
