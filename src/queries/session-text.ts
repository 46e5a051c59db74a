// Texts about sessions that several commands print.
import { localMinute } from "../core/time.ts";
import { fit } from "../platform/terminal/layout.ts";
import { paint } from "../platform/terminal/style.ts";
import type { Db } from "../store/db/driver.ts";
import { type ShortId, shortIds } from "../store/reads/short-ids.ts";

/** Formats a time, given in milliseconds or as in JSON. */
export function when(at: number | string): string {
  return localMinute(typeof at === "string" ? Date.parse(at) : at);
}

export function titleText(session: { title: string | null; subtitle: string | null }): string {
  return session.title ?? session.subtitle ?? "(untitled)";
}

/** Who wrote a summary. */
export function authorOf(producer: string): string {
  if (producer === "agent") return "the session's agent";
  return producer === "extractor" ? "built in" : producer;
}

export function howLong(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}

/** Returns " +3 -1", or "" without changed lines. */
export function changeText(change: { added: number; removed: number }): string {
  const parts = [change.added > 0 && `+${change.added}`, change.removed > 0 && `-${change.removed}`].filter(Boolean);
  return parts.length === 0 ? "" : ` ${parts.join(" ")}`;
}

export function commitText({ sha, subject }: { sha: string; subject: string }, width: number): string {
  return `${paint("magenta", "commit")} ${paint("yellow", sha.slice(0, 9))} ${fit(subject, width)}`;
}

interface SessionIds {
  session_id: string;
  parent_session_id?: string | null;
}

/** Short ids of these rows' sessions. */
export function shortIdsOf(db: Db, rows: readonly (SessionIds | null | undefined)[]): ShortId {
  return shortIds(
    db,
    rows.flatMap((row) => [row?.session_id, row?.parent_session_id]),
  );
}

/** The main session's id: a subagent's work counts as its parent's. */
export function conversationOf({ session_id: id, parent_session_id: parent }: SessionIds): string {
  return parent ?? id;
}
