// Sessions, their summaries and their items as replies carry them.
import * as z from "zod";
import { observationSchema } from "../../queries/observation-json.ts";
import { sessionSchema, summarySchema } from "../../queries/session-json.ts";
import { count, textOrNull, time, timeOrNull } from "./common.ts";

const sessionFields = sessionSchema(z).shape;

export const session = () => z.strictObject(sessionFields);

export const summary = () => summarySchema(z);

/** Of one turn; `completed` also where the next prompt took its place. */
export const turnStatus = () => z.enum(["running", "completed", "interrupted"]);

const turn = () =>
  z.strictObject({
    number: z.int(),
    index: count().meta({ description: "where in the transcript it begins" }),
    items: count(),
    failed: count(),
    prompt_id: textOrNull(),
    title: textOrNull(),
    at: time(),
    ended_at: timeOrNull(),
    status: turnStatus().nullable(),
  });

export const sessionDetail = () =>
  z.strictObject({
    ...sessionFields,
    summary: summary().nullable(),
    resume: textOrNull().meta({ description: "the agent's own command to go on with it" }),
    counts: z.strictObject({
      items: count(),
      prompts: count(),
      messages: count(),
      tool_uses: count(),
      failed_tool_uses: count(),
      subagents: count(),
      commits: count(),
    }),
    turns: z.array(turn()),
    subagents: z.array(session()),
    observations: z.array(observationSchema(z)),
    files: z.array(
      z.strictObject({ path: z.string(), created: z.boolean(), added: count(), removed: count(), last_at: time() }),
    ),
  });

const file = () =>
  z.strictObject({
    path: z.string(),
    kind: z.enum(["read", "edit", "create"]),
    added: count().nullable(),
    removed: count().nullable(),
  });

/** Each has its place in the whole session, its turn, and the observations that rest on it. */
export const entry = () =>
  z.discriminatedUnion("kind", items({ index: count(), turn: z.int(), observations: z.array(z.string()) }));

/** By its id in the outline; tools with input and output only where they were asked for. */
export const outlinedItem = () => z.union(items({}, { isWhole: false }));

function items<Place extends z.ZodRawShape>(place: Place, { isWhole } = { isWhole: true }) {
  const common = { ...place, at: time() };
  const id = isWhole ? {} : { id: z.string() };
  const body = { input: z.unknown(), output: z.string() };
  return [
    z.strictObject({ ...common, kind: z.literal("prompt"), id: z.string(), text: z.string() }),
    z.strictObject({
      ...common,
      kind: z.literal("message"),
      id: textOrNull(),
      role: z.enum(["assistant", "system", "summary"]),
      text: z.string(),
      thinking: textOrNull(),
    }),
    z.strictObject({
      ...common,
      kind: z.literal("tool"),
      id: z.string(),
      name: z.string(),
      subject: z.string(),
      outcome: z.string(),
      is_error: z.boolean(),
      exit_code: z.int().nullable(),
      duration_ms: count().nullable(),
      files: z.array(file()),
      ...(isWhole ? body : { input: body.input.optional(), output: body.output.optional() }),
    }),
    z.strictObject({ ...common, ...sessionFields, ...id, kind: z.literal("subagent"), report: textOrNull() }),
    z.strictObject({ ...common, ...id, kind: z.literal("commit"), sha: z.string(), subject: z.string() }),
  ] as const;
}
