// remember: writes an observation for later sessions, filtered like everything else.
import { findCaptureContext } from "../capture/capture-context.ts";
import { isDisabled } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { type Observation, OBSERVATION_TYPES, type ObservationType } from "../core/memory.ts";
import { titleOf } from "../core/title.ts";
import { remember as writeDown } from "../memory/user-edits.ts";
import { findObservation } from "../store/reads/observation-list.ts";
import { onlyProjectNamed, upsertProject } from "../store/tables/projects.ts";
import { type Answer, ALL, type Call, defineTool, PROJECT } from "./tool.ts";
import { line } from "./text.ts";

export const remember = defineTool({
  name: "remember",
  description:
    "Write something down for later sessions: what the user wants remembered, a decision and why. One thing, in full sentences.",
  fields: {
    text: { kind: "text", required: true, about: "" },
    title: { kind: "text", about: "one line that says it all" },
    type: { kind: "text", choices: OBSERVATION_TYPES, about: "" },
    file: { kind: "text", about: "the path it is about" },
    ...PROJECT,
  },
  annotations: { destructiveHint: false },
  isWriting: true,
  run: saveObservation,
});

interface RememberInput {
  text: string;
  title: string | undefined;
  type: ObservationType | undefined;
  file: string | undefined;
  project: string | undefined;
}

function saveObservation({ text, title, type, file, project }: RememberInput, call: Call): Answer {
  const { db, now } = call;
  const observation: Observation = {
    type: type ?? "discovery",
    title: title === undefined ? titleOf(text) : line(title, 200),
    narrative: text,
    facts: [],
    concepts: [],
    files: file === undefined ? [] : [file],
    evidence: [],
    // The assistant wrote the text, even if the user asked for it.
    origin: "assistant",
  };
  const { id, isNew, alike } = writeDown(db, projectOf(project, call), observation, now);
  const row = findObservation(db, id);
  const where = row?.project ?? "every project";
  return {
    text: [
      `${isNew ? "Saved" : "Already known"} for ${line(where, 80)} as o${id}: ${line(row?.title ?? "", 160)}`,
      ...alike.map((one) => `o${one.id} is nearly the same: ${line(one.title, 120)}`),
    ].join("\n"),
  };
}

/** Undefined: for every project. The current project may have no sessions yet. */
function projectOf(name: string | undefined, { db, cwd, paths, env, now }: Call): number | undefined {
  if (isDisabled(env)) throw switchedOff("C_MEM_DISABLE is set");
  if (name === ALL) return undefined;
  if (name !== undefined) {
    const named = onlyProjectNamed(db, name);
    if (named !== undefined) return named.id;
    throw new AppError("nothing_found", `No project "${line(name, 80)}".`, {
      hint: 'Leave it out for the one you are in, or use "all".',
    });
  }
  const { project, offReason } = findCaptureContext(cwd, paths.config, env);
  if (offReason !== undefined) throw switchedOff(offReason);
  return upsertProject(db, project, now);
}

function switchedOff(reason: string): AppError {
  return new AppError("excluded", `C-Mem is switched off in this folder and saves nothing here: ${reason}.`, {
    hint: "The user decides that (`c-mem config`); do not work around it.",
  });
}
