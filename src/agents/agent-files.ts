// Reads the folders where agents keep their transcripts. These functions do not throw: an unreadable file counts as
// missing.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import { statOf } from "../platform/read-file.ts";
import type { TranscriptFile } from "./transcript.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export function homeOf(env: Env): string {
  return env["HOME"] || env["USERPROFILE"] || process.getBuiltinModule("node:os").homedir();
}

/** Faster than `join`, which for thousands of files takes as long as their `stat`. */
export function pathIn(folder: string, name: string): string {
  return folder + sep + name;
}

/** Empty if the path is a folder, or if the file was deleted after it was listed. */
export function describeFile(
  path: string,
  about: Pick<TranscriptFile, "agent" | "sessionId" | "isSubagent">,
): TranscriptFile[] {
  const stat = statOf(path);
  return stat?.isFile() ? [{ ...about, path, modifiedAt: stat.mtimeMs, bytes: stat.size }] : [];
}

/** Sorts sessions before subagents and newer before older files, so that recent work can be searched first. */
export function newestFirst(files: TranscriptFile[]): TranscriptFile[] {
  return files.sort((a, b) => Number(a.isSubagent) - Number(b.isSubagent) || b.modifiedAt - a.modifiedAt);
}

const HEAD_BYTES = 4096;

/** Finds string fields in the beginning of a JSON file without parsing it, such as the session's id. */
export function readHeadField(path: string): (name: string) => string | undefined {
  const head = readHead(path);
  return (name) => new RegExp(`"${name}"\\s*:\\s*"([^"]{1,256})"`).exec(head)?.[1];
}

/** The beginning of a file; "" if it cannot be read. */
export function readHead(path: string, bytes = HEAD_BYTES): string {
  try {
    const fd = openSync(path, "r");
    try {
      const head = Buffer.alloc(bytes);
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
