// forget: deletes items permanently, after the user agreed; or marks observations as no longer valid and keeps them.
import { nothingFound } from "../core/error.ts";
import { count } from "../core/text.ts";
import { fields } from "../queries/fields.ts";
import { carryOutForget, planDeletion, type Receipt } from "../queries/forget.ts";
import type { Db } from "../store/db/driver.ts";
import { type DeletionRows, type DeletionSet, DELETION_KINDS, emptyDeletionSet } from "../upkeep/erase/deletion-set.ts";
import { addToDeletion } from "../upkeep/erase/select-deletion.ts";
import { withdrawIds } from "./withdraw.ts";
import { fitReply } from "./budget.ts";
import { safeLine, pathLine, when } from "./text.ts";
import { type Answer, type Call, checkIds, defineTool, IDS } from "./tool.ts";

const FIELDS = fields({
  ids: { ...IDS, about: "o78, p12, m34, t56, session" },
  no_longer_holds: { kind: "text", maxChars: 4_000, about: "why; keeps them as history" },
  confirm: { kind: "flag", about: "the user agreed to what was shown" },
});

export const forget = defineTool({
  name: "forget",
  description:
    "Mark observations that no longer hold. Or delete for good, only when the user asks; first shows what would be deleted.",
  fields: FIELDS,
  annotations: { destructiveHint: true },
  run: ({ ids: names, no_longer_holds: reason, confirm }, call) => {
    const ids = checkIds(names);
    return reason === undefined ? deleteIds(ids, confirm, call) : withdrawIds(ids, reason, confirm, call);
  },
});

function deleteIds(ids: readonly string[], isConfirmed: boolean, call: Call): Answer {
  const { db, now, maxTokens, consent } = call;
  const plan = planDeletion(call, { selected: selectIds(db, ids) });
  const shown = planText(plan.rows, now);
  const key = ids.toSorted().join(" ");
  if (consent.canAsk) {
    if (consent.answer === undefined)
      return { question: fitReply({ ...shown, foot: omittedNote }, MAX_QUESTION_TOKENS) };
    if (consent.answer === "decline") return { text: "The user declined. Nothing was deleted." };
  } else if (!isConfirmed || !consent.unconfirmed.has(key)) {
    consent.unconfirmed.add(key);
    const foot = (omitted: number): string =>
      [omittedNote(omitted), "Nothing was changed. After the user agrees, call again with confirm: true."]
        .filter((part) => part !== "")
        .join("\n");
    return { text: fitReply({ ...shown, foot }, maxTokens) };
  }
  consent.unconfirmed.delete(key);
  return receiptText(carryOutForget(call, plan).receipt);
}

const MAX_QUESTION_TOKENS = 400;

function omittedNote(omitted: number): string {
  return omitted === 0 ? "" : `and ${omitted} more`;
}

function selectIds(db: Db, ids: readonly string[]): DeletionSet {
  const selected = emptyDeletionSet();
  const unknown = ids.find((id) => !addToDeletion(db, selected, id));
  if (unknown === undefined) return selected;
  throw nothingFound(
    `There is no ${safeLine(unknown, 60)}.`,
    "search and timeline show ids; `c-mem forget <words>` deletes everything that contains the words.",
  );
}

function planText(rows: DeletionRows, now: number): { head: string; parts: { text: string }[] } {
  const counts = DELETION_KINDS.flatMap(([kind, noun]) => {
    const number = rows[kind].length;
    return number === 0 ? [] : [count(number, noun)];
  });
  const parts = DELETION_KINDS.flatMap(([kind, noun]) =>
    rows[kind].map((row) => ({ text: `- ${noun} ${row.item}, ${when(row.at, now)}: ${safeLine(row.title, 100)}` })),
  );
  return { head: `This would be deleted permanently (${counts.join(", ")}):`, parts };
}

function receiptText({ isProven, sources, backups, proof, removed }: Receipt): Answer {
  const kinds = Object.entries(removed).flatMap(([kind, number]) => (number === 0 ? [] : [countKind(number, kind)]));
  const kept = proof.elsewhere;
  return {
    text: [
      `Forgotten: ${kinds.join(", ")}.`,
      isProven
        ? "No C-Mem file contains it any more."
        : "Copies may remain, for example because another program is reading the database. `c-mem forget` without arguments removes them.",
      ...(backups.removed.length > 0 ? [`${count(backups.removed.length, "backup")} had to be deleted.`] : []),
      ...sources.map(
        (path) => `The agent's own file ${pathLine(path, 200)} still contains it; C-Mem will not import it again.`,
      ),
      ...(kept.length > 0 ? [`The same words also occur in ${safeLine(kept.join(", "), 200)}, which are kept.`] : []),
    ].join("\n"),
    ...(!isProven && { isError: true as const }),
  };
}

/** (1, "tool_uses") -> "1 tool use" */
function countKind(number: number, kind: string): string {
  const many = kind.replace("_", " ");
  return `${number} ${number === 1 ? many.replace(/ies$/, "y").replace(/s$/, "") : many}`;
}
