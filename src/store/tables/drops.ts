// drops: which spool files are in the database already, and when each hook last fired.
import type { Db } from "../db/driver.ts";

/** True the first time a drop is claimed. Must run in the transaction that applies it. */
export function claimDrop(db: Db, name: string, at: number): boolean {
  return db.run("INSERT OR IGNORE INTO drops (name, applied_at) VALUES (?, ?)", name, at).changes === 1;
}

export function claimedDrops(db: Db): string[] {
  return db.all<{ name: string }>("SELECT name FROM drops").map((row) => row.name);
}

export function forgetDrops(db: Db, names: readonly string[]): void {
  db.run("DELETE FROM drops WHERE name IN (SELECT value FROM json_each(?))", JSON.stringify(names));
}

export function countHookRun(db: Db, hook: string, at: number): void {
  db.run(
    `INSERT INTO hook_runs (hook, last_at, count) VALUES (?, ?, 1)
     ON CONFLICT (hook) DO UPDATE SET last_at = max(last_at, excluded.last_at), count = count + 1`,
    hook,
    at,
  );
}

export interface HookRun {
  /** The command; of an agent other than Claude Code with its id before it. */
  hook: string;
  last_at: number;
  count: number;
}

/** `fires`: the runs that recorded nothing, counted outside the database. */
export function hookRuns(db: Db, fires: readonly HookRun[]): HookRun[] {
  const rows = db.all<HookRun>("SELECT hook, last_at, count FROM hook_runs");
  return [...Map.groupBy([...rows, ...fires], ({ hook }) => hook)].map(([hook, runs]) => ({
    hook,
    last_at: Math.max(...runs.map((run) => run.last_at)),
    count: runs.reduce((sum, run) => sum + run.count, 0),
  }));
}
