// An observation as JSON, alone or with its evidence, and the schemas.
import { statOf } from "../platform/read-file.ts";
import { iso } from "../core/time.ts";
import type { Evidence, ObservationStory } from "../recall/history/observation.ts";
import { standingNote, standingOf } from "../recall/inject/standing.ts";
import { observationFiles } from "../store/tables/observation-files.ts";
import { observationOf } from "../store/tables/observations.ts";
import type { ObservationEntry } from "../store/reads/observation-list.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../core/memory.ts";
import type { Zod } from "./query.ts";
import { textOrNull, timeOf, timeOrNull } from "./schemas.ts";

export const observationShape = (z: Zod) => ({
  id: z.string().meta({ description: "o78" }),
  type: z.enum(OBSERVATION_TYPES),
  title: z.string(),
  subtitle: textOrNull(z),
  narrative: z.string(),
  facts: z.array(z.string()),
  concepts: z.array(z.enum(CONCEPTS)),
  files: z.array(z.string()).meta({ description: "all of its files, including those only mentioned" }),
  files_read: z.array(z.string()).meta({ description: "those its turn only read" }),
  files_modified: z.array(z.string()).meta({ description: "those its turn edited or created" }),
  evidence: z.array(z.string()),
  origin: z.enum(["user", "assistant", "tool"]),
  subject: textOrNull(z),
  producer: z.string(),
  is_current: z.boolean(),
  pinned: z.boolean(),
  edited_at: timeOrNull(z),
  superseded_by: z.strictObject({ id: z.string(), title: textOrNull(z) }).nullable(),
  superseded_by_hand: z.boolean(),
  valid_from: timeOf(z),
  valid_to: timeOrNull(z),
  created_at: timeOf(z),
  session_id: textOrNull(z),
  prompt_number: z.int().nullable(),
  agent: textOrNull(z),
  project: textOrNull(z).meta({ description: "null: for every project" }),
  project_key: textOrNull(z),
});

export const observationSchema = (z: Zod) => z.strictObject(observationShape(z));

export function observationJson(row: ObservationEntry) {
  const { type, title, narrative, facts, concepts, evidence, origin } = observationOf(row);
  const { all, read, modified } = observationFiles(row);
  return {
    id: `o${row.id}`,
    type,
    title,
    subtitle: row.subtitle,
    narrative,
    facts,
    concepts,
    files: all,
    files_read: read,
    files_modified: modified,
    evidence,
    origin,
    subject: row.subject,
    producer: row.producer,
    is_current: row.is_current === 1,
    pinned: row.pinned === 1,
    edited_at: iso(row.edited_at),
    superseded_by: row.superseded_by === null ? null : { id: `o${row.superseded_by}`, title: row.successor_title },
    superseded_by_hand: row.superseded_at !== null,
    valid_from: iso(row.valid_from),
    valid_to: iso(row.valid_to),
    created_at: iso(row.created_at),
    session_id: row.session_id,
    prompt_number: row.prompt_number,
    agent: row.agent,
    project: row.project,
    project_key: row.project_key,
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

export function standingJson(row: ObservationEntry, options: { deep: boolean }) {
  const { project_root: top, valid_from: since } = row;
  const observation = observationOf(row);
  if (top === null || observation.files.length === 0 || !statOf(top)?.isDirectory()) return null;
  const standing = standingOf(observation, { top, since, ...options });
  return { ...standing, note: standingNote(standing) };
}

export const storySchema = (z: Zod) => {
  const named = { id: z.string(), title: z.string(), producer: z.string() };
  const text = { id: z.string(), text: z.string(), at: timeOf(z) };
  return z.strictObject({
    ...observationShape(z),
    standing: standingSchema(z),
    session: z.strictObject({ session_id: z.string(), title: textOrNull(z) }).nullable(),
    replaced_by: z.strictObject(named).nullable(),
    replaces: z.array(z.strictObject(named)),
    versions: z.array(z.strictObject({ ...named, is_current: z.boolean() })),
    prompt_hash: textOrNull(z),
    content_hash: z.string(),
    evidence: z.array(
      z.discriminatedUnion("kind", [
        z.strictObject({ id: z.string(), kind: z.literal("gone") }),
        z.strictObject({ ...text, kind: z.literal("prompt") }),
        z.strictObject({ ...text, kind: z.literal("message") }),
        z.strictObject({
          id: z.string(),
          kind: z.literal("tool"),
          name: z.string(),
          subject: z.string(),
          outcome: z.string(),
          is_error: z.boolean(),
          output: z.string(),
          at: timeOf(z),
        }),
      ]),
    ),
  });
};

export function storyJson(story: ObservationStory) {
  const { observation, session, successor, predecessors, versions, evidence } = story;
  const named = (one: ObservationEntry) => ({ id: `o${one.id}`, title: one.title, producer: one.producer });
  return {
    ...observationJson(observation),
    standing: standingJson(observation, { deep: true }),
    session: session === undefined ? null : { session_id: session.session_id, title: session.title },
    replaced_by: successor === undefined ? null : named(successor),
    replaces: predecessors.map(named),
    versions: versions.map((one) => ({ ...named(one), is_current: one.is_current === 1 })),
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
