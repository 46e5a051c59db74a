// Counts events that could be written neither to the data directory nor to the temporary folder. The file gets its full
// size before the disk is full: most file systems can then overwrite it in place.
import { closeSync, constants, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { readJson, statOf } from "../read-file.ts";

interface LostEvents {
  /** A lower bound: one of two simultaneous hooks may overwrite the other's count. */
  count: number;
  firstAt: number;
  lastAt: number;
}

const FILE_CHARS = 128;
const NO_LINK = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

/** Creates the file while there is space. */
export function prepareLostEvents(path: string): void {
  if (statOf(path) === undefined) write(path, undefined);
}

export function noteLostEvent(path: string, now: number): void {
  const before = readLostEvents(path);
  write(path, { count: (before?.count ?? 0) + 1, firstAt: before?.firstAt ?? now, lastAt: now });
}

export function readLostEvents(path: string): LostEvents | undefined {
  const lost = readJson<LostEvents>(path);
  return typeof lost?.count === "number" && lost.count > 0 ? (lost as LostEvents) : undefined;
}

/** Never throws, because the disk may be full. */
function write(path: string, lost: LostEvents | undefined): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const fd = openSync(path, statOf(path) === undefined ? "wx" : NO_LINK, 0o600);
    try {
      writeSync(fd, `${JSON.stringify(lost ?? { count: 0 }).padEnd(FILE_CHARS - 1)}\n`, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The event remains uncounted. The hook logs why it could not be written, if the log can be written.
  }
}
