// What the files of a folder take, with those of the folders in it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { statOf } from "./read-file.ts";

export interface FolderSize {
  files: number;
  bytes: number;
}

export function folderSize(path: string): FolderSize {
  const sizes = listAll(path).flatMap((name) => {
    const stat = statOf(join(path, name));
    return stat?.isFile() ? [stat.size] : [];
  });
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function listAll(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}
