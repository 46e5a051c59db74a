// A session and its summary as JSON, each with its schema.
import type { Summary } from "../core/memory.ts";
import type { SessionEntry } from "../store/reads/session-list.ts";
import type { Zod } from "./query.ts";
import { jsonOf, defineNames, schemaOf } from "./schemas.ts";

const SESSION = defineNames({
  text: ["session_id", "agent", "project", "project_key", "cwd"],
  textOrNull: ["parent_session_id", "title", "subtitle", "model", "version", "git_branch", "transcript_path"],
  count: ["prompts", "tool_uses", "files_changed"],
  time: ["started_at", "last_at"],
});

export const sessionSchema = (z: Zod) =>
  z.strictObject({
    ...schemaOf(z, SESSION),
    status: z.enum(["active", "completed", "interrupted", "failed"]),
  });

export function sessionJson(session: SessionEntry) {
  return { ...jsonOf(SESSION, { ...session, prompts: session.prompt_count }), status: session.status };
}

export type SessionJson = ReturnType<typeof sessionJson>;

export const summarySchema = (z: Zod) =>
  z.strictObject(
    schemaOf(z, {
      text: ["request", "investigated", "learned", "completed", "next_steps", "notes"],
      texts: ["files_read", "files_edited", "evidence"],
    }),
  );

export function summaryJson(summary: Summary | undefined) {
  if (summary === undefined) return null;
  const { nextSteps, filesRead, filesEdited, ...rest } = summary;
  return { ...rest, next_steps: nextSteps, files_read: filesRead, files_edited: filesEdited };
}
