// The schemas of the stream's events, by name.
import * as z from "zod";
import { countOf, schemaOf, textOrNull } from "../../queries/schemas.ts";
import { observationSchema } from "../../queries/observation-json.ts";
import { SESSION, SUMMARY, TOOL_USE } from "../change-feed.ts";

export const STREAM_ABOUT =
  "Sessions, prompts, tool uses, observations and summaries as they are stored, as server-sent events. Last-Event-ID resumes; the last event may come twice. A subscriber that falls behind is disconnected.";

const ofSession = () => schemaOf(z, SESSION);

export const EVENTS: Readonly<Record<string, () => z.ZodType>> = {
  session_started: () => z.strictObject(ofSession()),
  prompt: () => z.strictObject({ ...ofSession(), id: z.string(), prompt_number: z.int(), text: z.string() }),
  tool_use: () =>
    z.strictObject({
      ...ofSession(),
      ...schemaOf(z, TOOL_USE),
    }),
  observation: () =>
    observationSchema(z)
      .partial()
      .extend({ id: z.string(), change: z.enum(["created", "edited"]) }),
  summary: () =>
    z.strictObject({
      ...ofSession(),
      ...schemaOf(z, SUMMARY),
      prompt_number: z.int().meta({ description: "0: the whole session" }),
    }),
  session_completed: () => z.strictObject({ ...ofSession(), status: z.string(), reason: textOrNull(z) }),
  /** Last-Event-ID is too old, or from another database: the client must reload. */
  reset: () => z.strictObject({}),
  forgotten: () => z.strictObject({ ids: z.array(z.string()) }),
  processing_status: () =>
    z.strictObject({
      is_processing: z.boolean(),
      by: z.enum(["worker", "editor"]),
      pending: countOf(z).optional(),
      running: countOf(z).optional(),
      failed: countOf(z).optional(),
    }),
};
