// remember: saves an observation for later sessions, filtered for secrets and private text like everything else.
import { AppError } from "../core/error.ts";
import { OBSERVATION_TYPES } from "../core/memory.ts";
import { isUsersOwn } from "../memory/user-edits.ts";
import { fields, type InputOf } from "../queries/fields.ts";
import { observationId, saveObservation } from "../queries/user-edits.ts";
import { getObservation, type ObservationRow } from "../store/tables/observations.ts";
import { findClientTurn, requireRecording } from "./client-session.ts";
import { ALL, type Answer, type Call, checkIds, defineTool, PROJECT } from "./tool.ts";
import { safeLine } from "./text.ts";

const FIELDS = fields({
  text: { kind: "text", required: true, about: "" },
  title: { kind: "text", about: "" },
  type: { kind: "text", choices: OBSERVATION_TYPES, about: "" },
  reason: { kind: "text", maxChars: 4_000, about: "" },
  files: { kind: "list", aliases: ["file"], maxItems: 20, about: "" },
  replaces: { kind: "list", maxItems: 10, about: "ids that no longer hold" },
  ...PROJECT,
});

export const remember = defineTool({
  name: "remember",
  description: "Save one decision with its reason, or one thing that the user wants remembered, in full sentences.",
  fields: FIELDS,
  annotations: { destructiveHint: false },
  isWriting: true,
  run: rememberText,
});

function rememberText(input: InputOf<typeof FIELDS>, call: Call): Answer {
  const { text, title, type, reason, files = [], replaces: names = [], project } = input;
  requireRecording(call, project);
  const turn = findClientTurn(call);
  const replaces = names.length === 0 ? [] : checkIds(names).map(observationId);
  const refusal = askUser(call, replaces, text);
  if (refusal !== undefined) return refusal;
  const draft = {
    text,
    type,
    ...(title !== undefined && { title: safeLine(title, 200) }),
    reason,
    files,
    project: project === ALL ? undefined : project,
    all: project === ALL,
  };
  const { data } = saveObservation(draft, call, {
    replaces,
    turn: turn && { ...turn, evidence: [turn.promptItem] },
  });
  const name = safeLine(data.title, 160);
  const where = safeLine(data.project ?? "every project", 80);
  const replaced = replaces.filter((id) => `o${id}` !== data.id);
  return {
    text: [
      data.is_new ? `Saved for ${where} as ${data.id}: ${name}` : `Already known as ${data.id} for ${where}: ${name}`,
      ...replaced.map((id) => `It replaces o${id}, which stays as history (undo: c-mem supersede o${id} --undo).`),
      ...data.alike.map(
        (one) => `${one.id} ${one.is_same ? "is nearly the same" : "may contradict it"}: ${safeLine(one.title, 120)}`,
      ),
      ...(data.alike.length === 0
        ? []
        : [`If that no longer holds, repeat the call with replaces: ${data.alike[0]?.id}.`]),
    ].join("\n"),
  };
}

/** Asks the user before their own notes are replaced. Undefined: go on. */
function askUser({ db, consent }: Call, replaces: readonly number[], text: string): Answer | undefined {
  const own = replaces.flatMap((id) => getObservation(db, id) ?? []).filter(isUsersOwn);
  if (own.length === 0) return undefined;
  const names = own.map(ownerText).join("; ");
  if (!consent.canAsk) {
    throw new AppError("usage", `Nothing was saved. The user decides about ${names}.`, {
      hint: `Ask them. Save this without "replaces", then they can run: c-mem supersede ${own.map(({ id }) => `o${id}`).join(" ")} <new id>`,
    });
  }
  if (consent.answer === undefined) return { question: `Replace ${names}\nby: ${safeLine(text, 300)}` };
  return consent.answer === "accept" ? undefined : { text: "The user declined. Nothing was saved or replaced." };
}

/** "o12 (pinned): Use tabs" */
export function ownerText({ id, pinned, title }: ObservationRow): string {
  return `o${id} (${pinned === 1 ? "pinned" : "written by the user"}): ${safeLine(title, 120)}`;
}
