// Events an editor reports. Field names are those of the hooks and, for compatibility, of other memory systems.
import * as z from "zod";
import { type EventSource, recordEvent } from "../ingest.ts";
import { route } from "../route.ts";
import { countOf } from "../../queries/schemas.ts";

const id = () => z.union([z.string().min(1).max(400), z.int()]).optional();

/** One of the first four names the session; unknown fields are allowed. */
const identity = {
  sessionId: id().meta({ description: "the editor's own id of the session" }),
  session_id: id(),
  claudeSessionId: id(),
  contentSessionId: id(),
  project: z.string().max(400).optional().meta({ description: "its name, if the folder is not known" }),
  cwd: z.string().max(4_000).optional().meta({ description: "the folder it works in, which determines the project" }),
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

type Identity = z.output<z.ZodObject<typeof identity>>;

function who(body: Identity, inPath?: string): EventSource {
  const { sessionId, session_id, claudeSessionId, contentSessionId, project, cwd, agent } = body;
  return { sessionId: inPath ?? sessionId ?? session_id ?? claudeSessionId ?? contentSessionId, project, cwd, agent };
}

const reply = () => ({
  data: z.strictObject({
    session_id: z.string(),
    session_db_id: z.int().nullable(),
    prompt_number: countOf(z).nullable(),
    recorded: z.boolean(),
    why: z.enum(["excluded", "private", "nothing"]).nullable().meta({ description: "why nothing was recorded" }),
  }),
});

const prompted = z.looseObject({
  ...identity,
  userPrompt: z.string().optional(),
  prompt: z.string().optional(),
  prompt_id: z.string().max(400).optional().meta({ description: "repeating an id does not record the prompt twice" }),
});

type Prompted = z.output<typeof prompted>;

const promptPayload = ({ userPrompt, prompt, prompt_id, timestamp }: Prompted): Record<string, unknown> => ({
  prompt: userPrompt ?? prompt ?? "",
  prompt_id,
  timestamp,
});

export const INIT = route({
  method: "post",
  path: "/sessions/init",
  command: "new",
  tag: "capture",
  about: "Record a prompt. The first one starts the session.",
  body: prompted,
  reply,
  run: ({ context, body }) => recordEvent(context, who(body), "new", promptPayload(body)),
});

export const INIT_ONE = route({
  method: "post",
  path: "/sessions/:id/init",
  command: "new",
  tag: "capture",
  about: "The same for a session by its id, the editor's own or session_db_id. Repeated text is recorded once.",
  body: prompted,
  reply,
  run: ({ context, params, body }) => recordEvent(context, who(body, params["id"]), "new", promptPayload(body)),
});

export const TOOL_USE = route({
  method: "post",
  path: "/api/sessions/observations",
  command: "save",
  tag: "capture",
  asIs: true,
  about: "Record a tool use.",
  body: z.looseObject({
    ...identity,
    tool_name: z.string().min(1).max(400),
    tool_input: z.unknown().optional(),
    tool_response: z.unknown().optional(),
    tool_use_id: z.string().max(400).optional().meta({ description: "repeating an id does not record the use twice" }),
    prompt_id: z.string().max(400).optional(),
    error: z.string().optional().meta({ description: "the error message, if it failed" }),
    duration_ms: z.number().optional(),
  }),
  reply,
  run: ({ context, body }) => {
    const { tool_name, tool_input, tool_response, tool_use_id, prompt_id, error, duration_ms, timestamp } = body;
    const hook_event_name = error === undefined ? "PostToolUse" : "PostToolUseFailure";
    const what = { tool_name, tool_input, tool_response, tool_use_id, prompt_id, error, duration_ms, timestamp };
    return recordEvent(context, who(body), "save", { hook_event_name, ...what });
  },
});

export const SUMMARIZE = route({
  method: "post",
  path: "/api/sessions/summarize",
  command: "summary",
  tag: "capture",
  asIs: true,
  about: "End a turn. Observations are derived in the background.",
  body: z.looseObject({
    ...identity,
    last_user_message: z.string().optional(),
    last_assistant_message: z.string().optional(),
    prompt_id: z.string().max(400).optional(),
  }),
  reply,
  run: ({ context, body: { last_assistant_message, prompt_id, timestamp, ...body } }) =>
    recordEvent(context, who(body), "summary", { last_assistant_message, prompt_id, timestamp }),
});

export const COMPLETE = route({
  method: "post",
  path: "/api/sessions/complete",
  command: "cleanup",
  tag: "capture",
  asIs: true,
  about: "End a session.",
  body: z.looseObject({ ...identity, reason: z.string().max(200).optional() }),
  reply,
  run: ({ context, body: { reason, timestamp, ...body } }) =>
    recordEvent(context, who(body), "cleanup", { reason, timestamp }),
});

export const PROCESSING = route({
  method: "post",
  path: "/api/processing",
  command: "processing",
  tag: "capture",
  asIs: true,
  about: "Announce on /stream whether an editor is processing; not stored.",
  body: z.looseObject({ isProcessing: z.boolean() }),
  reply: () => ({ data: z.strictObject({ is_processing: z.boolean(), told: z.string() }) }),
  run: ({ host, body: { isProcessing } }) => {
    host.live.broadcast("processing_status", { is_processing: isProcessing, by: "editor" });
    return { data: { is_processing: isProcessing, told: textOf(host.live.count()) } };
  },
});

function textOf(clients: number): string {
  return `${clients} ${clients === 1 ? "reader" : "readers"}`;
}
