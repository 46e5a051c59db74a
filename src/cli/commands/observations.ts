// c-mem observations: what is known here, newest first, or what of it fits some words.
import { AppError } from "../../core/error.ts";
import { oneLine } from "../../core/text.ts";
import { deriveNewest } from "../../memory/derive.ts";
import { findObservations } from "../../recall/find-observations.ts";
import { listObservations, type ObservationFilter } from "../../store/observation-list.ts";
import type { CommandOptions } from "../table.ts";
import { readConcepts, readType } from "../observation-flags.ts";
import { observationJson, observationTable } from "../observation-text.ts";
import { count, dim, EXIT, print, printJson, say } from "../output.ts";
import { ask } from "../question.ts";

const DEFAULT_LIMIT = 20;
/** What happened last is looked at before the question is answered, as far as nobody has to wait for it. */
const MAX_DERIVE_MS = 1_000;

export function run({ args, flags, json }: CommandOptions): number {
  const query = args.join(" ").trim();
  const wanted = {
    type: readType(flags["type"]),
    concept: readConcepts(flags["concept"])?.[0],
    file: flags["file"] === undefined ? undefined : String(flags["file"]).replace(/^\.\//, ""),
    isPinned: flags["pinned"] === true,
    withSuperseded: flags["superseded"] === true,
  };
  return ask(flags, DEFAULT_LIMIT, ({ db, question }) => {
    const { scope, limit, where } = question();
    const left = deriveNewest(db, scope.projectId, MAX_DERIVE_MS);
    const filter: ObservationFilter = { ...scope, ...wanted };
    const found = query === "" ? undefined : findObservations(db, query, filter, limit + 1);
    const all = found?.rows ?? listObservations(db, filter, limit + 1);
    const rows = all.slice(0, limit);
    const hasMore = all.length > limit;
    if (left > 0)
      say(`${count(left, "session")} of earlier work are not looked at yet; \`c-mem rebuild\` does it now.`);
    if (rows.length === 0) {
      const fitting = query === "" ? "" : ` that fits "${oneLine(query, 80)}"`;
      throw new AppError("nothing_found", `There is no observation in ${where}${fitting}.`, {
        hint: "Widen what you ask for, or --all for every project; `c-mem search` looks through the sessions themselves.",
      });
    }
    if (json) {
      const results = rows.map((row) => ({ ...observationJson(row), ...("score" in row && { score: row.score }) }));
      const how = found === undefined ? {} : { query, rung: found.rung, words: found.words };
      printJson("observations", { results }, { where, has_more: hasMore, not_derived: left, ...how });
      return EXIT.ok;
    }
    if (found?.rung === "typo") say(`Nothing fits the words as they are; these fit ${found.words.join(", ")}.`);
    print(observationTable(rows, scope.projectId === undefined));
    if (hasMore) print(dim(`\nThere are more: -n ${limit * 2} shows them.`));
    return EXIT.ok;
  });
}
