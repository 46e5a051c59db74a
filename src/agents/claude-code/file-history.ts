// Claude Code copies a file before it changes it. Two kinds of lines in the transcript record this: a snapshot at each
// prompt (the newest copy of every file), and a delta at a file's first edit in a turn (its new copy).
import { join } from "node:path";
import type { FileTouch } from "../../core/event.ts";
import { asId, asObject, asString, type JsonObject } from "../../core/json.ts";
import { absolutePath, type Env } from "../agent-files.ts";
import { claudeConfigDir } from "./discover.ts";

/** The name is empty if the file did not exist yet. A list instead of an object, because a path may be "__proto__". */
export type Backups = [path: string, name: string][];

/** Limit per session; the oldest are dropped. */
const MAX_FILES = 1_000;

export function readSnapshot(line: JsonObject): Backups | undefined {
  const files = asObject(asObject(line["snapshot"])?.["trackedFileBackups"]);
  return files && Object.entries(files).map(newBackup).slice(-MAX_FILES);
}

/** Newer versions of Claude Code log each new copy in a line of its own. */
export function addBackup(backups: Backups, line: JsonObject): Backups {
  const path = asString(line["trackingPath"]);
  if (path === undefined) return backups;
  const others = backups.filter(([known]) => known !== path);
  return [...others, newBackup([path, line["backup"]])].slice(-MAX_FILES);
}

function newBackup([path, backup]: [path: string, backup: unknown]): Backups[number] {
  return [path, asId(asObject(backup)?.["backupFileName"]) ?? ""];
}

export function newlyTracked(before: Backups, after: Backups): Backups {
  const known = new Set(before.map(([path]) => path));
  return after.filter(([path]) => !known.has(path));
}

export function trackedTouch([path, name]: Backups[number], cwd: string): FileTouch {
  const file = absolutePath(path, cwd);
  return name === "" ? { path: file, kind: "create" } : { path: file, kind: "edit", backup: name };
}

/** The name of the copy from before the turn. Listed paths may be relative to the folder where the session started. */
export function backupOf(backups: Backups, path: string): string | undefined {
  const slashed = (text: string): string => text.replaceAll("\\", "/");
  const full = slashed(path);
  const matches = backups.filter(([known]) => full === slashed(known) || full.endsWith(`/${slashed(known)}`));
  return matches.toSorted(([a], [b]) => b.length - a.length)[0]?.[1] || undefined;
}

export function backupPath(env: Env, sessionId: string, name: string): string {
  return join(claudeConfigDir(env), "file-history", sessionId, name);
}
