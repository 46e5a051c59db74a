// A session and its summary as JSON, each with its schema.
import type { Summary } from "../core/memory.ts";
import { iso } from "../core/time.ts";
import type { SessionEntry } from "../store/reads/session-list.ts";
import type { Zod } from "./query.ts";
import { countOf, textOrNull, timeOf } from "./schemas.ts";

export const sessionSchema = (z: Zod) =>
  z.strictObject({
    session_id: z.string(),
    parent_session_id: textOrNull(z),
    agent: z.string(),
    project: z.string(),
    project_key: z.string(),
    title: textOrNull(z),
    subtitle: textOrNull(z),
    status: z.enum(["active", "completed", "interrupted", "failed"]),
    prompts: countOf(z),
    tool_uses: countOf(z),
    files_changed: countOf(z),
    model: textOrNull(z),
    version: textOrNull(z),
    git_branch: textOrNull(z),
    cwd: z.string(),
    transcript_path: textOrNull(z),
    started_at: timeOf(z),
    last_at: timeOf(z),
  });

export function sessionJson(session: SessionEntry) {
  return {
    session_id: session.session_id,
    parent_session_id: session.parent_session_id,
    agent: session.agent,
    project: session.project,
    project_key: session.project_key,
    title: session.title,
    subtitle: session.subtitle,
    status: session.status,
    prompts: session.prompt_count,
    tool_uses: session.tool_uses,
    files_changed: session.files_changed,
    model: session.model,
    version: session.version,
    git_branch: session.git_branch,
    cwd: session.cwd,
    transcript_path: session.transcript_path,
    started_at: iso(session.started_at),
    last_at: iso(session.last_at),
  };
}

export type SessionJson = ReturnType<typeof sessionJson>;

export const summarySchema = (z: Zod) =>
  z.strictObject({
    request: z.string(),
    investigated: z.string(),
    learned: z.string(),
    completed: z.string(),
    next_steps: z.string(),
    files_read: z.array(z.string()),
    files_edited: z.array(z.string()),
    notes: z.string(),
    evidence: z.array(z.string()),
  });

export function summaryJson(summary: Summary | undefined) {
  if (summary === undefined) return null;
  const { nextSteps, filesRead, filesEdited, ...rest } = summary;
  return { ...rest, next_steps: nextSteps, files_read: filesRead, files_edited: filesEdited };
}
