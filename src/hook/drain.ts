// `drain`, which a hook starts when many drops have gathered: moves them into the database while nobody waits.
import { drainSpool } from "../capture/drain.ts";
import { type Env, resolvePaths } from "../config/paths.ts";
import { openStore } from "../store/open.ts";
import { logHookError } from "./log.ts";

export function drain(env: Env): undefined {
  const paths = resolvePaths(env);
  try {
    const db = openStore(paths.database);
    drainSpool(db, paths.spool);
    db.close();
  } catch (error) {
    logHookError(paths.hookLog, "drain", error);
  }
}
