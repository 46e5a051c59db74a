// forget: takes something out for good, once the person at the client has agreed.
import { carryOutForget } from "../queries/forget.ts";
import { AppError } from "../core/error.ts";
import { addToDeletion } from "../upkeep/erase/select-deletion.ts";
import {
  expandDeletion,
  type DeletionRows,
  type DeletionSet,
  DELETION_KINDS,
  emptyDeletionSet,
  readDeletionRows,
} from "../upkeep/erase/deletion-set.ts";
import type { Db } from "../store/db/driver.ts";
import { overwriteDeleted } from "../upkeep/erase/erase-rows.ts";
import { layOut } from "./budget.ts";
import { type Answer, type Call, checkIds, defineTool, IDS } from "./tool.ts";
import { line, pathLine, plural, when } from "./text.ts";

export const forget = defineTool({
  name: "forget",
  description: "Remove things for good, only when the user asks for it. Shows first what would go.",
  fields: {
    ids: { ...IDS, about: "o78, p12, m34, t56, session" },
    confirm: { kind: "flag", about: "the user has agreed to what was shown" },
  },
  annotations: { destructiveHint: true },
  run: forgetIds,
});

function forgetIds({ ids: names, confirm: isConfirmed }: { ids: string[]; confirm: boolean }, call: Call): Answer {
  const { db, now, maxTokens, consent } = call;
  const ids = checkIds(names);
  const selected = choose(db, ids);
  const all = structuredClone(selected);
  expandDeletion(db, all);
  const rows = readDeletionRows(db, all);
  const plan = planText(rows, now);
  const key = ids.toSorted().join(" ");
  if (consent.canAsk) {
    if (consent.answer === undefined) return { question: layOut({ ...plan, foot: more }, MAX_QUESTION_TOKENS) };
    if (consent.answer === "decline") return { text: "The user did not agree. Nothing was forgotten." };
  } else if (!isConfirmed || !consent.shown.has(key)) {
    consent.shown.add(key);
    const foot = (left: number): string =>
      [more(left), "Nothing was changed. Once the user has agreed to this, call again with confirm: true."]
        .filter((part) => part !== "")
        .join("\n");
    return { text: layOut({ ...plan, foot }, maxTokens) };
  }
  consent.shown.delete(key);
  return erase(call, selected, rows);
}

const MAX_QUESTION_TOKENS = 400;

function more(left: number): string {
  return left === 0 ? "" : `and ${left} more`;
}

function choose(db: Db, ids: readonly string[]): DeletionSet {
  const selected = emptyDeletionSet();
  const unknown = ids.find((id) => !addToDeletion(db, selected, id));
  if (unknown === undefined) return selected;
  throw new AppError("nothing_found", `There is no ${line(unknown, 60)}.`, {
    hint: "Ids are shown by search and timeline; `c-mem forget <words>` forgets by words.",
  });
}

function planText(rows: DeletionRows, now: number): { head: string; pieces: { text: string }[] } {
  const counts = DELETION_KINDS.flatMap(([kind, noun]) => {
    const count = rows[kind].length;
    return count === 0 ? [] : [plural(count, noun)];
  });
  const pieces = DELETION_KINDS.flatMap(([kind, noun]) =>
    rows[kind].map((row) => ({ text: `- ${noun} ${row.item}, ${when(row.at, now)}: ${line(row.title, 100)}` })),
  );
  return { head: `This would be forgotten for good (${counts.join(", ")}):`, pieces };
}

function erase({ db, paths }: Call, selected: DeletionSet, rows: DeletionRows): Answer {
  overwriteDeleted(db);
  const { receipt } = carryOutForget({ db, paths }, { selected, rows });
  const { isProven, sources, backups } = receipt;
  const { elsewhere } = receipt.proof;
  const removed = Object.entries(receipt.removed).flatMap(([kind, count]) =>
    count === 0 ? [] : [`${count} ${kind.replace("_", " ")}`],
  );
  return {
    text: [
      `Forgotten: ${removed.join(", ")}.`,
      isProven
        ? "No file of C-Mem's holds it any more."
        : "Not all traces could be cleared (another program was reading): `c-mem forget` without arguments finishes it.",
      ...(backups.removed.length > 0 ? [`${plural(backups.removed.length, "backup")} had to be deleted for it.`] : []),
      ...sources.map((path) => `Still in the agent's own file ${pathLine(path, 200)}, which is not read in again.`),
      ...(elsewhere.length > 0 ? [`The same words also stand in ${line(elsewhere.join(", "), 200)}, which stay.`] : []),
    ].join("\n"),
    ...(!isProven && { isError: true as const }),
  };
}
