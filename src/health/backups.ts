// Whether there is something to go back to, and whether the database was replaced lately.
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { statOf } from "../platform/read-file.ts";
import { ago, count } from "../core/text.ts";
import { listBackups } from "../store/db/backup.ts";
import { readReports } from "../store/db/quarantine.ts";
import type { Check } from "./health.ts";
import { reportText } from "./repair-text.ts";

const OLD_MS = 7 * 24 * 60 * 60 * 1000;

export function checkBackups(paths: Paths, env: Env, now: number): Check[] {
  return [checkNewest(paths, env, now), ...checkSetAside(paths, now)];
}

function checkNewest({ database, config }: Paths, env: Env, now: number): Check {
  const name = "backups";
  const backups = listBackups(database);
  const [newest] = backups;
  const writtenAt = statOf(database)?.mtimeMs ?? 0;
  const { backupsDaily } = loadSettings({ user: config }, env).values;
  if (newest === undefined) return { name, state: "ok", message: "none yet; the worker makes one a day" };
  const message = `${count(backups.length, "backup")}, the newest from ${ago(newest.at, now)}`;
  if (backupsDaily === 0 || now - newest.at < OLD_MS || writtenAt < newest.at) return { name, state: "ok", message };
  return { name, state: "warn", message, fix: "Run: c-mem backup create (and see c-mem worker logs)" };
}

/** Told for a week. */
function checkSetAside({ setAside }: Paths, now: number): Check[] {
  const [last] = readReports(setAside);
  if (last === undefined || Math.abs(now - last.at) > OLD_MS) return [];
  const why = last.why === "damaged" ? "was damaged and replaced" : "was replaced by a backup";
  const told = last.why === "damaged" ? `. ${reportText(last)}` : "";
  const message = `the database ${why} ${ago(last.at, now)}${told}`;
  const fix = `What was there is in ${last.folder}; delete it when you are sure that nothing is missing`;
  return [{ name: "set aside", state: last.why === "damaged" ? "warn" : "ok", message, fix }];
}
