// remember: writes something down for the sessions to come, filtered like everything else.
import { findCaptureContext } from "../capture/capture-context.ts";
import { isDisabled } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { type Observation, OBSERVATION_TYPES } from "../core/memory.ts";
import { titleOf } from "../core/title.ts";
import { remember as writeDown } from "../memory/user-edits.ts";
import { findObservation } from "../store/reads/observation-list.ts";
import { onlyProjectNamed, upsertProject } from "../store/tables/projects.ts";
import { readChoice, readText, requireText } from "./args.ts";
import type { Answer, Call } from "./call.ts";
import { line } from "./text.ts";

export function remember(call: Call): Answer {
  const { db, args, now } = call;
  const text = requireText(args, "text");
  const file = readText(args, "file");
  const title = readText(args, "title");
  const observation: Observation = {
    type: readChoice(args, "type", OBSERVATION_TYPES) ?? "discovery",
    title: title === undefined ? titleOf(text) : line(title, 200),
    narrative: text,
    facts: [],
    concepts: [],
    files: file === undefined ? [] : [file],
    evidence: [],
    // The words are the assistant's, whoever asked for them.
    origin: "assistant",
  };
  const { id, isNew, alike } = writeDown(db, projectOf(call), observation, now);
  const row = findObservation(db, id);
  const where = row?.project ?? "every project";
  return {
    text: [
      `${isNew ? "Remembered" : "Already known"} for ${line(where, 80)} as o${id}: ${line(row?.title ?? "", 160)}`,
      ...alike.map((one) => `o${one.id} says nearly the same: ${line(one.title, 120)}`),
    ].join("\n"),
  };
}

/** Undefined: it holds for every project. The one here may be one nothing has happened in yet. */
function projectOf({ db, args, folder, paths, env, now }: Call): number | undefined {
  if (isDisabled(env)) throw switchedOff("C_MEM_DISABLE is set");
  const name = readText(args, "project");
  if (name === "all") return undefined;
  if (name !== undefined) {
    const named = onlyProjectNamed(db, name);
    if (named !== undefined) return named.id;
    throw new AppError("nothing_found", `There is no project "${line(name, 80)}".`, {
      hint: 'Leave it out for the one you are in, or use "all".',
    });
  }
  const { project, offReason } = findCaptureContext(folder, paths.config, env);
  if (offReason !== undefined) throw switchedOff(offReason);
  return upsertProject(db, project, now);
}

function switchedOff(reason: string): AppError {
  return new AppError("excluded", `C-Mem is switched off in this folder and saves nothing here: ${reason}.`, {
    hint: "The user decides that (`c-mem config`); do not work around it.",
  });
}
