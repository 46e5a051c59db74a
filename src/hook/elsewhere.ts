// Work a hook hands to another process: to a Node that can open the database, or to one that nobody waits for.
import { readInstall } from "../config/install-record.ts";
import { listFolder } from "../config/read.ts";
import { hasSqlite } from "../store/driver.ts";

const TIMEOUT_MS = 8_000;
/** Set for a hook that was started by another: what `install` noted may be a name for this very Node. */
const HANDED_OVER = "C_MEM_HANDED_OVER";
/** So many drops that the next session's start should not have to wait for them. */
const MANY_DROPS = 100;

/** True when the other Node has answered on our stdout. stdin must not have been read before. */
export function continueElsewhere(installRecord: string): boolean {
  const node = readInstall(installRecord)?.node;
  if (node === undefined || node === process.execPath || process.env[HANDED_OVER] !== undefined) return false;
  const { status } = childProcess().spawnSync(node, process.argv.slice(1, 3), {
    stdio: "inherit",
    timeout: TIMEOUT_MS,
    windowsHide: true,
    env: { ...process.env, [HANDED_OVER]: "1" },
  });
  return status === 0;
}

/** At the end of a turn a long spool is drained by a process of its own: detached, it outlives hook and client. */
export function drainElsewhere(spool: string): void {
  if (!hasSqlite() || listFolder(spool).length < MANY_DROPS) return;
  childProcess()
    .spawn(process.execPath, [process.argv[1] ?? "", "drain"], { detached: true, stdio: "ignore", windowsHide: true })
    .unref();
}

/** Loaded only here: no other hook needs it, and it costs them a millisecond. */
function childProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}
