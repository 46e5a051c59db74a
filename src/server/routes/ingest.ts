// The routes for events that editors report. Their field names are those of hooks and of other memory systems.
import * as z from "zod";
import { count } from "../../core/text.ts";
import { recordEvent } from "../ingest.ts";
import { type Route, route } from "../route.ts";
import { countOf } from "../../queries/schemas.ts";

const id = () => z.union([z.string().min(1).max(400), z.int()]).optional();

/** One of the first four names the session; unknown fields are allowed. */
const identity = {
  sessionId: id().meta({ description: "the editor's own id of the session" }),
  session_id: id(),
  claudeSessionId: id(),
  contentSessionId: id(),
  project: z.string().max(400).optional().meta({ description: "the project's name, if the folder is not known" }),
  cwd: z
    .string()
    .max(4_000)
    .optional()
    .meta({ description: "the folder the session works in, which determines the project" }),
  agent: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/)
    .optional()
    .meta({ description: 'the agent\'s name, e.g. "vscode" (default: "other")' }),
  timestamp: z
    .union([z.string().max(40), z.number()])
    .optional()
    .meta({ description: "ISO 8601 or milliseconds, at most a day ago (default: now)" }),
};

const reply = () => ({
  data: z.strictObject({
    session_id: z.string(),
    session_db_id: z.int().nullable(),
    prompt_number: countOf(z).nullable(),
    recorded: z.boolean(),
    why: z.enum(["excluded", "private", "nothing"]).nullable().meta({ description: "why nothing was recorded" }),
  }),
});

interface EventRow<Fields extends z.ZodRawShape> {
  path: string;
  /** The hook that reports the same event. */
  command: string;
  about: string;
  fields: Fields;
  /** The hook's payload. */
  payload(body: z.output<z.ZodObject<Fields & typeof identity>>): Record<string, unknown>;
}

function eventRoute<Fields extends z.ZodRawShape>(row: EventRow<Fields>): Route {
  const { path, command, about, fields, payload } = row;
  return route({
    method: "post",
    path,
    command,
    tag: "capture",
    ...(command !== "new" && { skipDrain: true }),
    about,
    body: z.looseObject({ ...identity, ...fields }),
    reply,
    run({ context, params, body }) {
      const { sessionId, session_id, claudeSessionId, contentSessionId, project, cwd, agent, timestamp } =
        body as z.output<z.ZodObject<typeof identity>>;
      const source = params["id"] ?? sessionId ?? session_id ?? claudeSessionId ?? contentSessionId;
      const event = { ...payload(body as Parameters<typeof payload>[0]), timestamp };
      return recordEvent(context, { sessionId: source, project, cwd, agent }, command, event);
    },
  });
}

const PROMPT = {
  command: "new",
  fields: {
    userPrompt: z.string().optional(),
    prompt: z.string().optional(),
    prompt_id: z.string().max(400).optional().meta({ description: "repeating an id does not record the prompt twice" }),
  },
  payload: ({ userPrompt, prompt, prompt_id }: Record<string, unknown>) => ({
    prompt: userPrompt ?? prompt ?? "",
    prompt_id,
  }),
};

const processing = route({
  method: "post",
  path: "/api/processing",
  command: "processing",
  tag: "capture",
  skipDrain: true,
  about: "Announce on /stream whether an editor is processing; not stored.",
  body: z.looseObject({ isProcessing: z.boolean() }),
  reply: () => ({ data: z.strictObject({ is_processing: z.boolean(), told: z.string() }) }),
  run: ({ host, body: { isProcessing } }) => {
    host.live.broadcast("processing_status", { is_processing: isProcessing, by: "editor" });
    return { data: { is_processing: isProcessing, told: count(host.live.count(), "reader") } };
  },
});

export const EVENT_ROUTES = [
  eventRoute({ ...PROMPT, path: "/sessions/init", about: "Record a prompt. The first one starts the session." }),
  eventRoute({
    ...PROMPT,
    path: "/sessions/:id/init",
    about:
      "Record a prompt of a session, by the editor's own session id or session_db_id. Repeated text is recorded once.",
  }),
  eventRoute({
    path: "/api/sessions/observations",
    command: "save",
    about: "Record a tool use.",
    fields: {
      tool_name: z.string().min(1).max(400),
      tool_input: z.unknown().optional(),
      tool_response: z.unknown().optional(),
      tool_use_id: z
        .string()
        .max(400)
        .optional()
        .meta({ description: "repeating an id does not record the use twice" }),
      prompt_id: z.string().max(400).optional(),
      error: z.string().optional().meta({ description: "the error message, if it failed" }),
      duration_ms: z.number().optional(),
    },
    payload: ({ tool_name, tool_input, tool_response, tool_use_id, prompt_id, error, duration_ms }) => ({
      hook_event_name: error === undefined ? "PostToolUse" : "PostToolUseFailure",
      tool_name,
      tool_input,
      tool_response,
      tool_use_id,
      prompt_id,
      error,
      duration_ms,
    }),
  }),
  eventRoute({
    path: "/api/sessions/summarize",
    command: "summary",
    about: "End a turn. Observations are derived in the background.",
    fields: {
      last_user_message: z.string().optional(),
      last_assistant_message: z.string().optional(),
      prompt_id: z.string().max(400).optional(),
    },
    payload: ({ last_assistant_message, prompt_id }) => ({ last_assistant_message, prompt_id }),
  }),
  eventRoute({
    path: "/api/sessions/complete",
    command: "cleanup",
    about: "End a session.",
    fields: { reason: z.string().max(200).optional() },
    payload: ({ reason }) => ({ reason }),
  }),
  processing,
];
