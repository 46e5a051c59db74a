// c-mem forget: removes something for good, and shows that it is gone.
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import type { Db } from "../../store/driver.ts";
import { isUnclean, overwriteDeleted, scrub } from "../../store/erase.ts";
import { chooseDoomed } from "../forget-choice.ts";
import { forgetChoice } from "../forget-run.ts";
import type { CommandOptions } from "../table.ts";
import { EXIT, print, printJson } from "../output.ts";
import { withStoreAsync } from "../store.ts";

export function run({ args, flags, json }: CommandOptions): Promise<number> {
  const paths = resolvePaths(process.env);
  return withStoreAsync(paths, async (db) => {
    overwriteDeleted(db);
    if (args.length === 0) return finish(db, json);
    return forgetChoice(db, paths, chooseDoomed(db, args, flags, paths), { flags, json, command: "forget" });
  });
}

/** After a run that was killed, or that met a reader it had to wait for too long. */
function finish(db: Db, json: boolean): number {
  if (!isUnclean(db)) throw new AppError("usage", "What shall be forgotten?", { hint: "c-mem forget <id or words>" });
  if (!scrub(db)) {
    throw new AppError("store_busy", "Another program is reading the database.", { hint: "Try again in a moment." });
  }
  if (json) printJson("forget", { applied: true, finished: true });
  else print("What was forgotten before is now gone from the files as well.");
  return EXIT.ok;
}
