// c-mem backup: makes copies of the database, checks them, puts one back.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { loadSettings } from "../../config/load.ts";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import { statOf } from "../../platform/read-file.ts";
import { AppError } from "../../core/error.ts";
import { ago } from "../../core/text.ts";
import { restoreBackup } from "../../upkeep/backup/restore.ts";
import { type Backup, checkDatabase, type Contents, createBackup, listBackups } from "../../store/db/backup.ts";
import { rotationOf, rotateBackups } from "../../upkeep/backup/rotation.ts";
import { explain } from "../../store/db/open.ts";
import { askYesNo } from "../prompts.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { iso } from "../../core/time.ts";
import { count } from "../../core/text.ts";
import { bytes, dim, fields } from "../../platform/terminal/style.ts";
import { withStore } from "../store.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { wake, withoutWorker } from "../worker-control.ts";

export function run(options: CommandOptions): number | Promise<number> {
  const paths = resolvePaths(process.env);
  const [action = "list", which] = options.args;
  switch (action) {
    case "create":
      return create(paths, options);
    case "list":
      return list(paths, options);
    case "verify":
      return verify(paths, which, options);
    case "restore":
      return restore(paths, which, options);
    default:
      throw new AppError("usage", `"${action}" is nothing that can be done with backups.`, {
        hint: "c-mem backup <create|list|verify|restore>",
      });
  }
}

function create(paths: Paths, { json }: CommandOptions): number {
  // What the hooks have left in the spool belongs to it.
  withStore(paths, () => {}, { onlyLook: true });
  const backup = attempt(paths, () => createBackup(paths.database, "manual", Date.now()));
  const { values } = loadSettings({ user: paths.config }, process.env);
  const rotated = rotateBackups(paths.database, rotationOf(values));
  if (json)
    printJson("backup", { ...backupJson(backup), contents: backup.contents, removed: rotated.map(({ name }) => name) });
  else {
    print(`${backup.path}\n  ${bytes(backup.bytes)}, whole: ${contentsText(backup.contents)}`);
    for (const { name } of rotated) say(`Removed ${name}: more than the settings keep.`);
  }
  return EXIT.ok;
}

function list(paths: Paths, { json }: CommandOptions): number {
  const backups = listBackups(paths.database);
  if (json) {
    printJson("backup", { results: backups.map(backupJson) });
    return EXIT.ok;
  }
  if (backups.length === 0) say("There is no backup yet. `c-mem backup create` makes one; the worker makes one a day.");
  else print(fields(backups.map(({ name, at, bytes: size }) => [name, dim(`${bytes(size)}, ${ago(at, Date.now())}`)])));
  return EXIT.ok;
}

function verify(paths: Paths, which: string | undefined, { json }: CommandOptions): number {
  const chosen = which === undefined ? listBackups(paths.database).map(({ path }) => path) : [findBackup(paths, which)];
  if (chosen.length === 0) throw noBackup();
  const results = chosen.map((path) => ({ path, ...check(path) }));
  if (json) printJson("backup", { results });
  else
    for (const { path, contents, problem } of results)
      print(`${path}\n  ${contents ? `whole: ${contentsText(contents)}` : `DAMAGED: ${problem}`}`);
  return results.every(({ contents }) => contents !== null) ? EXIT.ok : EXIT.failure;
}

async function restore(paths: Paths, which: string | undefined, { flags, json }: CommandOptions): Promise<number> {
  const path = which === undefined ? newestGood(paths) : findBackup(paths, which);
  const { contents, problem } = check(path);
  if (contents === null)
    throw new AppError("backup_damaged", `${path} cannot be restored: ${problem}`, { hint: "c-mem backup verify" });
  say(`${flags["dryRun"] === true ? "This would" : "This will"} put ${path} in the place of the database:`);
  say(`  ${contentsText(contents)}`);
  say(`  What is there now is kept in ${paths.setAside}. What you pinned, wrote or changed since is only there.`);
  if (flags["dryRun"] === true) {
    if (json) printJson("backup", { applied: false, backup: path, contents });
    return EXIT.ok;
  }
  if (flags["yes"] !== true && !(await askYesNo("Restore it?", { isDestructive: true }))) {
    say("Nothing was changed.");
    return EXIT.failure;
  }
  const restored = await withoutWorker(paths, () => restoreBackup(paths, path, Date.now()));
  // Brings in what the hooks have left meanwhile.
  withStore(paths, () => {}, { onlyLook: true });
  wake(paths);
  if (json)
    printJson("backup", {
      applied: true,
      backup: path,
      contents,
      set_aside: restored.setAside,
      forgotten: restored.forgotten,
    });
  else {
    print(`Restored ${path}: ${contentsText(contents)}.`);
    if (existsSync(restored.setAside)) print(`The database that was there is in ${restored.setAside}.`);
    if (restored.forgotten > 0)
      print(`${count(restored.forgotten, "row")} in it had been forgotten since, and stayed out.`);
    say("What the transcripts hold since then comes back by itself while the worker runs, or now with: c-mem sync");
  }
  return EXIT.ok;
}

/** By its name, the beginning of its name or its time, or any file. */
function findBackup(paths: Paths, which: string): string {
  const found = listBackups(paths.database).filter(({ name }) => name === which || name.startsWith(`c-mem-${which}`));
  const [first] = found;
  if (found.length === 1 && first !== undefined) return first.path;
  if (found.length > 1)
    throw new AppError("usage", `${which} fits ${found.length} backups.`, { hint: "c-mem backup list" });
  if (statOf(which)?.isFile()) return resolve(which);
  throw new AppError("nothing_found", `There is no backup ${which}.`, { hint: "c-mem backup list" });
}

function newestGood(paths: Paths): string {
  const good = listBackups(paths.database).find(({ path }) => check(path).contents !== null);
  if (good === undefined) throw noBackup();
  return good.path;
}

function noBackup(): AppError {
  return new AppError("nothing_found", "There is no backup that is whole.", { hint: "c-mem backup create makes one." });
}

function check(path: string): { contents: Contents | null; problem: string | null } {
  try {
    return { contents: checkDatabase(path), problem: null };
  } catch (error) {
    return { contents: null, problem: (explain(error, path) as Error).message };
  }
}

function attempt<T>(paths: Paths, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explain(error, paths.database);
  }
}

function backupJson({ name, path, kind, at, bytes: size }: Backup): Record<string, unknown> {
  return { name, path, kind, created_at: iso(at), bytes: size };
}

function contentsText({ sessions, prompts, tool_uses, observations }: Contents): string {
  return [
    count(sessions, "session"),
    count(prompts, "prompt"),
    count(tool_uses, "tool use"),
    count(observations, "observation"),
  ].join(", ");
}
