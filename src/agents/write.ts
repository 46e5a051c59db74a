// Writes files so that whoever reads them meanwhile finds the old ones or the new ones, whole.
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "../platform/replace-file.ts";

/** Settings are often a link into somebody's dotfiles: the file changes, the link stays. */
export function writeSettings(path: string, content: string | Buffer): void {
  writeFile(existsSync(path) ? realpathSync(path) : path, content);
}

/** From its copy, which has no use after that and may hold somebody's keys. */
export function putBack(copy: string, write: (content: Buffer) => void): void {
  write(readFileSync(copy));
  rmSync(copy, { force: true });
}

export function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    cpSync(from, `${to}.new`);
    renameSync(`${to}.new`, to);
  } catch (error) {
    rmSync(`${to}.new`, { force: true });
    throw Object.assign(error as NodeJS.ErrnoException, { path: to });
  }
}

export function writeFile(path: string, content: string | Buffer): void {
  replaceFile(path, content, { mode: statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600 });
}
