// c-mem forget: deletes something for good, and verifies it.
import { AppError } from "../../core/error.ts";
import { finishForget, planForget } from "../../queries/forget.ts";
import type { QueryContext } from "../../queries/query.ts";
import { SCOPE } from "../../queries/scope.ts";
import { isUnclean } from "../../upkeep/erase/erase-rows.ts";
import { defineCommand, DRY_RUN, withQueryContext, YES } from "../command.ts";
import { runForget } from "../forget-run.ts";
import { EXIT, print, printJson } from "../output.ts";

export const command = defineCommand({
  about: "delete sessions, turns or observations for good",
  details: "Also removes it from the search index, copies and backups, then searches every file to verify that.",
  needsStore: true,
  fields: {
    what: {
      kind: "list",
      position: "[what...]",
      about: "ids (o78, p12, m34, t56, a session's) or words",
    },
    evidence: { kind: "flag", about: "also delete the evidence: for a prompt the whole turn" },
    ...YES,
    ...DRY_RUN,
    project: { ...SCOPE.project, about: "search words in this project (default: the current one)" },
    all: { ...SCOPE.all, about: "search words in every project" },
  },
  run: ({ what = [], yes, dryRun, ...choice }, { json }) =>
    withQueryContext(choice, (context) =>
      what.length === 0
        ? finish(context, json)
        : runForget(context, planForget(context, what, choice), { json, yes, dryRun, command: "forget" }),
    ),
});

function finish({ db, paths }: QueryContext, json: boolean): number {
  if (!isUnclean(db))
    throw new AppError("usage", "Nothing to delete was given.", { hint: "c-mem forget <id or words>" });
  finishForget(db, paths);
  if (json) printJson("forget", { applied: true, finished: true });
  else print("Finished: text that was forgotten earlier is now deleted from all files.");
  return EXIT.ok;
}
