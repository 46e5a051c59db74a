// Reads files and folders that may be missing, unreadable, huge or of another type. Only eachChunk and readFully throw.
import { closeSync, openSync, readdirSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";

/** Settings and git's files are far smaller. Larger files, devices and pipes must not block a hook. */
const MAX_BYTES = 1024 * 1024;

export function readText(path: string): string | undefined {
  const stat = statOf(path);
  if (stat === undefined || !stat.isFile() || stat.size > MAX_BYTES) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Does not check the fields. */
export function readJson<Value>(path: string): Partial<Value> | undefined {
  try {
    return (JSON.parse(readText(path) ?? "") as Partial<Value> | null) ?? undefined;
  } catch {
    return undefined;
  }
}

export function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Paths of everything in a folder and its sub-folders. */
export function listTree(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
  } catch {
    return [];
  }
}

export function folderSize(path: string): { files: number; bytes: number } {
  const files = listTree(path).flatMap((file) => {
    const stat = statOf(file);
    return stat?.isFile() ? [stat.size] : [];
  });
  return { files: files.length, bytes: files.reduce((sum, size) => sum + size, 0) };
}

export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The last lines of a file, at most `maxBytes`. */
export function readTail(path: string, maxBytes: number): string | undefined {
  const stat = statOf(path);
  if (stat === undefined || !stat.isFile()) return undefined;
  const from = Math.max(0, stat.size - maxBytes);
  const buffer = Buffer.alloc(Math.min(stat.size, maxBytes));
  try {
    const fd = openSync(path, "r");
    try {
      const text = buffer.toString("utf8", 0, readSync(fd, buffer, 0, buffer.length, from));
      return from === 0 ? text : text.slice(text.indexOf("\n") + 1);
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

const CHUNK_BYTES = 4 * 1024 * 1024;

/** Visits a large file in chunks; each repeats the last `overlap` bytes of the one before. */
export function eachChunk(path: string, overlap: number, visit: (chunk: Buffer, from: number) => void): void {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  withOpenFile(path, (fd) => {
    for (let from = 0; ; from += CHUNK_BYTES - overlap) {
      const read = readSync(fd, buffer, 0, CHUNK_BYTES, from);
      if (read > 0) visit(buffer.subarray(0, read), from);
      if (read < CHUNK_BYTES) return;
    }
  });
}

/** Databases that stay open, by path. */
const databases = new Map<string, { fd: number; inode: number }>();
const DATABASE = /\.db(?:-wal|-shm)?$/;

/**
 * Opens a file to read it. A database is not closed again: on POSIX systems, closing any descriptor of a file drops all
 * locks of the process on it, also those of SQLite. Another process would then delete the -wal file under this one.
 */
export function withOpenFile<T>(path: string, work: (fd: number) => T): T {
  if (process.platform !== "win32" && DATABASE.test(path)) return work(openDatabaseFile(path));
  const fd = openSync(path, "r");
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

function openDatabaseFile(path: string): number {
  const inode = statSync(path).ino;
  const open = databases.get(path);
  if (open?.inode === inode) return open.fd;
  // The file was replaced: no lock on the deleted one matters.
  if (open !== undefined) closeSync(open.fd);
  const fd = openSync(path, "r");
  databases.set(path, { fd, inode });
  return fd;
}

/** Fills the buffer from this position. False if the file ends too early. */
export function readFully(file: number, into: Uint8Array, position: number): boolean {
  for (let done = 0; done < into.length;) {
    const read = readSync(file, into, done, into.length - done, position + done);
    if (read === 0) return false;
    done += read;
  }
  return true;
}
