// The spool: hooks write one small file ("drop") per event instead of waiting for the database. A drop is complete or
// absent (temporary name, fsync, rename), so a kill never loses an event that was acknowledged.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CapturedEvent } from "../../core/event.ts";
import { statOf } from "../../platform/read-file.ts";
import { writeWithFallback } from "./fallback-spool.ts";

export const DROP_SUFFIX = ".json";

/** Names sort by time, then by process: a session's events are applied in the order they happened. */
export function writeDrop(spool: string, event: CapturedEvent, { isDurable = true } = {}): string {
  const unique = process.hrtime.bigint().toString(36);
  const name = `${String(event.at).padStart(14, "0")}-${process.pid}-${unique}${DROP_SUFFIX}`;
  const content = JSON.stringify(event);
  writeWithFallback(spool, (folder) => {
    const temporary = join(folder, `.${name}.tmp`);
    try {
      writeNew(temporary, content, isDurable);
      renameSync(temporary, join(folder, name));
    } catch (error) {
      if (statOf(temporary) !== undefined) rmSync(temporary, { force: true });
      throw error;
    }
  });
  return name;
}

/** Creates the folder only where it is missing: most hooks find it. */
function writeNew(path: string, content: string, isDurable: boolean): void {
  const write = () => writeFileSync(path, content, { flag: "wx", mode: 0o600, flush: isDurable });
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    write();
  }
}
