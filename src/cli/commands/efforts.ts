// c-mem efforts: what is being worked on here, each over as many sessions as it took.
import { AppError } from "../../core/error.ts";
import { MAX_LINKS_MS, updateLinks } from "../../memory/link/update-links.ts";
import { findEfforts } from "../../recall/efforts.ts";
import { effortJson, effortLine } from "../effort-text.ts";
import { dim, EXIT, print, printJson } from "../output.ts";
import { ask } from "../question.ts";
import { tellEfforts } from "../tell-efforts.ts";
import type { CommandOptions } from "../table.ts";

const DEFAULT_LIMIT = 10;

export function run({ flags, json }: CommandOptions): number {
  return ask(flags, DEFAULT_LIMIT, ({ db, question }) => {
    const { scope, limit, where } = question();
    updateLinks(db, { maxMs: MAX_LINKS_MS });
    const found = findEfforts(db, scope);
    if (found.length === 0) {
      throw new AppError("nothing_found", `No two sessions in ${where} go on with each other.`, {
        hint: "Widen --since or the project (--all); `c-mem list` shows single sessions.",
      });
    }
    const stories = tellEfforts(db, found.slice(0, limit));
    const hasMore = found.length > limit;
    if (json) {
      printJson("efforts", { results: stories.map(effortJson) }, { where, total: found.length, has_more: hasMore });
      return EXIT.ok;
    }
    print(stories.map((story) => effortLine(story, scope.projectId === undefined)).join("\n"));
    if (hasMore)
      print(dim(`\n${found.length} in all: -n ${found.length} shows them. \`c-mem effort <id>\` tells of one.`));
    return EXIT.ok;
  });
}
