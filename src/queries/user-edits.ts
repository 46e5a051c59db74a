// Writes, rewords, pins and replaces observations.
import { findCaptureContext } from "../capture/capture-context.ts";
import { nothingFound, usageError } from "../core/error.ts";
import { CONCEPTS, type Observation, OBSERVATION_TYPES } from "../core/memory.ts";
import { filterText } from "../core/privacy/filter.ts";
import { oneLine } from "../core/text.ts";
import { titleOf } from "../core/title.ts";
import * as memory from "../memory/user-edits.ts";
import { fit } from "../platform/terminal/layout.ts";
import type { Db } from "../store/db/driver.ts";
import { parseObservationId } from "../store/reads/items.ts";
import { findObservation, type ObservationEntry } from "../store/reads/observation-list.ts";
import { observationOf } from "../store/tables/observations.ts";
import type { TurnKey } from "../store/tables/prompts.ts";
import { onlyProjectNamed, upsertProject } from "../store/tables/projects.ts";
import { fields, type InputOf } from "./fields.ts";
import { observationJson, observationSchema, observationShape } from "./observation-json.ts";
import { defineQuery, type QueryContext } from "./query.ts";
import { listOf } from "./schemas.ts";
import { SCOPE } from "./scope.ts";

/** Fields that a new and an edited observation share, besides the text. */
export const OBSERVATION_FIELDS = fields({
  type: { kind: "text", choices: OBSERVATION_TYPES, value: "type", about: "its type" },
  title: { kind: "text", value: "title", maxChars: 400, about: "its title" },
  concepts: { kind: "list", aliases: ["concept"], choices: CONCEPTS, value: "concepts", about: "comma-separated" },
  files: { kind: "list", aliases: ["file"], value: "paths", maxItems: 100, about: "its files, comma-separated" },
});

const OBSERVATION_ID = {
  kind: "text",
  position: "<observation>",
  values: "observations",
  required: true,
  about: "its id: o78",
} as const;

export const remember = defineQuery({
  name: "remember",
  about: "write an observation for this project, or for all",
  fields: {
    text: {
      kind: "text",
      position: "[text...]",
      stdin: true,
      required: true,
      about: "the text; without it, or as -, stdin",
    },
    ...OBSERVATION_FIELDS,
    type: { ...OBSERVATION_FIELDS.type, about: "its type (default: discovery)" },
    title: { ...OBSERVATION_FIELDS.title, about: "its title (default: the start of the text)" },
    reason: { kind: "text", value: "text", maxChars: 4_000, about: "why: what was weighed, what was rejected" },
    project: SCOPE.project,
    all: { ...SCOPE.all, about: "for every project" },
  },
  http: { method: "post", path: "/api/observations", tag: "memory" },
  reply: (z) => ({
    data: z.strictObject({
      ...observationShape(z),
      is_new: z.boolean(),
      alike: z
        .array(z.strictObject({ id: z.string(), title: z.string(), is_same: z.boolean() }))
        .meta({ description: "nearly the same, or a decision on the same subject, which the new one may replace" }),
    }),
  }),
  run: (input, context) => saveObservation(input, context),
  text({ data: { id, is_new: isNew, alike, project, title } }, { note }) {
    for (const one of alike) {
      note(`${one.id} ${one.is_same ? "is nearly the same" : "is on the same subject"}: ${fit(one.title, 80)}`);
      note(`  c-mem supersede ${one.id} ${id}   replaces it`);
    }
    return `${isNew ? "Saved" : "Already known"} for ${project ?? "every project"} as ${id}: ${fit(title, 100)}`;
  },
});

interface Draft extends Partial<InputOf<typeof OBSERVATION_FIELDS>> {
  text: string;
  reason?: string | undefined;
  project: string | undefined;
  all: boolean;
}

/** What an agent adds to an observation that it saves for the user. */
export interface AgentsPart {
  /** The turn in which it wrote it; its prompt is the evidence. */
  turn?: (TurnKey & { evidence: string[] }) | undefined;
  /** Ids of the observations that it supersedes. */
  replaces: readonly number[];
}

/** `byAgent`: an agent wrote the text, not the user. */
export function saveObservation(draft: Draft, context: QueryContext, byAgent?: AgentsPart) {
  const { text, type = "discovery", title = titleOf(text), concepts = [], files = [], reason, project, all } = draft;
  if (text.trim() === "") throw usageError("The text is missing.", "c-mem remember <text>");
  const projectId = all ? undefined : projectOf(project, context);
  const why = filterText(reason ?? "").trim();
  const observation: Observation = {
    type,
    title,
    narrative: text.trim(),
    facts: why === "" ? [] : [`Why: ${why}`],
    concepts: why === "" ? concepts : [...new Set([...concepts, "why-it-exists" as const])],
    files,
    evidence: byAgent?.turn?.evidence ?? [],
    origin: byAgent === undefined ? "user" : "assistant",
  };
  const { id, isNew, alike } = memory.remember(context.db, projectId, observation, Date.now(), byAgent);
  return {
    data: {
      ...observationJson(entryOf(context.db, id)),
      is_new: isNew,
      alike: alike.map((one) => ({ id: `o${one.id}`, title: one.title, is_same: one.isSame })),
    },
  };
}

/** Creates the current project if it is not stored yet. */
function projectOf(name: string | undefined, { db, paths, env, cwd }: QueryContext): number {
  if (name !== undefined) {
    const named = onlyProjectNamed(db, name);
    if (named !== undefined) return named.id;
    throw nothingFound(`No project "${name}".`, "`c-mem projects` lists them.");
  }
  if (cwd === undefined) throw usageError("project is missing.", "Or set all for every project.");
  return upsertProject(db, findCaptureContext(cwd, paths.config, env).project, Date.now());
}

const EDIT_FIELDS = fields({
  id: OBSERVATION_ID,
  ...OBSERVATION_FIELDS,
  subtitle: { kind: "text", value: "text", maxChars: 1_000, about: "its second line" },
  text: { kind: "text", value: "text", about: "its text (- reads stdin)" },
  facts: { kind: "list", only: "http", maxItems: 100, about: "its facts" },
});

export const edit = defineQuery({
  name: "edit",
  about: "reword an observation, by options or in your editor",
  fields: EDIT_FIELDS,
  http: { method: "patch", path: "/api/observations/:id", tag: "memory", announces: "observation" },
  reply: (z) => ({ data: z.strictObject({ ...observationShape(z), is_changed: z.boolean() }) }),
  run: ({ id, ...changes }, { db }) => changeObservation(db, observationId(id), (before) => apply(before, changes)),
  text: ({ data }) => (data.is_changed ? `Changed ${data.id}: ${fit(data.title, 100)}` : "Nothing changed."),
});

type Changes = Partial<Omit<InputOf<typeof EDIT_FIELDS>, "id">>;

function apply(before: Observation, changes: Changes): Observation {
  const { subtitle: _, ...rest } = before;
  const subtitle = changes.subtitle ?? before.subtitle;
  return {
    ...rest,
    type: changes.type ?? before.type,
    title: changes.title ?? before.title,
    ...(subtitle !== undefined && subtitle !== "" && { subtitle }),
    narrative: changes.text ?? before.narrative,
    concepts: changes.concepts ?? before.concepts,
    files: changes.files ?? before.files,
    facts: changes.facts ?? before.facts,
  };
}

export function changeObservation(db: Db, id: number, change: (before: Observation) => Observation) {
  const before = observationOf(entryOf(db, id));
  const after = change(before);
  const isChanged = JSON.stringify(after) !== JSON.stringify(before);
  if (isChanged) memory.edit(db, id, after, Date.now());
  return { data: { ...observationJson(entryOf(db, id)), is_changed: isChanged } };
}

const PINNED = fields({
  id: {
    kind: "list",
    position: "<observations...>",
    values: "observations",
    required: true,
    about: "their ids: o78 o79",
  },
});

export const pin = pinQuery("pin", "put", "pin observations: shown first, kept by rebuild");
export const unpin = pinQuery("unpin", "delete", "remove the pin from observations");

function pinQuery(name: "pin" | "unpin", method: "put" | "delete", about: string) {
  const done = name === "pin" ? "Pinned" : "Unpinned";
  return defineQuery({
    name,
    about,
    fields: PINNED,
    http: { method, path: "/api/observations/:id/pin", tag: "memory", announces: "observation" },
    reply: (z) => ({ data: listOf(z, observationSchema(z)) }),
    run({ id: names }, { db }) {
      const ids = names.map(observationId);
      for (const id of ids) memory.pin(db, id, name === "pin");
      return { data: { results: ids.map((id) => observationJson(entryOf(db, id))) } };
    },
    text: ({ data }) => data.results.map(({ id, title }) => `${done} ${id}: ${fit(title, 100)}`).join("\n"),
  });
}

export const supersede = defineQuery({
  name: "supersede",
  about: "replace an observation by another and keep both",
  fields: {
    id: { ...OBSERVATION_ID, position: "<old>" },
    by: { kind: "text", position: "<new>", values: "observations", required: true, about: "its replacement: o79" },
  },
  http: { method: "put", path: "/api/observations/:id/successor", tag: "memory", announces: "observation" },
  reply: (z) => ({ data: observationSchema(z) }),
  run({ id, by }, { db }) {
    memory.supersede(db, observationId(id), observationId(by), Date.now());
    return { data: observationJson(entryOf(db, observationId(id))) };
  },
  text({ data: { id, superseded_by: successor } }) {
    return `${id} is replaced by ${successor?.id}: ${fit(successor?.title ?? "", 100)}`;
  },
});

export const undoSupersede = defineQuery({
  name: "supersede",
  about: "make a replaced observation current again",
  fields: { id: supersede.fields.id },
  http: { method: "delete", path: "/api/observations/:id/successor", tag: "memory", announces: "observation" },
  reply: (z) => ({ data: observationSchema(z) }),
  run({ id }, { db }) {
    memory.undoSupersede(db, observationId(id), Date.now());
    return { data: observationJson(entryOf(db, observationId(id))) };
  },
  text: ({ data }) => `${data.id} is current again: ${fit(data.title, 100)}`,
});

export function observationId(text: string): number {
  const id = parseObservationId(text.trim());
  if (id !== undefined) return id;
  throw usageError(
    `"${oneLine(text, 60)}" is not an observation's id.`,
    "Ids look like o78; `c-mem observations` shows them.",
  );
}

function entryOf(db: Db, id: number): ObservationEntry {
  const row = findObservation(db, id);
  if (row !== undefined) return row;
  throw nothingFound(`No observation o${id}.`, "`c-mem observations` lists them.");
}
