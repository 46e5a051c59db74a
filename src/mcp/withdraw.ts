// forget with no_longer_holds: keeps observations as history, marked as no longer valid. It can be undone.
import { findProjectHere } from "../capture/capture-context.ts";
import { usageError } from "../core/error.ts";
import { isUsersOwn, requireReplaceable, withdraw } from "../memory/user-edits.ts";
import { parseObservationId } from "../store/reads/items.ts";
import { getObservation } from "../store/tables/observations.ts";
import { findClientTurn, requireRecording } from "./client-session.ts";
import { ownerText } from "./remember.ts";
import { safeLine } from "./text.ts";
import type { Answer, Call } from "./tool.ts";

/** Keeps the observations as history. Asks first about those that the user wrote or pinned. */
export function withdrawIds(ids: readonly string[], reason: string, isConfirmed: boolean, call: Call): Answer {
  const { db, now, consent } = call;
  const numbers = ids.map((id) => parseObservationId(id));
  const other = ids.find((_, index) => numbers[index] === undefined);
  if (other !== undefined) {
    throw usageError(
      `Only observations (o78) can stop holding, not ${safeLine(other, 60)}.`,
      "Leave out no_longer_holds to delete it.",
    );
  }
  requireRecording(call);
  const turn = findClientTurn(call);
  const projectId = findProjectHere(db, call).known?.id;
  const rows = numbers.map((id = 0) => requireReplaceable(db, id, getObservation(db, id)?.project_id ?? undefined));
  const foreign = rows.find((row) => row.project_id !== null && row.project_id !== projectId);
  if (foreign !== undefined) {
    throw usageError(
      `o${foreign.id} belongs to another project.`,
      `In a session there, or on the command line, the user can change it: c-mem show o${foreign.id}`,
    );
  }
  const own = rows.filter(isUsersOwn);
  if (own.length > 0) {
    const question = `No longer holds? ${own.map(ownerText).join("; ")}`;
    if (consent.canAsk && consent.answer === undefined) return { question };
    if (consent.canAsk && consent.answer === "decline") return { text: "The user declined. Nothing was changed." };
    const key = `no longer holds: ${ids.toSorted().join(" ")}`;
    if (!consent.canAsk && !(isConfirmed && consent.unconfirmed.has(key))) {
      consent.unconfirmed.add(key);
      return { text: `${question}\nNothing was changed. Ask the user; after a yes, call again with confirm: true.` };
    }
    consent.unconfirmed.delete(key);
  }
  const done = rows.map(({ id }) => withdraw(db, id, reason, now, turn && { ...turn, evidence: [turn.promptItem] }));
  return {
    text: done
      .map(({ id, title, note }) => `o${id} no longer holds (o${note} says why): ${safeLine(title, 120)}`)
      .concat(`Kept as history, not deleted. Undo: ${done.map(({ id }) => `c-mem supersede o${id} --undo`).join(", ")}`)
      .join("\n"),
  };
}
