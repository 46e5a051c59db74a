// Reads the rows that any process has added after a cursor, as events of the stream.
import { observationJson } from "../queries/observation-json.ts";
import { defineNames, jsonOf } from "../queries/schemas.ts";
import { toolLine } from "../recall/history/tool-line.ts";
import type { Db } from "../store/db/driver.ts";
import {
  endedSessions,
  newObservationIds,
  newPrompts,
  type AddedSession,
  newSessions,
  newSummaries,
  type AddedToolUse,
  newToolUses,
} from "../store/reads/change-feed.ts";
import { newestIds, type NewestIds } from "../store/reads/counts.ts";
import { findObservation } from "../store/reads/observation-list.ts";

/** A position in the stream. Each event has one as its id, so that a subscriber can resume there. */
export interface Cursor extends Omit<NewestIds, "messages"> {
  /** Session ends before this time were announced. */
  endedAt: number;
}

const CURSOR_LETTERS: readonly (readonly [keyof Cursor, string])[] = [
  ["sessions", "s"],
  ["prompts", "p"],
  ["tool_uses", "t"],
  ["observations", "o"],
  ["summaries", "u"],
  ["endedAt", "e"],
];
const CURSOR_PATTERN = new RegExp(`^${CURSOR_LETTERS.map(([, letter]) => `${letter}(\\d{1,15})`).join("")}$`);

export function cursorText(cursor: Cursor): string {
  return CURSOR_LETTERS.map(([key, letter]) => `${letter}${cursor[key]}`).join("");
}

/** Undefined if malformed, or if it is ahead of the database, which was then replaced. */
export function parseCursor(text: string | undefined, newest: Cursor): Cursor | undefined {
  const match = CURSOR_PATTERN.exec(text ?? "");
  if (match === null) return undefined;
  const numbers = CURSOR_LETTERS.map(([key], index) => [key, Number(match[index + 1])] as const);
  if (numbers.some(([key, value]) => value > newest[key])) return undefined;
  return Object.fromEntries(numbers) as unknown as Cursor;
}

export interface ChangeEvent {
  /** The cursor after this event. */
  id: string;
  event: string;
  data: object;
}

/** A read returns at most this many rows of a kind; the next read returns the rest. */
const MAX_ROWS = 1_000;
/** Older sessions, prompts and tool uses are not announced, because they come from a sync. */
const FRESH_MS = 15 * 60_000;
/** A session's end may be stored this late, so the ends of this period are read again. Each is announced once. */
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
  /** Another read returns the rest. */
  hasMore: boolean;
}

/** Reads the rows after the cursor, and moves the cursor. `announcedEnds`: session ends that were already announced. */
export function readChanges(db: Db, cursor: Cursor, announcedEnds: Set<string>, now: number): Changes {
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
  const ifFresh = <Row extends AddedSession>(row: Row, describe: (row: Row) => object): object | undefined =>
    now - row.at > FRESH_MS ? undefined : describe(row);
  for (const row of limited(newSessions(db, cursor.sessions, MAX_ROWS)))
    add("session_started", "sessions", row.id, ifFresh(row, sessionOf));
  for (const row of limited(newPrompts(db, cursor.prompts, MAX_ROWS))) {
    const describe = () => ({ ...sessionOf(row), id: `p${row.id}`, prompt_number: row.prompt_number, text: row.text });
    add("prompt", "prompts", row.id, ifFresh(row, describe));
  }
  for (const row of limited(newToolUses(db, cursor.tool_uses, MAX_ROWS)))
    add("tool_use", "tool_uses", row.id, ifFresh(row, toolUse));
  for (const id of limited(newObservationIds(db, cursor.observations, MAX_ROWS))) {
    const row = findObservation(db, id);
    add("observation", "observations", id, row && { ...observationJson(row), change: "created" });
  }
  for (const row of limited(newSummaries(db, cursor.summaries, MAX_ROWS))) {
    add("summary", "summaries", row.id, { ...sessionOf(row), ...jsonOf(SUMMARY, row) });
  }
  for (const row of endedSessions(db, cursor.endedAt - LATE_MS, MAX_ROWS)) {
    const key = `${row.id} ${row.at}`;
    if (announcedEnds.has(key)) continue;
    announcedEnds.add(key);
    add("session_completed", "endedAt", Math.min(row.at, now), {
      ...sessionOf(row),
      status: row.status,
      reason: row.end_reason,
    });
  }
  cursor.endedAt = Math.max(cursor.endedAt, now - LATE_MS);
  return { events, hasMore };
}

function sessionOf(row: AddedSession): object {
  return jsonOf(SESSION, row);
}

function toolUse(row: AddedToolUse): object {
  const line = toolLine({ ...row, created_at: row.at }, [], row.cwd);
  return { ...sessionOf(row), ...jsonOf(TOOL_USE, { ...row, ...line, id: `t${row.id}` }) };
}
