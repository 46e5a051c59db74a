// c-mem audit: checks everything stored for secrets and private text; --fix removes them.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { addKinds } from "../../core/privacy/cleaned-text.ts";
import { count } from "../../core/text.ts";
import { deriveSession } from "../../memory/derive.ts";
import { dim, fields, paint } from "../../platform/terminal/style.ts";
import { audit, auditJson, findingLines, findSecrets, kindsText } from "../../queries/audit.ts";
import { finishForget } from "../../queries/forget.ts";
import { type Db, isDamage, openDriver } from "../../store/db/driver.ts";
import { migrate } from "../../store/db/migrate.ts";
import { toStoreError } from "../../store/db/open.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { staleSessions } from "../../store/tables/stale-turns.ts";
import { type Audit, type Finding, recordedFiles } from "../../upkeep/audit/audit.ts";
import { cleanFile, cleanRows, type FileFix } from "../../upkeep/audit/clean.ts";
import { isUnclean, overwriteDeleted, scrub } from "../../upkeep/erase/erase-rows.ts";
import { defineCommand, runQuery } from "../command.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { DamagedStore, withStore } from "../store.ts";

export const command = defineCommand({
  about: audit.about,
  needsStore: true,
  fields: { fix: { kind: "flag", about: "remove the findings and check again" } },
  async run({ fix }, invocation) {
    const { json, paths } = invocation;
    const before = fix ? findSecrets(paths) : undefined;
    if (before === undefined || before.findings.length === 0)
      return runQuery(audit, {}, invocation, { opensStore: false });
    const receipt = await removeSecrets(paths, before.findings);
    const after = findSecrets(paths);
    if (json) printJson("audit", { ...auditJson(after), fixed: { ...receipt, found: before.findings } });
    else print(receiptText(receipt, before, after));
    return after.findings.length === 0 ? EXIT.ok : EXIT.failure;
  },
});

interface Receipt {
  rows: number;
  kinds: Record<string, number>;
  files: { file: string; fix: FileFix }[];
  problems: string[];
}

/** Cleans files before the database, so that events in the spool are stored without secrets. */
async function removeSecrets(paths: Paths, findings: readonly Finding[]): Promise<Receipt> {
  const receipt: Receipt = { rows: 0, kinds: {}, files: [], problems: [] };
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
      // `withRepair` repairs the current database.
      if (error instanceof DamagedStore) throw error;
      const next = isDamage(error) ? " It cannot be rewritten: delete it if you no longer need it." : "";
      receipt.problems.push(`${file}: ${(toStoreError(error, path) as Error).message}${next}`);
    }
  }
  for (const problem of receipt.problems) say(problem);
  return receipt;
}

function cleanStore(db: Db, paths: Paths): number {
  overwriteDeleted(db);
  // Must come before scrub(), which clears the mark of an unfinished erasure.
  if (isUnclean(db)) finishForget(db, paths);
  const rows = cleanRows(db);
  // Observations derived from cleaned rows are derived again.
  for (const { id } of rows > 0 ? staleSessions(db) : []) deriveSession(db, id, Date.now());
  updateSearchIndex(db);
  if (!scrub(db)) throw new Error("another program is reading the database; run `c-mem audit --fix` again");
  return rows;
}

const BUSY_TIMEOUT_MS = 5_000;

/** Cleans a copy of the database. Migrates it first, because cleanRows knows only the current schema. */
function cleanOther(path: string): number {
  const db = openDriver(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    overwriteDeleted(db);
    migrate(db);
    const rows = cleanRows(db);
    updateSearchIndex(db);
    if (!scrub(db)) throw new Error("another program is reading it");
    return rows;
  } finally {
    db.close();
  }
}

function receiptText({ rows, kinds, files }: Receipt, before: Audit, { findings: left }: Audit): string {
  const of = (fix: FileFix): string[] => files.filter((one) => one.fix === fix).map(({ file }) => file);
  const lines: [string, string][] = [
    ["found", `${kindsText(kinds)} in ${count(before.findings.length, "place")}`],
    ["rewritten", `${count(rows, "row")}, ${count(of("rewritten").length, "file")}`],
    ["removed", of("removed").join(", ")],
    ["fix by hand", of("left").join(", ")],
    ["checked again", left.length === 0 ? "clean" : `${count(left.length, "place")} left`],
    ["not covered", dim("the agents' own transcripts, backups elsewhere; revoke exposed secrets at their provider")],
  ];
  const head = left.length === 0 ? paint("green", "Clean now.") : paint("red", "Not everything could be removed.");
  return [head, fields(lines.filter(([, value]) => value !== "")), ...findingLines(left)].join("\n");
}
