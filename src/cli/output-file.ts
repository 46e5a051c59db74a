// Writes a file that the user named.
import { realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { replaceFile } from "../platform/replace-file.ts";

/** Whole or not at all: a full disk leaves no empty file, and an old file as it was. Private: the text may be a transcript. */
export function writeOutputFile(path: string, text: string, { overwrite = false } = {}): void {
  const old = statSync(path, { throwIfNoEntry: false });
  if (overwrite && old?.isFile()) return replaceFile(realpathSync(path), text, { mode: old.mode });
  try {
    writeFileSync(path, text, { mode: 0o600, flag: overwrite ? "w" : "wx" });
  } catch (error) {
    if (old === undefined && (error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(path, { force: true });
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}
