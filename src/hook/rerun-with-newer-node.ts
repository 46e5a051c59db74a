// Work a hook hands to another Node: one that can open the database.
import { HANDED_OVER, otherNode } from "../platform/state/install-record.ts";
import { keptPayload } from "../platform/stdin-payload.ts";

const TIMEOUT_MS = 8_000;

/** True when the other Node has answered on our stdout. Call it before reading stdin. */
export function rerunWithNewerNode(installRecord: string): boolean {
  const node = otherNode(installRecord, process.env);
  if (node === undefined) return false;
  // Loaded only here: no other hook needs it, and it costs them a millisecond.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status } = spawnSync(node, process.argv.slice(1), {
    stdio: [keptPayload() === undefined ? "inherit" : "pipe", "inherit", "inherit"],
    input: keptPayload(),
    timeout: TIMEOUT_MS,
    windowsHide: true,
    env: { ...process.env, [HANDED_OVER]: "1" },
  });
  return status === 0;
}
