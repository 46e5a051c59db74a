// What an editor reports while a session goes on. Names of fields are those of the hook lifecycle, and their elder kin.
import * as z from "zod";
import { type Reported, takeIn } from "../ingest.ts";
import { route } from "../route.ts";
import { count } from "../schemas/common.ts";

const id = () => z.union([z.string().min(1).max(400), z.int()]).optional();

/** One of the first four says which session; more than these may come along. */
const identity = {
  sessionId: id().meta({ description: "the editor's own id of the session" }),
  session_id: id(),
  claudeSessionId: id(),
  contentSessionId: id(),
  project: z.string().max(400).optional().meta({ description: "its name, where the folder is not known" }),
  cwd: z.string().max(4_000).optional().meta({ description: "the folder it works in; the project is found by it" }),
  agent: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/)
    .optional()
    .meta({ description: 'who works, e.g. "vscode" (default: "other")' }),
  timestamp: z
    .union([z.string().max(40), z.number()])
    .optional()
    .meta({ description: "when it happened, in ISO 8601 or milliseconds, if not now: up to a day ago" }),
};

type Identity = z.output<z.ZodObject<typeof identity>>;

function who(body: Identity, inPath?: string): Reported {
  const { sessionId, session_id, claudeSessionId, contentSessionId, project, cwd, agent } = body;
  return { sessionId: inPath ?? sessionId ?? session_id ?? claudeSessionId ?? contentSessionId, project, cwd, agent };
}

const reply = () => ({
  data: z.strictObject({
    session_id: z.string(),
    session_db_id: z.int().nullable(),
    prompt_number: count().nullable(),
    recorded: z.boolean(),
    why: z.enum(["excluded", "private", "nothing"]).nullable().meta({ description: "why nothing was recorded" }),
  }),
});

const prompted = z.looseObject({
  ...identity,
  userPrompt: z.string().optional(),
  prompt: z.string().optional(),
  prompt_id: z.string().max(400).optional().meta({ description: "sent again with the same id it is the same prompt" }),
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
  about: "A prompt was submitted: the session is there from its first one on.",
  body: prompted,
  reply,
  run: ({ asked, body }) => takeIn(asked, who(body), "new", promptPayload(body)),
});

export const INIT_ONE = route({
  method: "post",
  path: "/sessions/:id/init",
  command: "new",
  tag: "capture",
  about:
    "The same for a session by its id, the editor's own or session_db_id. The same words again are the same prompt.",
  body: prompted,
  reply,
  run: ({ asked, params, body }) => takeIn(asked, who(body, params["id"]), "new", promptPayload(body)),
});

export const TOOL_USE = route({
  method: "post",
  path: "/api/sessions/observations",
  command: "save",
  tag: "capture",
  asIs: true,
  about: "A tool was used.",
  body: z.looseObject({
    ...identity,
    tool_name: z.string().min(1).max(400),
    tool_input: z.unknown().optional(),
    tool_response: z.unknown().optional(),
    tool_use_id: z.string().max(400).optional().meta({ description: "sent again with the same id it is the same use" }),
    prompt_id: z.string().max(400).optional(),
    error: z.string().optional().meta({ description: "what went wrong, where it failed" }),
    duration_ms: z.number().optional(),
  }),
  reply,
  run: ({ asked, body }) => {
    const { tool_name, tool_input, tool_response, tool_use_id, prompt_id, error, duration_ms, timestamp } = body;
    const hook_event_name = error === undefined ? "PostToolUse" : "PostToolUseFailure";
    const what = { tool_name, tool_input, tool_response, tool_use_id, prompt_id, error, duration_ms, timestamp };
    return takeIn(asked, who(body), "save", { hook_event_name, ...what });
  },
});

export const SUMMARIZE = route({
  method: "post",
  path: "/api/sessions/summarize",
  command: "summary",
  tag: "capture",
  asIs: true,
  about: "A turn has ended: memory is made of it in the background.",
  body: z.looseObject({
    ...identity,
    last_user_message: z.string().optional(),
    last_assistant_message: z.string().optional(),
    prompt_id: z.string().max(400).optional(),
  }),
  reply,
  run: ({ asked, body: { last_assistant_message, prompt_id, timestamp, ...body } }) =>
    takeIn(asked, who(body), "summary", { last_assistant_message, prompt_id, timestamp }),
});

export const COMPLETE = route({
  method: "post",
  path: "/api/sessions/complete",
  command: "cleanup",
  tag: "capture",
  asIs: true,
  about: "The session is over.",
  body: z.looseObject({ ...identity, reason: z.string().max(200).optional() }),
  reply,
  run: ({ asked, body: { reason, timestamp, ...body } }) => takeIn(asked, who(body), "cleanup", { reason, timestamp }),
});

export const PROCESSING = route({
  method: "post",
  path: "/api/processing",
  command: "processing",
  tag: "capture",
  asIs: true,
  about: "An editor is at work, or no longer: told to whoever watches /stream, kept nowhere.",
  body: z.looseObject({ isProcessing: z.boolean() }),
  reply: () => ({ data: z.strictObject({ is_processing: z.boolean(), told: z.string() }) }),
  run: ({ host, body: { isProcessing } }) => {
    host.live.tell("processing_status", { is_processing: isProcessing, by: "editor" });
    return { data: { is_processing: isProcessing, told: textOf(host.live.clients()) } };
  },
});

function textOf(clients: number): string {
  return `${clients} ${clients === 1 ? "reader" : "readers"}`;
}
