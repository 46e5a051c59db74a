// c-mem forget: removes something for good, and shows that it is gone.
import type { Asked } from "../../queries/legacy.ts";
import { finishForget, planForget } from "../../queries/forget.ts";
import { AppError } from "../../core/error.ts";
import { isUnclean } from "../../upkeep/erase/erase-rows.ts";
import { runForget } from "../forget-run.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printJson } from "../output.ts";
import { askAsync } from "../question.ts";

export function run({ args, flags, json }: CommandOptions): Promise<number> {
  return askAsync(flags, async (asked) => {
    if (args.length === 0) return finish(asked, json);
    return runForget(asked, planForget(asked, args), { json, command: "forget" });
  });
}

function finish({ db, paths }: Asked, json: boolean): number {
  if (!isUnclean(db)) throw new AppError("usage", "What shall be forgotten?", { hint: "c-mem forget <id or words>" });
  finishForget(db, paths);
  if (json) printJson("forget", { applied: true, finished: true });
  else print("What was forgotten before is now gone from the files as well.");
  return EXIT.ok;
}
