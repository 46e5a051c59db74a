// Rows written since a cursor, by any process, as events of the stream.
import { observationJson } from "../queries/observation-json.ts";
import { defineNames, jsonOf } from "../queries/schemas.ts";
import { toolLine } from "../recall/history/tool-line.ts";
import type { Db } from "../store/db/driver.ts";
import {
  endedSessions,
  newObservationIds,
  newPrompts,
  type NewSession,
  newSessions,
  newSummaries,
  type NewToolUse,
  newToolUses,
} from "../store/reads/change-feed.ts";
import { newestIds } from "../store/reads/counts.ts";
import { findObservation } from "../store/reads/observation-list.ts";
import { type Cursor, cursorText } from "./cursor.ts";

export interface ChangeEvent {
  /** The cursor after this event. */
  id: string;
  event: string;
  data: object;
}

/** Of one kind per read; the rest follows with the next one. */
const MAX_ROWS = 1_000;
/** Older rows come from imported transcripts and are not announced. */
const FRESH_MS = 15 * 60_000;
/** A session's end is stored a little late: this much is read again, and each end announced once. */
const LATE_MS = 10_000;

export const SESSION = defineNames({
  text: ["session_id", "agent", "project"],
  textOrNull: ["parent_session_id", "title"],
  time: ["at"],
});
export const TOOL_USE = defineNames({
  text: ["id", "name", "subject", "outcome"],
  int: ["prompt_number"],
  flag: ["is_error"],
  intOrNull: ["exit_code"],
  countOrNull: ["duration_ms"],
});
export const SUMMARY = defineNames({ int: ["prompt_number"], text: ["request", "learned", "completed", "next_steps"] });

export function newestCursor(db: Db, now: number): Cursor {
  return { ...newestIds(db), endedAt: now };
}

export interface Changes {
  events: ChangeEvent[];
  /** More than one read returns. */
  hasMore: boolean;
}

/** Reads on from the cursor and moves it. `sentEnds` remembers which ends were announced. */
export function readChanges(db: Db, cursor: Cursor, sentEnds: Set<string>, now: number): Changes {
  const events: ChangeEvent[] = [];
  let hasMore = false;
  const limited = <Row>(rows: Row[]): Row[] => {
    hasMore ||= rows.length === MAX_ROWS;
    return rows;
  };
  const add = (event: string, key: keyof Cursor, to: number, data: object | undefined): void => {
    cursor[key] = Math.max(cursor[key], to);
    if (data !== undefined) events.push({ id: cursorText(cursor), event, data });
  };
  const fresh = <Row extends NewSession>(row: Row, describe: (row: Row) => object): object | undefined =>
    now - row.at > FRESH_MS ? undefined : describe(row);
  for (const row of limited(newSessions(db, cursor.sessions, MAX_ROWS)))
    add("session_started", "sessions", row.id, fresh(row, sessionOf));
  for (const row of limited(newPrompts(db, cursor.prompts, MAX_ROWS))) {
    const describe = () => ({ ...sessionOf(row), id: `p${row.id}`, prompt_number: row.prompt_number, text: row.text });
    add("prompt", "prompts", row.id, fresh(row, describe));
  }
  for (const row of limited(newToolUses(db, cursor.tool_uses, MAX_ROWS)))
    add("tool_use", "tool_uses", row.id, fresh(row, toolUse));
  for (const id of limited(newObservationIds(db, cursor.observations, MAX_ROWS))) {
    const row = findObservation(db, id);
    add("observation", "observations", id, row && { ...observationJson(row), change: "created" });
  }
  for (const row of limited(newSummaries(db, cursor.summaries, MAX_ROWS))) {
    add("summary", "summaries", row.id, { ...sessionOf(row), ...jsonOf(SUMMARY, row) });
  }
  for (const row of endedSessions(db, cursor.endedAt - LATE_MS, MAX_ROWS)) {
    const key = `${row.id} ${row.at}`;
    if (sentEnds.has(key)) continue;
    sentEnds.add(key);
    add("session_completed", "endedAt", Math.min(row.at, now), {
      ...sessionOf(row),
      status: row.status,
      reason: row.end_reason,
    });
  }
  cursor.endedAt = Math.max(cursor.endedAt, now - LATE_MS);
  return { events, hasMore };
}

function sessionOf(row: NewSession): object {
  return jsonOf(SESSION, row);
}

function toolUse(row: NewToolUse): object {
  const line = toolLine({ ...row, created_at: row.at }, [], row.cwd);
  return { ...sessionOf(row), ...jsonOf(TOOL_USE, { ...row, ...line, id: `t${row.id}` }) };
}
