// An observation as JSON, with or without its evidence, and the schemas.
import { statOf } from "../platform/read-file.ts";
import { iso } from "../core/time.ts";
import type { Evidence, ObservationStory } from "../recall/history/observation.ts";
import { checkAgainstTree, freshnessNote } from "../recall/inject/freshness.ts";
import { observationFiles } from "../store/tables/observation-files.ts";
import { observationOf } from "../store/tables/observations.ts";
import type { ObservationEntry } from "../store/reads/observation-list.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../core/memory.ts";
import type { Zod } from "./query.ts";
import { countOf, jsonOf, defineNames, schemaOf, textOrNull } from "./schemas.ts";

const OBSERVATION = defineNames({
  text: ["title", "narrative", "producer"],
  textOrNull: ["subtitle", "subject", "session_id", "agent", "project", "project_key"],
  texts: ["facts", "evidence"],
  intOrNull: ["prompt_number"],
  flag: ["is_current", "pinned", "superseded_by_hand", "marked_wrong"],
  time: ["valid_from", "created_at"],
  timeOrNull: ["edited_at", "valid_to"],
});

export const observationShape = (z: Zod) => ({
  id: z.string().meta({ description: "o78" }),
  type: z.enum(OBSERVATION_TYPES),
  ...schemaOf(z, OBSERVATION),
  project: textOrNull(z).meta({ description: "null: for every project" }),
  concepts: z.array(z.enum(CONCEPTS)),
  files: z.array(z.string()).meta({ description: "all of its files, including files that it only mentions" }),
  files_read: z.array(z.string()).meta({ description: "files that its turn only read" }),
  files_modified: z.array(z.string()).meta({ description: "files that its turn edited or created" }),
  origin: z.enum(["user", "assistant", "tool"]),
  superseded_by: z.strictObject({ id: z.string(), title: textOrNull(z) }).nullable(),
  copies: countOf(z).meta({ description: "other sessions that have a copy of its turn" }),
});

export const observationSchema = (z: Zod) => z.strictObject(observationShape(z));

export function observationJson(row: ObservationEntry) {
  const { type, narrative, facts, concepts, evidence, origin } = observationOf(row);
  const { all, read, modified } = observationFiles(row);
  const { superseded_by: successor } = row;
  const superseded_by_hand = row.superseded_at !== null;
  return {
    id: `o${row.id}`,
    type,
    ...jsonOf(OBSERVATION, { ...row, narrative, facts, evidence, superseded_by_hand }),
    concepts,
    files: all,
    files_read: read,
    files_modified: modified,
    origin,
    superseded_by: successor === null ? null : { id: `o${successor}`, title: row.successor_title },
    copies: row.copies,
  };
}

export const standingSchema = (z: Zod) =>
  z
    .strictObject({
      kind: z.enum(["holds", "gone", "renamed", "changed"]),
      name: z.string().optional(),
      file: z.string().optional(),
      note: z.string(),
    })
    .nullable()
    .meta({ description: "whether today's files still agree with it; null: no files, or not on this machine" });

export function standingJson(row: ObservationEntry, options: { readFiles: boolean }) {
  const { project_root: top, valid_from: since } = row;
  const observation = observationOf(row);
  if (top === null || observation.files.length === 0 || !statOf(top)?.isDirectory()) return null;
  const freshness = checkAgainstTree(observation, { top, since, ...options });
  return { ...freshness, note: freshnessNote(freshness) };
}

const REFERENCE = defineNames({ text: ["id", "title", "producer"] });

export const storySchema = (z: Zod) => {
  const reference = schemaOf(z, REFERENCE);
  const text = schemaOf(z, { text: ["id", "text"], time: ["at"] });
  return z.strictObject({
    ...observationShape(z),
    standing: standingSchema(z),
    session: z.strictObject({ session_id: z.string(), title: textOrNull(z) }).nullable(),
    replaced_by: z.strictObject(reference).nullable(),
    replaces: z.array(z.strictObject(reference)),
    versions: z.array(z.strictObject({ ...reference, is_current: z.boolean() })),
    prompt_hash: textOrNull(z),
    content_hash: z.string(),
    evidence: z.array(
      z.discriminatedUnion("kind", [
        z.strictObject({ id: z.string(), kind: z.literal("gone") }),
        z.strictObject({ ...text, kind: z.literal("prompt") }),
        z.strictObject({ ...text, kind: z.literal("message") }),
        z.strictObject({
          kind: z.literal("tool"),
          ...schemaOf(z, { text: ["id", "name", "subject", "outcome", "output"], flag: ["is_error"], time: ["at"] }),
        }),
      ]),
    ),
  });
};

export function storyJson(story: ObservationStory) {
  const { observation, session, successor, predecessors, versions, evidence } = story;
  const reference = (one: ObservationEntry) => jsonOf(REFERENCE, { ...one, id: `o${one.id}` });
  return {
    ...observationJson(observation),
    standing: standingJson(observation, { readFiles: true }),
    session: session === undefined ? null : { session_id: session.session_id, title: session.title },
    replaced_by: successor === undefined ? null : reference(successor),
    replaces: predecessors.map(reference),
    versions: versions.map((one) => ({ ...reference(one), is_current: one.is_current === 1 })),
    prompt_hash: observation.prompt_hash,
    content_hash: observation.content_hash,
    evidence: evidence.map(evidenceJson),
  };
}

function evidenceJson(item: Evidence) {
  switch (item.kind) {
    case "gone":
      return { id: item.id, kind: item.kind };
    case "tool": {
      const { id, kind, name, subject, outcome, isError, output, at } = item;
      return { id, kind, name, subject, outcome, is_error: isError, output, at: iso(at) };
    }
    default:
      return { id: item.id, kind: item.kind, text: item.text, at: iso(item.at) };
  }
}
