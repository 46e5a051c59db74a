// Replaces a small file atomically: readers see all of the old or the new content, and a full disk changes nothing.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

interface ReplaceOptions {
  mode?: number;
  /** False for files that can be rebuilt after a power cut: they need no fsync. */
  isDurable?: boolean;
}

/** Writes a temporary file and renames it to `path`. If that fails, removes it and throws an error that names `path`. */
export function replaceFile(path: string, content: string | Buffer, options: ReplaceOptions = {}): void {
  const { mode = 0o600, isDurable = true } = options;
  const temporary = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Without rm and "wx", the write would follow a link that a repository put there.
    rmSync(temporary, { force: true });
    writeFileSync(temporary, content, { mode, flag: "wx", flush: isDurable });
    chmodSync(temporary, mode);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    // The error of a failed write names the temporary path or none.
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}

export function replaceJson(path: string, value: object, options?: ReplaceOptions): void {
  replaceFile(path, `${JSON.stringify(value, null, 2)}\n`, options);
}
