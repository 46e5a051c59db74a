// What programs that were ended in the middle of something have left: temporary files, a lock nobody holds.
import { join } from "node:path";
import type { Paths } from "../config/paths.ts";
import { listFolder, statOf } from "../platform/read-file.ts";
import { findWorker, isBeating } from "../platform/worker-lock.ts";
import type { Check } from "./health.ts";
import { count } from "../core/text.ts";

/** Nobody takes so long to write a file. */
const OLD_MS = 60 * 60 * 1000;
const TEMPORARY = /(?:\.tmp|\.new)$|^(?:request|(?:lock|activity|server)\.json)\.\d+$/;

export function leftovers(paths: Paths, now: number): { files: string[]; deadLock: boolean } {
  const folders = [paths.home, paths.spool, paths.worker, paths.shown, paths.privateTurns];
  const archives = listFolder(paths.archive).map((agent) => join(paths.archive, agent));
  const files = [...folders, ...archives].flatMap((folder) =>
    listFolder(folder)
      .filter((name) => TEMPORARY.test(name))
      .map((name) => join(folder, name))
      .filter((path) => now - (statOf(path)?.mtimeMs ?? now) > OLD_MS),
  );
  const hasLock = statOf(paths.workerLock) !== undefined;
  const deadLock = hasLock && findWorker(paths.workerLock, now) === undefined && !isBeating(paths.workerLock, now);
  return { files, deadLock };
}

export function checkLeftovers(paths: Paths, now: number): Check {
  const name = "leftovers";
  const { files, deadLock } = leftovers(paths, now);
  if (files.length === 0 && !deadLock) return { name, state: "ok", message: "none" };
  const parts = [
    files.length > 0 && `${count(files.length, "temporary file")} of programs that were ended`,
    deadLock && "the lock of a worker that is gone",
  ];
  return { name, state: "warn", message: parts.filter(Boolean).join("; "), fix: "Run: c-mem doctor --fix" };
}
