// c-mem audit: looks through everything stored for secrets and private text, and takes them out.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { cleanFile, cleanRows, type FileFix } from "../../upkeep/audit/clean.ts";
import { finishForget } from "../../queries/forget.ts";
import { findFallbackSpools } from "../../capture/live/fallback-spool.ts";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import { addKinds } from "../../core/privacy/cleaned-text.ts";
import { audit, type Audit, type Finding, recordedFiles } from "../../upkeep/audit/audit.ts";
import { deriveSession } from "../../memory/derive.ts";
import { type Db, isDamage, openDriver } from "../../store/db/driver.ts";
import { isUnclean, overwriteDeleted, scrub } from "../../upkeep/erase/erase-rows.ts";
import { migrate } from "../../store/db/migrate.ts";
import { explain } from "../../store/db/open.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { staleSessions } from "../../store/tables/stale-turns.ts";
import { type AuditReceipt, auditText, receiptText } from "../audit-text.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { DamagedStore, withStore } from "../store.ts";

export async function run({ flags, json }: CommandOptions): Promise<number> {
  const paths = resolvePaths(process.env);
  const isFix = flags["fix"] === true;
  if (!existsSync(paths.home)) {
    if (json) printJson("audit", { clean: true, results: [], files: 0, bytes: 0, texts: 0 });
    else print("Nothing is stored yet.");
    return EXIT.ok;
  }
  const found = audit(paths.home, findFallbackSpools(paths));
  if (!isFix || found.findings.length === 0) return report(found, undefined, json);
  const receipt = await fix(paths, found.findings);
  return report(audit(paths.home, findFallbackSpools(paths)), { ...receipt, before: found }, json);
}

function report(found: Audit, receipt: AuditReceipt | undefined, json: boolean): number {
  const { findings, ...looked } = found;
  const isClean = findings.length === 0;
  if (json) {
    const { before, ...fixed } = receipt ?? {};
    const data = { clean: isClean, results: findings, ...looked };
    printJson("audit", before === undefined ? data : { ...data, fixed: { ...fixed, found: before.findings } });
  } else print(receipt === undefined ? auditText(found) : receiptText(receipt, found));
  return isClean ? EXIT.ok : EXIT.failure;
}

/** Files first: what waits in the spool goes in as it was rewritten. */
async function fix(paths: Paths, findings: readonly Finding[]): Promise<Omit<AuditReceipt, "before">> {
  const receipt = { rows: 0, kinds: {}, files: [] as { file: string; fix: FileFix }[], problems: [] as string[] };
  const isOfDatabase = (file: string): boolean => /\.db(?:-wal|-journal)?$/.test(file);
  for (const file of new Set(findings.map((one) => one.file).filter((one) => !isOfDatabase(one)))) {
    const path = resolve(paths.home, file);
    if (existsSync(path)) receipt.files.push({ file, fix: await cleanFile(paths, path) });
  }
  for (const { kinds } of findings) addKinds(receipt.kinds, kinds);
  const databases = new Set(
    findings.filter(({ file }) => isOfDatabase(file)).map(({ file }) => file.replace(/-\w+$/, "")),
  );
  for (const file of recordedFiles(paths.home).filter((one) => databases.has(one))) {
    const path = join(paths.home, file);
    try {
      receipt.rows += path === paths.database ? withStore(paths, (db) => cleanStore(db, paths)) : cleanOther(path);
      receipt.files.push({ file, fix: "rewritten" });
    } catch (error) {
      // The one in use is repaired.
      if (error instanceof DamagedStore) throw error;
      const next = isDamage(error) ? " It cannot be rewritten: delete it when you need nothing of it any more." : "";
      receipt.problems.push(`${file}: ${(explain(error, path) as Error).message}${next}`);
    }
  }
  for (const problem of receipt.problems) say(problem);
  return receipt;
}

function cleanStore(db: Db, paths: Paths): number {
  overwriteDeleted(db);
  // Afterwards nothing says any more that something is still to be forgotten in copies, too.
  if (isUnclean(db)) finishForget(db, paths);
  const rows = cleanRows(db);
  // What was derived from the rows is derived again, without what went.
  for (const { id } of rows > 0 ? staleSessions(db) : []) deriveSession(db, id, Date.now());
  updateSearchIndex(db);
  if (!scrub(db)) throw new Error("another program reads the database; run c-mem audit --fix once more");
  return rows;
}

const BUSY_TIMEOUT_MS = 5_000;

/** A copy of the database: nothing is derived in it. One from before a migration is brought up to this program's schema, which is what can be rewritten. */
function cleanOther(path: string): number {
  const db = openDriver(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    overwriteDeleted(db);
    migrate(db);
    const rows = cleanRows(db);
    updateSearchIndex(db);
    if (!scrub(db)) throw new Error("another program reads it");
    return rows;
  } finally {
    db.close();
  }
}
