// drops: names of spool files whose events are in the database already. hook_runs: when each hook last ran.
import type { Db } from "../db/driver.ts";
import { anyOf, sql } from "../db/sql.ts";

/** True the first time a name is claimed. Must run in the transaction that applies the spool file. */
export function claimDrop(db: Db, name: string, at: number): boolean {
  return db.run(sql`INSERT OR IGNORE INTO drops (name, applied_at) VALUES (${name}, ${at})`).changes === 1;
}

export function claimedDropNames(db: Db): string[] {
  return db.column(sql`SELECT name FROM drops`);
}

export function deleteDropNames(db: Db, names: readonly string[]): void {
  db.run(sql`DELETE FROM drops WHERE name IN ${anyOf(names)}`);
}

export function countHookRun(db: Db, hook: string, at: number): void {
  db.run(sql`INSERT INTO hook_runs (hook, last_at, count) VALUES (${hook}, ${at}, 1)
    ON CONFLICT (hook) DO UPDATE SET last_at = max(last_at, excluded.last_at), count = count + 1`);
}

export interface HookRun {
  /** The hook command, e.g. "save". For agents other than Claude Code with the agent's id: "codex save". */
  hook: string;
  last_at: number;
  count: number;
}

/** `fires`: runs that recorded nothing. They are counted outside the database. */
export function hookRuns(db: Db, fires: readonly HookRun[]): HookRun[] {
  const rows = db.all<HookRun>(sql`SELECT hook, last_at, count FROM hook_runs`);
  return [...Map.groupBy([...rows, ...fires], ({ hook }) => hook)].map(([hook, runs]) => ({
    hook,
    last_at: Math.max(...runs.map((run) => run.last_at)),
    count: runs.reduce((sum, run) => sum + run.count, 0),
  }));
}
