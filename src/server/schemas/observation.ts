// Observations as replies carry them.
import * as z from "zod";
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import { count, textOrNull, time, timeOrNull } from "./common.ts";

const fields = {
  id: z.string().meta({ description: "o78" }),
  type: z.enum(OBSERVATION_TYPES),
  title: z.string(),
  subtitle: textOrNull(),
  narrative: z.string(),
  facts: z.array(z.string()),
  concepts: z.array(z.enum(CONCEPTS)),
  files: z.array(z.string()).meta({ description: "all it is about, those only named included" }),
  files_read: z.array(z.string()).meta({ description: "those of them that its turn only read" }),
  files_modified: z.array(z.string()).meta({ description: "those of them that its turn edited or created" }),
  evidence: z.array(z.string()),
  origin: z.enum(["user", "assistant", "tool"]),
  subject: textOrNull(),
  producer: z.string(),
  is_current: z.boolean(),
  pinned: z.boolean(),
  edited_at: timeOrNull(),
  superseded_by: z.strictObject({ id: z.string(), title: textOrNull() }).nullable(),
  superseded_by_hand: z.boolean(),
  valid_from: time(),
  valid_to: timeOrNull(),
  created_at: time(),
  session_id: textOrNull(),
  prompt_number: z.int().nullable(),
  agent: textOrNull(),
  project: textOrNull().meta({ description: "null: it holds for every project" }),
  project_key: textOrNull(),
};

export const observation = () => z.strictObject(fields);

const standing = () =>
  z
    .strictObject({
      kind: z.enum(["holds", "gone", "renamed", "changed"]),
      name: z.string().optional(),
      file: z.string().optional(),
      note: z.string(),
    })
    .nullable()
    .meta({ description: "whether it still holds by today's files; null: that cannot be told" });

export const listedObservation = () =>
  z.strictObject({ ...fields, standing: standing(), score: z.number().optional() });

const named = { id: z.string(), title: z.string(), producer: z.string() };

const evidence = () =>
  z.discriminatedUnion("kind", [
    z.strictObject({ id: z.string(), kind: z.literal("gone") }),
    z.strictObject({ id: z.string(), kind: z.literal("prompt"), text: z.string(), at: time() }),
    z.strictObject({ id: z.string(), kind: z.literal("message"), text: z.string(), at: time() }),
    z.strictObject({
      id: z.string(),
      kind: z.literal("tool"),
      name: z.string(),
      subject: z.string(),
      outcome: z.string(),
      is_error: z.boolean(),
      output: z.string(),
      at: time(),
    }),
  ]);

/** With what it rests on, what it replaced and what replaced it. */
export const story = () =>
  z.strictObject({
    ...fields,
    standing: standing(),
    session: z.strictObject({ session_id: z.string(), title: textOrNull() }).nullable(),
    replaced_by: z.strictObject(named).nullable(),
    replaces: z.array(z.strictObject(named)),
    versions: z.array(z.strictObject({ ...named, is_current: z.boolean() })),
    prompt_hash: textOrNull(),
    content_hash: z.string(),
    evidence: z.array(evidence()),
  });

export const remembered = () =>
  z.strictObject({
    ...fields,
    is_new: z.boolean(),
    alike: z.array(z.strictObject({ id: z.string(), title: z.string() })),
  });

export const edited = () => z.strictObject({ ...fields, is_changed: z.boolean() });

export const effort = () =>
  z.strictObject({
    id: z.string(),
    title: z.string(),
    project: z.string(),
    branches: z.array(z.string()),
    agents: z.array(z.string()),
    subagents: count(),
    started_at: time(),
    last_at: time(),
    sessions: z.array(
      z.strictObject({
        session_id: z.string(),
        agent: z.string(),
        title: textOrNull(),
        outcome: textOrNull(),
        git_branch: textOrNull(),
        started_at: time(),
        last_at: time(),
        continues: textOrNull(),
        weight: z.number().nullable(),
      }),
    ),
    decisions: z.array(
      z.strictObject({
        id: z.string(),
        session_id: textOrNull(),
        title: z.string(),
        narrative: z.string(),
        at: time(),
      }),
    ),
    open_ends: z.array(z.strictObject({ session_id: z.string(), text: z.string() })),
  });
