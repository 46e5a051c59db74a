// What a person changes by hand: written down, pinned, reworded, replaced.
import { findCaptureContext } from "../capture/capture-context.ts";
import { AppError } from "../core/error.ts";
import type { Observation } from "../core/memory.ts";
import { titleOf } from "../core/title.ts";
import { edit, pin, remember, type Remembered, supersede, undoSupersede } from "../memory/user-edits.ts";
import type { Db } from "../store/db/driver.ts";
import { findObservation, type ObservationEntry } from "../store/reads/observation-list.ts";
import { observationOf } from "../store/tables/observations.ts";
import { onlyProjectNamed, upsertProject } from "../store/tables/projects.ts";
import type { Asked } from "./legacy.ts";
import type { Answer, Json } from "./envelope.ts";
import { observationId, readConcepts, readNames, readType } from "./observation-flags.ts";
import { observationJson } from "./observation-json.ts";

export function answerRemember(asked: Asked, text: string): Answer & Remembered & { row: ObservationEntry } {
  const { db, flags } = asked;
  if (text.trim() === "") throw new AppError("usage", "What shall be remembered?", { hint: "c-mem remember <text>" });
  const observation: Observation = {
    type: readType(flags["type"]) ?? "discovery",
    title: flags["title"] === undefined ? titleOf(text) : String(flags["title"]),
    narrative: text.trim(),
    facts: [],
    concepts: readConcepts(flags["concept"]) ?? [],
    files: readNames(flags["file"]) ?? [],
    evidence: [],
    origin: "user",
  };
  const projectId = flags["all"] === true ? undefined : projectOf(asked);
  const remembered = remember(db, projectId, observation, Date.now());
  const row = entryOf(db, remembered.id);
  const alike = remembered.alike.map((one) => ({ id: `o${one.id}`, title: one.title }));
  return { data: { ...observationJson(row), is_new: remembered.isNew, alike }, ...remembered, row };
}

/** The project here may be one nothing has happened in yet. */
function projectOf({ db, flags, paths, env, cwd }: Asked): number {
  const name = flags["project"];
  if (typeof name === "string") {
    const named = onlyProjectNamed(db, name);
    if (named !== undefined) return named.id;
    throw new AppError("nothing_found", `There is no project "${name}".`, { hint: "`c-mem projects` lists them." });
  }
  if (cwd === undefined) throw new AppError("usage", "For which project, or for all?");
  return upsertProject(db, findCaptureContext(cwd, paths.config, env).project, Date.now());
}

/** `change` makes of the observation what it is to be. */
export function answerEdit(
  { db }: Pick<Asked, "db">,
  name: string,
  change: (before: Observation, id: number) => Observation,
): Answer & { row: ObservationEntry; isChanged: boolean } {
  const id = observationId(name);
  const before = observationOf(entryOf(db, id));
  const after = change(before, id);
  const isChanged = JSON.stringify(after) !== JSON.stringify(before);
  if (isChanged) edit(db, id, after, Date.now());
  const row = entryOf(db, id);
  return { data: { ...observationJson(row), is_changed: isChanged }, row, isChanged };
}

export const EDITED_FIELDS = ["title", "subtitle", "text", "type", "concept", "file"] as const;

export function editByFlags(before: Observation, flags: Json): Observation {
  const { subtitle: _, ...rest } = before;
  const text = (name: string): string | undefined => (flags[name] === undefined ? undefined : String(flags[name]));
  const subtitle = text("subtitle") ?? before.subtitle;
  return {
    ...rest,
    type: readType(flags["type"]) ?? before.type,
    title: text("title") ?? before.title,
    ...(subtitle !== undefined && subtitle !== "" && { subtitle }),
    narrative: text("text") ?? before.narrative,
    concepts: readConcepts(flags["concept"]) ?? before.concepts,
    files: readNames(flags["file"]) ?? before.files,
  };
}

export function answerPin(
  { db }: Pick<Asked, "db">,
  names: readonly string[],
  isPinned: boolean,
): Answer & { rows: ObservationEntry[] } {
  const ids = names.map(observationId);
  for (const id of ids) pin(db, id, isPinned);
  const rows = ids.map((id) => entryOf(db, id));
  return { data: { results: rows.map(observationJson) }, rows };
}

/** Without a newer one: the older holds again. */
export function answerSupersede(
  { db }: Pick<Asked, "db">,
  older: string,
  newer: string | undefined,
): Answer & { row: ObservationEntry } {
  const id = observationId(older);
  if (newer === undefined) undoSupersede(db, id, Date.now());
  else supersede(db, id, observationId(newer), Date.now());
  const row = entryOf(db, id);
  return { data: observationJson(row), row };
}

function entryOf(db: Db, id: number): ObservationEntry {
  const row = findObservation(db, id);
  if (row !== undefined) return row;
  throw new AppError("nothing_found", `There is no observation o${id}.`, { hint: "`c-mem observations` lists them." });
}
