// Looks around in the folders where agents keep their transcripts. What is not there or closed to us is just not found.
import { closeSync, type Dirent, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import { AppError } from "../core/error.ts";
import type { TranscriptFile } from "./transcript.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export function homeOf(env: Env): string {
  return env["HOME"] || env["USERPROFILE"] || process.getBuiltinModule("node:os").homedir();
}

/** An agent's settings; undefined where there are none. What cannot be read is said, not passed over: it would be written over. */
export function readSettings(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code !== "EISDIR") throw error;
    throw new AppError("bad_settings", `${path} is a folder, where a file should be; nothing was changed.`, {
      hint: "Move it away, then run the command again.",
    });
  }
}

export function listFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Where only the names matter: thousands of files are listed in half the time. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** `join` looks at every letter: for thousands of files that takes as long as to look at the files. */
export function pathIn(folder: string, name: string): string {
  return folder + sep + name;
}

/** Zero or one transcript: a file that vanished meanwhile, or is none, gives nothing. */
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

/** Newest first, so that the first answers are about recent work; a session before its subagents. */
export function newestFirst(files: TranscriptFile[]): TranscriptFile[] {
  return files.sort((a, b) => Number(a.isSubagent) - Number(b.isSubagent) || b.modifiedAt - a.modifiedAt);
}

const HEAD_BYTES = 4096;

/** How a file begins: enough to tell whose it is without reading it. */
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

/** Agents name files as they like; events name them in full where the folder is known. */
export function absolutePath(path: string, cwd: string): string {
  return cwd === "" || isAbsolute(path) ? path : join(cwd, path);
}
