// The daily backup, in a process of its own: copying and checking a large database would keep the worker's heart from beating.
import { spawn } from "node:child_process";
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { createBackup } from "../store/db/backup.ts";
import { rotateBackups, rotationOf } from "../upkeep/backup/rotation.ts";
import { explain } from "../store/db/open.ts";
import { type Log, reasonOf } from "./log.ts";

/** Ends when that process has; it says itself how it went. Aborted: half a copy is no loss. */
export function runBackup(paths: Paths, signal: AbortSignal): Promise<void> {
  const args = [process.argv[1] ?? "", "--backup"];
  const options = { cwd: paths.home, stdio: "ignore", windowsHide: true, signal, killSignal: "SIGKILL" } as const;
  const child = spawn(process.execPath, args, options);
  return new Promise((done) => child.on("error", () => done()).on("close", () => done()));
}

/** What that process does. */
export function backUp({ database, config }: Paths, env: Env, log: Log): void {
  try {
    const { name, bytes } = createBackup(database, "daily", Date.now());
    const gone = rotateBackups(database, rotationOf(loadSettings({ user: config }, env).values));
    log(`backup ${name}, ${Math.ceil(bytes / 1024)} KB${gone.length > 0 ? `; ${gone.length} older removed` : ""}`);
  } catch (error) {
    log(`no backup: ${reasonOf(explain(error, database))}`);
    process.exitCode = 1;
  }
}
