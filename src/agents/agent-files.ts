// Looks into the folders where agents keep their transcripts. A missing or unreadable file is not found; nothing throws.
import { closeSync, type Dirent, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import type { TranscriptFile } from "./transcript.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export function homeOf(env: Env): string {
  return env["HOME"] || env["USERPROFILE"] || process.getBuiltinModule("node:os").homedir();
}

export function listFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Faster than `join`, which takes as long as the `stat` of each of thousands of files. */
export function pathIn(folder: string, name: string): string {
  return folder + sep + name;
}

/** Zero or one transcript: a folder or a file deleted meanwhile gives none. */
export function describeFile(
  path: string,
  about: Pick<TranscriptFile, "agent" | "sessionId" | "isSubagent">,
): TranscriptFile[] {
  const found = statFile(path);
  return found === undefined ? [] : [{ ...about, path, modifiedAt: found.modifiedAt, bytes: found.bytes }];
}

export function statFile(path: string): { modifiedAt: number; bytes: number } | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? { modifiedAt: stat.mtimeMs, bytes: stat.size } : undefined;
  } catch {
    return undefined;
  }
}

/** Newest first, so that recent work can be searched first; a session before its subagents. */
export function newestFirst(files: TranscriptFile[]): TranscriptFile[] {
  return files.sort((a, b) => Number(a.isSubagent) - Number(b.isSubagent) || b.modifiedAt - a.modifiedAt);
}

const HEAD_BYTES = 4096;

/** The beginning of a file: it names the session. */
export function readHead(path: string): string {
  try {
    const fd = openSync(path, "r");
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.toString("utf8", 0, readSync(fd, head));
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}

export function readWhole(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

export function absolutePath(path: string, cwd: string): string {
  return cwd === "" || isAbsolute(path) ? path : join(cwd, path);
}
