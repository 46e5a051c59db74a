// Replaces a small file atomically: readers see all of the old or the new content, and a full disk changes nothing.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

interface ReplaceOptions {
  mode?: number;
  /** False for what can be rebuilt after a power cut. */
  isDurable?: boolean;
}

/** Temporary name, fsync, rename. On failure the temporary file is removed and the error names `path`. */
export function replaceFile(path: string, content: string | Buffer, options: ReplaceOptions = {}): void {
  const { mode = 0o600, isDurable = true } = options;
  const temporary = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // "wx" after rm: a link of that name, put there by a repository, would be followed.
    rmSync(temporary, { force: true });
    writeFileSync(temporary, content, { mode, flag: "wx", flush: isDurable });
    chmodSync(temporary, mode);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    // A failed write names no path or the temporary one.
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}

export function replaceJson(path: string, value: object, options?: ReplaceOptions): void {
  replaceFile(path, `${JSON.stringify(value, null, 2)}\n`, options);
}
