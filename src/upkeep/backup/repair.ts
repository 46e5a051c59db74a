// Repairs a damaged database: quarantines it and replaces it with the newest good backup plus all readable rows.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { count } from "../../core/text.ts";
import { checkDatabase, copyDatabase, integrityProblems, listBackups } from "../../store/db/backup.ts";
import { type Db, isDamage, withDriver } from "../../store/db/driver.ts";
import { repairHeader } from "../../store/db/file-format.ts";
import { createMerge, MERGE_TABLES, type MergedRow, type MergeTable } from "../../store/db/merge.ts";
import { migrate } from "../../store/db/migrate.ts";
import { wasTruncated, relaxDurability, setFileLayout } from "../../store/db/open.ts";
import { quarantineFolder, type QuarantineReport, writeReport } from "../../store/db/quarantine.ts";
import { salvageRows } from "../../store/db/salvage.ts";
import { beginSwap, endSwap, cancelOnError, scratchFolder } from "../../store/db/swap.ts";
import { transaction } from "../../store/db/transaction.ts";
import { rebuildSearchIndex } from "../../store/fts/search-index.ts";
import { deleteForgotten } from "../erase/scrub-backups.ts";

export type Repair =
  /** Nothing was damaged. */
  | { kind: "intact" }
  /** Only the search index was damaged; it was rebuilt. */
  | { kind: "indexed" }
  | { kind: "replaced"; report: QuarantineReport; quarantine: string };

export type RepairPhase = "checking" | "rebuilding indexes" | "copying" | "reading rows" | "verifying";
type OnStep = (phase: RepairPhase, rows: number) => void;

interface RepairOptions {
  settleMs?: number;
  /** Called with the number of rows read since the last call. */
  onStep?: OnStep;
}

/**
 * Requires the worker's lock. During the repair hooks spool and no other program opens the database. A repair
 * that is killed before `endSwap` replaces nothing: the next holder of the lock cancels the swap and starts again.
 */
export function repairStore(paths: Paths, now: number, { settleMs, onStep = () => {} }: RepairOptions = {}): Repair {
  onStep("checking", 0);
  const problem = diagnose(paths.database);
  if (problem === undefined) return { kind: "intact" };
  if (problem.isOnlyIndex) {
    onStep("rebuilding indexes", 0);
    if (tryRebuildIndex(paths.database)) return { kind: "indexed" };
  }
  const quarantine = quarantineFolder(paths.quarantine, now);
  const scratch = scratchFolder(paths.database);
  beginSwap(paths.database, quarantine, settleMs);
  try {
    const { incoming, ...rest } = cancelOnError(paths.database, () => buildReplacement(paths, scratch, now, onStep));
    const report: QuarantineReport = { at: now, why: "damaged", problem: problem.text, ...rest };
    cancelOnError(paths.database, () => writeReport(quarantine, report));
    endSwap(paths.database, incoming);
    return { kind: "replaced", report, quarantine };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Problem {
  text: string;
  isOnlyIndex: boolean;
}

export function diagnose(database: string): Problem | undefined {
  if (!existsSync(database)) return undefined;
  if (wasTruncated(database)) return { text: "the file is empty", isOnlyIndex: false };
  try {
    // Read-only: closing a writable database merges its log into it, and the log may be damaged.
    const problems = withDriver(database, { readOnly: true }, (db) => integrityProblems(db));
    if (problems.length === 0) return undefined;
    return { text: problems[0] ?? "", isOnlyIndex: problems.every((text) => /fts5|inverted index/i.test(text)) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { text: (error as Error).message, isOnlyIndex: false };
  }
}

function tryRebuildIndex(database: string): boolean {
  try {
    return withDriver(database, {}, (db) => {
      rebuildSearchIndex(db);
      return integrityProblems(db).length === 0;
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

function buildReplacement(
  paths: Paths,
  scratch: string,
  now: number,
  onStep: OnStep,
): Pick<QuarantineReport, "backup" | "recovered" | "lost"> & { incoming: string } {
  onStep("copying", 0);
  const incoming = join(scratch, "incoming.db");
  const damaged = copyDamaged(paths.database, scratch);
  const good = damaged.find(isIntact);
  const backup = good === undefined ? listBackups(paths.database).find(({ path }) => isIntact(path))?.path : undefined;
  const base = good ?? backup;
  if (base !== undefined) copyDatabase(base, incoming);
  else writeFileSync(incoming, "", { mode: 0o600 });
  const { recovered, lost } = withDriver(incoming, {}, (db) => {
    relaxDurability(db);
    setFileLayout(db);
    migrate(db);
    // If a copy is intact, only the header was damaged or the log was of another database: no rows are missing.
    const salvaged = good === undefined ? salvage(db, damaged, onStep) : { recovered: {}, lost: 0 };
    deleteForgotten(db, now);
    return salvaged;
  });
  onStep("verifying", 0);
  checkDatabase(incoming);
  return { incoming, recovered, lost, ...(backup !== undefined && { backup }) };
}

/** Copies the file once with its log and once without, because the log may be damaged. */
function copyDamaged(database: string, scratch: string): string[] {
  const sample = join(scratch, "like.db");
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  withDriver(sample, {}, (db) => {
    setFileLayout(db);
    migrate(db);
  });
  return ["with", "without"].map((name) => {
    const copy = join(scratch, `${name}.db`);
    copyFileSync(database, copy);
    if (name === "with" && existsSync(`${database}-wal`)) copyFileSync(`${database}-wal`, `${copy}-wal`);
    repairHeader(copy, sample);
    return copy;
  });
}

function isIntact(path: string): boolean {
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
  const salvaged = { lost: 0 };
  for (const path of damaged) {
    withDriver(path, {}, (source) => {
      const merge = createMerge(db);
      const add = (table: MergeTable, rows: readonly MergedRow[]): void =>
        transaction(db, () => {
          for (const row of rows) if (merge.add(table, row) === "added") recovered[table] = (recovered[table] ?? 0) + 1;
        });
      for (const table of MERGE_TABLES.filter((name) => isReadable(source, name))) {
        const subagents: MergedRow[] = [];
        for (const rows of salvageRows(source, table, salvaged)) {
          const { main = [], sub = [] } = Object.groupBy(rows, (row) => (row["parent_session_db_id"] ? "sub" : "main"));
          add(table, main);
          subagents.push(...sub);
          onStep("reading rows", rows.length);
        }
        // Subagents follow their parents, because of the foreign key.
        add(table, subagents);
      }
      transaction(db, () => merge.finish());
    });
  }
  return { recovered, lost: salvaged.lost };
}

function isReadable(source: Db, table: string): boolean {
  try {
    source.get(`SELECT 1 FROM ${table} LIMIT 0`);
    return true;
  } catch {
    return false;
  }
}

export function repairText(repair: Repair): string {
  if (repair.kind === "intact") return "The database is not damaged.";
  if (repair.kind === "indexed") return "Only the search index was damaged; it was rebuilt.";
  return `${reportText(repair.report)} The damaged file is in ${repair.quarantine}.`;
}

export function reportText({ backup, recovered = {}, lost = 0 }: QuarantineReport): string {
  const rows = Object.values(recovered).reduce((sum, number) => sum + number, 0);
  const parts = [
    backup === undefined ? "It was rebuilt" : `The backup ${backup} was restored`,
    `${count(rows, "row")} ${rows === 1 ? "was" : "were"} recovered from the damaged file`,
    ...(lost > 0 ? [`about ${count(lost, "row")} could not be read`] : []),
  ];
  return `${parts.join(", ")}. The worker restores missing sessions from transcripts; to do that now: c-mem sync --force.`;
}
