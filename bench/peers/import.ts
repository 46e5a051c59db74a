// Times the first import of all real sessions, by tools that read transcripts into a database.
import { join } from "node:path";
import { folderSize } from "../../src/platform/read-file.ts";
import type { Contestant } from "./contestant.ts";
import type { Place } from "./place.ts";
import type { ImportResult } from "./results.ts";

const FOLDERS = [".claude", ".codex", ".copilot"];

export async function measureImport({ search }: Contestant, place: Place, sessions: number): Promise<ImportResult> {
  const bytes = FOLDERS.reduce((sum, name) => sum + folderSize(join(place.home, name)).bytes, 0);
  const start = performance.now();
  await search?.load?.(place, [], () => Promise.reject(new Error("an import needs no client")));
  return { seconds: (performance.now() - start) / 1000, sessions, megabytes: bytes / 1e6 };
}
