// File reads that answer "not there" instead of throwing: another program's files may vanish or be closed to us.
import { readFileSync, type Stats, statSync } from "node:fs";

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
