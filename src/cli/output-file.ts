// Writes a file that the user named.
import { realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { AppError } from "../core/error.ts";
import { replaceFile } from "../platform/replace-file.ts";
import { isDiskFull } from "./system-error.ts";

/** On a full disk, leaves no partial file and an existing file unchanged. New files are readable by the user only. */
export function writeOutputFile(path: string, text: string, { overwrite = false } = {}): void {
  const old = statSync(path, { throwIfNoEntry: false });
  try {
    if (overwrite && old?.isFile()) replaceFile(realpathSync(path), text, { mode: old.mode });
    else writeFileSync(path, text, { mode: 0o600, flag: overwrite ? "w" : "wx" });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (isThere) throw new AppError("file_exists", `${path} already exists.`, { hint: "Name another file." });
    if (old === undefined) rmSync(path, { force: true });
    throw writeFailed(path, error);
  }
}

export function writeFailed(path: string, error: unknown): Error {
  if (isDiskFull(error)) return Object.assign(error as NodeJS.ErrnoException, { path });
  return new AppError("write_failed", `${path} could not be written: ${(error as Error).message}`, { cause: error });
}
