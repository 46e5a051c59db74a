// On a Node that cannot open a database, the context hook runs once more with the Node that `install` noted.
import { readInstall } from "../config/install-record.ts";

const TIMEOUT_MS = 8_000;

/** True when the other Node has answered on our stdout. stdin must not have been read before. */
export function continueElsewhere(installRecord: string): boolean {
  const node = readInstall(installRecord)?.node;
  if (node === undefined || node === process.execPath) return false;
  // Loaded here and not above: no other hook needs it, and it costs them a millisecond.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status } = spawnSync(node, process.argv.slice(1, 3), {
    stdio: "inherit",
    timeout: TIMEOUT_MS,
    windowsHide: true,
  });
  return status === 0;
}
