// A session, and what it came to, for a program to read.
import type { Summary } from "../core/memory.ts";
import { iso } from "../core/time.ts";
import type { SessionEntry } from "../store/reads/session-list.ts";
import type { Json } from "./envelope.ts";

export function sessionJson(session: SessionEntry): Json {
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

export function summaryJson(summary: Summary | undefined): Json | null {
  if (summary === undefined) return null;
  const { nextSteps, filesRead, filesEdited, ...rest } = summary;
  return { ...rest, next_steps: nextSteps, files_read: filesRead, files_edited: filesEdited };
}
