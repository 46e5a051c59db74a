// Reads and writes agents' settings files. Each write replaces the file in one step, so that no reader sees half of it.
import { existsSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { AppError } from "../core/error.ts";
import { replaceFile } from "../platform/replace-file.ts";
import type { Step } from "./setup.ts";

/** Undefined where there is no file. Throws where it cannot be read: the next write would replace it. */
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

/** Settings are often a link into a dotfiles folder: the link stays, its target changes. */
export function writeSettings(path: string, content: string | Buffer): void {
  writeFile(existsSync(path) ? realpathSync(path) : path, content);
}

/** Reads the file again when it runs: the agent may have written it since. `change` returns undefined to delete the file. */
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

/** Restores a file from its backup, and deletes the backup: it may have API keys in it. */
export function restoreBackup(backup: string, write: (content: Buffer) => void): void {
  write(readFileSync(backup));
  rmSync(backup, { force: true });
}

export function writeFile(path: string, content: string | Buffer): void {
  replaceFile(path, content, { mode: statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600 });
}
