// forget: takes something out for good, once the person at the client has agreed.
import { carryOutForget, type DoomedRows } from "../queries/forget.ts";
import { AppError } from "../core/error.ts";
import { addDoomed } from "../upkeep/erase/select-deletion.ts";
import { completeDoom, type Doomed, DOOMED_KINDS, nothingDoomed, readDoomed } from "../upkeep/erase/deletion-set.ts";
import type { Db } from "../store/db/driver.ts";
import { overwriteDeleted } from "../upkeep/erase/erase-rows.ts";
import { readFlag, readIds } from "./args.ts";
import { layOut } from "./budget.ts";
import type { Answer, Call } from "./call.ts";
import { line, pathLine, plural, when } from "./text.ts";

export function forget(call: Call): Answer {
  const { db, args, now, maxTokens, consent } = call;
  const ids = readIds(args, "ids");
  const isConfirmed = readFlag(args, "confirm");
  const doomed = choose(db, ids);
  const all = structuredClone(doomed);
  completeDoom(db, all);
  const rows = readDoomed(db, all);
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
  return erase(call, doomed, rows);
}

const MAX_QUESTION_TOKENS = 400;

function more(left: number): string {
  return left === 0 ? "" : `and ${left} more`;
}

function choose(db: Db, ids: readonly string[]): Doomed {
  const doomed = nothingDoomed();
  const unknown = ids.find((id) => !addDoomed(db, doomed, id));
  if (unknown === undefined) return doomed;
  throw new AppError("nothing_found", `There is no ${line(unknown, 60)}.`, {
    hint: "Ids are shown by search and timeline; `c-mem forget <words>` forgets by words.",
  });
}

function planText(rows: DoomedRows, now: number): { head: string; pieces: { text: string }[] } {
  const counts = DOOMED_KINDS.flatMap(([kind, noun]) => {
    const count = rows[kind].length;
    return count === 0 ? [] : [plural(count, noun)];
  });
  const pieces = DOOMED_KINDS.flatMap(([kind, noun]) =>
    rows[kind].map((row) => ({ text: `- ${noun} ${row.item}, ${when(row.at, now)}: ${line(row.title, 100)}` })),
  );
  return { head: `This would be forgotten for good (${counts.join(", ")}):`, pieces };
}

function erase({ db, paths }: Call, doomed: Doomed, rows: DoomedRows): Answer {
  overwriteDeleted(db);
  const { receipt } = carryOutForget({ db, paths }, { doomed, rows });
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
