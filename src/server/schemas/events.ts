// The events of the stream, by name.
import * as z from "zod";
import { countOf, textOrNull, timeOf } from "../../queries/schemas.ts";
import { observationSchema } from "../../queries/observation-json.ts";

export const STREAM_ABOUT =
  "Everything captured and derived, as it happens, as server-sent events. Last-Event-ID resumes; the last event may come twice. A subscriber that falls behind is disconnected.";

const of = () => ({
  session_id: z.string(),
  parent_session_id: textOrNull(z),
  agent: z.string(),
  project: z.string(),
  title: textOrNull(z),
  at: timeOf(z),
});

export const EVENTS: Readonly<Record<string, () => z.ZodType>> = {
  session_started: () => z.strictObject(of()),
  prompt: () => z.strictObject({ ...of(), id: z.string(), prompt_number: z.int(), text: z.string() }),
  tool_use: () =>
    z.strictObject({
      ...of(),
      id: z.string(),
      prompt_number: z.int(),
      name: z.string(),
      subject: z.string(),
      outcome: z.string(),
      is_error: z.boolean(),
      exit_code: z.int().nullable(),
      duration_ms: countOf(z).nullable(),
    }),
  observation: () =>
    observationSchema(z)
      .partial()
      .extend({ id: z.string(), change: z.enum(["created", "edited"]) }),
  summary: () =>
    z.strictObject({
      ...of(),
      prompt_number: z.int().meta({ description: "0: the whole session" }),
      request: z.string(),
      learned: z.string(),
      completed: z.string(),
      next_steps: z.string(),
    }),
  session_completed: () => z.strictObject({ ...of(), status: z.string(), reason: textOrNull(z) }),
  /** Last-Event-ID is too old or of another database: reload. */
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
