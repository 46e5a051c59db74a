// The copies Claude Code keeps of files before it changes them, in a folder beside its transcripts. A transcript names
// the newest copy of each file: all of them with every prompt, and one more with every first edit of a turn.
import { join } from "node:path";
import type { FileTouch } from "../../core/event.ts";
import { absolutePath, type Env } from "../agent-files.ts";
import { asId, asObject, asString, type JsonObject } from "../../core/json.ts";
import { claudeConfigDir } from "./discover.ts";

/** A list, not a map: paths come from outside. An empty name says that there was no such file yet. */
export type Backups = [path: string, name: string][];

/** More files than this in one session: the first ones are forgotten. */
const MAX_FILES = 1_000;

export function readSnapshot(line: JsonObject): Backups | undefined {
  const files = asObject(asObject(line["snapshot"])?.["trackedFileBackups"]);
  if (files === undefined) return undefined;
  return Object.entries(files)
    .map(([path, backup]): [string, string] => [path, nameOf(backup)])
    .slice(-MAX_FILES);
}

/** Newer versions write down only what is new. */
export function addBackup(backups: Backups, line: JsonObject): Backups {
  const path = asString(line["trackingPath"]);
  if (path === undefined) return backups;
  const others = backups.filter(([known]) => known !== path);
  return [...others, [path, nameOf(line["backup"])] satisfies [string, string]].slice(-MAX_FILES);
}

/** Those that were not known before. */
export function newlyTracked(before: Backups, after: Backups): Backups {
  const known = new Set(before.map(([path]) => path));
  return after.filter(([path]) => !known.has(path));
}

export function trackedTouch([path, name]: Backups[number], cwd: string): FileTouch {
  const file = absolutePath(path, cwd);
  return name === "" ? { path: file, kind: "create" } : { path: file, kind: "edit", backup: name };
}

function nameOf(backup: unknown): string {
  return asId(asObject(backup)?.["backupFileName"]) ?? "";
}

/** The copy of a file as it was before the turn changed it. Paths in the list begin where the session did. */
export function backupOf(backups: Backups, path: string): string | undefined {
  const full = slashed(path);
  const fits = backups.filter(([known]) => full === slashed(known) || full.endsWith(`/${slashed(known)}`));
  const longest = fits.toSorted(([a], [b]) => b.length - a.length)[0];
  return longest?.[1] || undefined;
}

export function backupPath(env: Env, sessionId: string, name: string): string {
  return join(claudeConfigDir(env), "file-history", sessionId, name);
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}
