// A session and its summaries as JSON, each with its schema.
import type { Summary } from "../core/memory.ts";
import { iso } from "../core/time.ts";
import type { SessionEntry } from "../store/reads/session-list.ts";
import type { SummaryRow } from "../store/tables/summaries.ts";
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

const VERSION = defineNames({
  text: ["producer"],
  textOrNull: ["title", "subtitle"],
  texts: ["handover"],
  intOrNull: ["last_turn"],
  flag: ["is_current"],
  time: ["at"],
});

export const summariesSchema = (z: Zod) =>
  z.array(z.strictObject(schemaOf(z, VERSION))).meta({
    description: "its summaries, the current one first: by the extractor, a model, or the agent itself",
  });

export function summariesJson(rows: readonly SummaryRow[]) {
  return rows.map((row) => ({
    producer: row.producer,
    at: iso(row.created_at),
    is_current: row.is_current === 1,
    last_turn: row.last_prompt === 0 ? null : row.last_prompt,
    title: row.title,
    subtitle: row.subtitle,
    handover: JSON.parse(row.handover) as string[],
  }));
}
