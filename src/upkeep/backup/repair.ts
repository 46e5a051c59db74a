// Repairs a damaged database: sets it aside, and puts another in its place, made of the newest good backup and of all
// that can still be read.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { checkDatabase, copyDatabase, integrityProblems, listBackups } from "../../store/db/backup.ts";
import { type Db, isDamage, openDriver } from "../../store/db/driver.ts";
import { repairHeader } from "../../store/db/header.ts";
import { createMerge, type Merge, MERGE_TABLES, type MergedRow, type MergeTable } from "../../store/db/merge.ts";
import { migrate } from "../../store/db/migrate.ts";
import { isEmptied, relaxDurability, shapeFile } from "../../store/db/open.ts";
import { type Salvage, salvageRows } from "../../store/db/salvage.ts";
import { rebuildSearchIndex } from "../../store/fts/search-index.ts";
import { quarantineFolder, type Report, writeReport } from "../../store/db/quarantine.ts";
import { beginSwap, endSwap, orCancel, scratchOf } from "../../store/db/swap.ts";
import { transaction } from "../../store/db/transaction.ts";
import { deleteForgotten } from "../erase/scrub-backups.ts";

export type Repair =
  | { kind: "whole" }
  /** Only the search index was damaged, and was made anew. */
  | { kind: "indexed" }
  | { kind: "replaced"; report: Report; setAside: string };

export interface RepairOptions {
  settleMs?: number;
  /** Told what is being done, and of how many rows more. */
  onStep?: (phase: RepairPhase, rows: number) => void;
}

export type RepairPhase =
  | "looking for damage"
  | "making indexes anew"
  | "copying"
  | "reading what is left"
  | "checking";

/**
 * Only for who holds the worker's lock. It takes its time: meanwhile hooks spool, and nobody opens the database. Killed in the
 * middle, nothing has changed: the swap is called off by whoever holds the lock next, and the repair begun anew.
 */
export function repairStore(paths: Paths, now: number, options: RepairOptions = {}): Repair {
  const { onStep = () => {} } = options;
  onStep("looking for damage", 0);
  const problem = diagnose(paths.database);
  if (problem === undefined) return { kind: "whole" };
  if (problem.isOnlyIndex) onStep("making indexes anew", 0);
  if (problem.isOnlyIndex && tryRebuild(paths.database)) return { kind: "indexed" };
  const aside = quarantineFolder(paths.setAside, now);
  const scratch = scratchOf(paths.database);
  beginSwap(paths.database, aside, options.settleMs);
  try {
    const { incoming, report } = orCancel(paths.database, () => {
      const { incoming: made, ...built } = build(paths, scratch, now, onStep);
      const told: Report = { at: now, why: "damaged", problem: problem.text, ...built };
      mkdirSync(aside, { recursive: true, mode: 0o700 });
      writeReport(aside, told);
      return { incoming: made, report: told };
    });
    endSwap(paths.database, incoming);
    return { kind: "replaced", report, setAside: aside };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Problem {
  text: string;
  isOnlyIndex: boolean;
}

const BUSY_TIMEOUT_MS = 5_000;

/** Undefined where nothing is wrong with it. */
export function diagnose(database: string): Problem | undefined {
  if (!existsSync(database)) return undefined;
  if (isEmptied(database)) return { text: "the file is empty", isOnlyIndex: false };
  try {
    // Read-only: who closes a database brings its log into it, and the log may be what is wrong.
    const db = openDriver(database, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
    const problems = closing(db, integrityProblems);
    if (problems.length === 0) return undefined;
    return { text: problems[0] ?? "", isOnlyIndex: problems.every((text) => /fts5|inverted index/i.test(text)) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { text: (error as Error).message, isOnlyIndex: false };
  }
}

function tryRebuild(database: string): boolean {
  try {
    return withDb(database, (db) => {
      rebuildSearchIndex(db);
      return integrityProblems(db).length === 0;
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

function withDb<T>(path: string, work: (db: Db) => T): T {
  return closing(openDriver(path, { busyTimeoutMs: BUSY_TIMEOUT_MS }), work);
}

function closing<T>(db: Db, work: (db: Db) => T): T {
  try {
    return work(db);
  } finally {
    db.close();
  }
}

type OnStep = NonNullable<RepairOptions["onStep"]>;
type Built = Pick<Report, "backup" | "recovered" | "lost"> & { incoming: string };

function build(paths: Paths, scratch: string, now: number, onStep: OnStep): Built {
  onStep("copying", 0);
  const incoming = join(scratch, "incoming.db");
  const damaged = copyDamaged(paths.database, scratch);
  const own = damaged.find(isWhole);
  const backup = own === undefined ? listBackups(paths.database).find(({ path }) => isWhole(path))?.path : undefined;
  const base = own ?? backup;
  if (base !== undefined) copyDatabase(base, incoming);
  else writeFileSync(incoming, "", { mode: 0o600 });
  const { recovered, lost } = withDb(incoming, (db) => {
    relaxDurability(db);
    shapeFile(db);
    migrate(db);
    // Whole without its log: the log is another database's.
    const salvaged = own === undefined ? salvage(db, damaged, onStep) : { recovered: {}, lost: 0 };
    deleteForgotten(db, now);
    return salvaged;
  });
  onStep("checking", 0);
  checkDatabase(incoming);
  return { incoming, recovered, lost, ...(backup !== undefined && { backup }) };
}

/** With its log and without: either may be what is broken. The originals are not touched. */
function copyDamaged(database: string, scratch: string): string[] {
  const like = join(scratch, "like.db");
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  withDb(like, (db) => {
    shapeFile(db);
    migrate(db);
  });
  return ["with", "without"].map((name) => {
    const copy = join(scratch, `${name}.db`);
    copyFileSync(database, copy);
    if (name === "with" && existsSync(`${database}-wal`)) copyFileSync(`${database}-wal`, `${copy}-wal`);
    repairHeader(copy, like);
    return copy;
  });
}

function isWhole(path: string): boolean {
  try {
    checkDatabase(path);
    return true;
  } catch {
    return false;
  }
}

function salvage(
  db: Db,
  damaged: readonly string[],
  onStep: OnStep,
): { recovered: Record<string, number>; lost: number } {
  const recovered: Record<string, number> = {};
  const tally: Salvage = { lost: 0 };
  for (const path of damaged) {
    const merge = createMerge(db);
    const source = openDriver(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      for (const table of MERGE_TABLES.filter((name) => isReadable(source, name))) {
        const added = mergeTable(db, merge, { damaged: source, tally, onStep }, table);
        if (added > 0) recovered[table] = (recovered[table] ?? 0) + added;
      }
      transaction(db, () => merge.finish());
    } finally {
      source.close();
    }
  }
  return { recovered, lost: tally.lost };
}

function isReadable(source: Db, table: string): boolean {
  try {
    source.get(`SELECT 1 FROM ${table} LIMIT 0`);
    return true;
  } catch {
    return false;
  }
}

interface Source {
  damaged: Db;
  tally: Salvage;
  onStep: OnStep;
}

function mergeTable(db: Db, merge: Merge, source: Source, table: MergeTable): number {
  const { damaged, tally, onStep } = source;
  const isSubagent = (row: MergedRow): boolean => (row["parent_session_db_id"] ?? null) !== null;
  // A subagent's session names its parent's.
  const passes = table === "sessions" ? [(row: MergedRow) => !isSubagent(row), isSubagent] : [() => true];
  let added = 0;
  for (const [number, belongs] of passes.entries()) {
    for (const rows of salvageRows(damaged, table, number === 0 ? tally : { lost: 0 })) {
      transaction(db, () => {
        for (const row of rows.filter(belongs)) if (merge.add(table, row) === "added") added += 1;
      });
      onStep("reading what is left", rows.length);
    }
  }
  return added;
}
