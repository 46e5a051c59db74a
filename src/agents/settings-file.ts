// Reads and writes agents' settings files. A write replaces the file in one step: an agent never reads half of it.
import { existsSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { AppError } from "../core/error.ts";
import { replaceFile } from "../platform/replace-file.ts";
import type { Step } from "./setup.ts";

/** Undefined if the file does not exist. Throws if it cannot be read: a write would destroy its content. */
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

/** Settings are often a link into a dotfiles folder: the link is kept and its target is written. */
export function writeSettings(path: string, content: string | Buffer): void {
  writeFile(existsSync(path) ? realpathSync(path) : path, content);
}

/** The file is read when the step runs, since the agent may change it. It is deleted if `change` returns undefined. */
export function editFile(path: string, about: string, change: (text: string) => string | undefined): Step {
  return {
    about,
    run() {
      const text = readSettings(path) ?? "";
      const changed = change(text);
      if (changed === undefined) rmSync(path);
      else if (changed !== text) writeSettings(path, changed);
    },
  };
}

/** Restores a file from its backup and deletes the backup, which may contain API keys. */
export function restoreBackup(backup: string, write: (content: Buffer) => void): void {
  write(readFileSync(backup));
  rmSync(backup, { force: true });
}

export function writeFile(path: string, content: string | Buffer): void {
  replaceFile(path, content, { mode: statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600 });
}
