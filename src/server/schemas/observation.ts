// Observations as replies carry them.
import * as z from "zod";
import { observationShape } from "../../queries/observation-json.ts";
import { textOrNull, time } from "./common.ts";

const fields = observationShape(z);

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
