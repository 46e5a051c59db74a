// c-mem backup: creates, lists, verifies and restores copies of the database.
import { existsSync } from "node:fs";
import { loadSettings } from "../../config/load.ts";
import type { Env, Paths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { count } from "../../core/text.ts";
import { bytes } from "../../platform/terminal/style.ts";
import {
  backupJson,
  backups,
  checkBackup,
  contentsText,
  findBackup,
  noBackup,
  verifyBackups,
} from "../../queries/backups.ts";
import { createBackup, listBackups } from "../../store/db/backup.ts";
import { toStoreError } from "../../store/db/open.ts";
import { restoreBackup } from "../../upkeep/backup/restore.ts";
import { rotateBackups } from "../../upkeep/backup/rotation.ts";
import { defineCommand, DRY_RUN, runQuery, YES } from "../command.ts";
import { EXIT, print, printJson, respond, say } from "../output.ts";
import { askYesNo } from "../prompts.ts";
import { withStore } from "../store.ts";
import { startWorkerIfEnabled, withoutWorker } from "../worker-control.ts";

export const command = defineCommand({
  about: "create, list, verify or restore backups",
  needsStore: true,
  fields: {
    action: {
      kind: "text",
      position: "[action]",
      choices: ["create", "list", "verify", "restore"],
      about: "what to do (default: list)",
    },
    which: {
      kind: "text",
      position: "[which]",
      about: "a backup's name, time or file (default: the newest intact one; verify: all)",
    },
    ...YES,
    ...DRY_RUN,
  },
  run({ action = "list", which, yes, dryRun }, invocation) {
    const { json, paths, env } = invocation;
    switch (action) {
      case "create":
        return create(paths, env, json);
      case "list":
        return runQuery(backups, {}, invocation, { opensStore: false });
      case "verify":
        return runQuery(verifyBackups, { which }, invocation, { opensStore: false });
      case "restore":
        return restore(paths, which, { yes, dryRun, json });
    }
  },
});

function create(paths: Paths, env: Env, json: boolean): number {
  // Stores the events that are waiting in the spool.
  withStore(paths, () => {}, { startsWorker: false });
  const backup = createOrExplain(paths.database);
  const { values } = loadSettings({ user: paths.config }, env);
  const removed = rotateBackups(paths.database, { daily: values.backupsDaily }).map(({ name }) => name);
  const text = `${backup.path}\n  ${bytes(backup.bytes)}, intact: ${contentsText(backup.contents)}`;
  respond("backup", { json, data: { ...backupJson(backup), contents: backup.contents, removed }, text });
  if (!json) for (const name of removed) say(`Deleted ${name}: beyond the backup limits.`);
  return EXIT.ok;
}

async function restore(
  paths: Paths,
  which: string | undefined,
  { yes, dryRun, json }: { yes: boolean; dryRun: boolean; json: boolean },
): Promise<number> {
  const path = which === undefined ? newestIntact(paths) : findBackup(paths, which);
  const { contents, problem } = checkBackup(path);
  if (contents === null)
    throw new AppError("backup_damaged", `${path} cannot be restored: ${problem}`, { hint: "c-mem backup verify" });
  say(`${dryRun ? "This would" : "This will"} replace the database with ${path}:`);
  say(`  ${contentsText(contents)}`);
  say(
    `  The current database moves to ${paths.quarantine}. Pins, notes and edits made after the backup exist only there.`,
  );
  if (dryRun) {
    if (json) printJson("backup", { applied: false, backup: path, contents });
    return EXIT.ok;
  }
  if (!yes && !(await askYesNo("Restore it?", { isDestructive: true }))) {
    say("Nothing was changed.");
    return EXIT.failure;
  }
  const { quarantine, forgotten } = await withoutWorker(paths, () => restoreBackup(paths, path, Date.now()));
  // Stores the events that hooks recorded during the restore.
  withStore(paths, () => {}, { startsWorker: false });
  startWorkerIfEnabled(paths);
  if (json) {
    printJson("backup", { applied: true, backup: path, contents, set_aside: quarantine, forgotten });
    return EXIT.ok;
  }
  print(`Restored ${path}: ${contentsText(contents)}.`);
  if (existsSync(quarantine)) print(`The previous database is in ${quarantine}.`);
  if (forgotten > 0) print(`${count(forgotten, "row")} forgotten since the backup stay deleted.`);
  say("The worker imports newer sessions from the transcripts. To do it now: c-mem sync");
  return EXIT.ok;
}

function newestIntact(paths: Paths): string {
  const intact = listBackups(paths.database).find(({ path }) => checkBackup(path).contents !== null);
  if (intact === undefined) throw noBackup();
  return intact.path;
}

function createOrExplain(database: string): ReturnType<typeof createBackup> {
  try {
    return createBackup(database, "manual", Date.now());
  } catch (error) {
    throw toStoreError(error, database);
  }
}
