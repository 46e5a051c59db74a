// Writes files so that whoever reads them meanwhile finds the old ones or the new ones, whole.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** Settings are often a link into somebody's dotfiles: the file changes, the link stays. */
export function writeSettings(path: string, content: string | Buffer): void {
  writeFile(existsSync(path) ? realpathSync(path) : path, content);
}

/** From its copy, which has no use after that and may hold somebody's keys. */
export function putBack(path: string, copy: string): void {
  writeSettings(path, readFileSync(copy));
  rmSync(copy, { force: true });
}

export function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  cpSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}

export function writeFile(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeNew(`${path}.new`, content);
  if (existsSync(path)) chmodSync(`${path}.new`, statSync(path).mode);
  renameSync(`${path}.new`, path);
}

/** What is there goes first: a link that a repository brought would be followed, and some other file written over. */
export function writeNew(path: string, content: string | Buffer, mode = 0o600): void {
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode, flag: "wx" });
}
