// A database is more than one file.
import { rmSync } from "node:fs";

/** What SQLite lays beside it: left behind, it would be taken for part of the next file of that name. */
export const SUFFIXES = ["", "-wal", "-shm", "-journal"] as const;

export function removeDatabase(path: string): void {
  for (const suffix of SUFFIXES) rmSync(path + suffix, { force: true });
}
