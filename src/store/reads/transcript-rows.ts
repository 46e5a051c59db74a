// Lists a session's items in reading order without their texts, and loads texts by id.
import type { Db } from "../db/driver.ts";
import { anyOf, raw, sql } from "../db/sql.ts";
import type { TouchRow } from "../tables/file-touches.ts";
import type { MessageRow } from "../tables/messages.ts";
import { family } from "../tables/sessions.ts";
import { escapeLike } from "./scope.ts";
import { outputOf } from "../tables/tool-uses.ts";

export interface EntryRow {
  kind: "prompt" | "message" | "tool" | "subagent" | "response" | "commit";
  /** The row's id in the table of its kind. A response has the id of its prompt. */
  id: number;
  prompt_number: number;
  at: number;
  is_error: number;
  /** The size of the text, or of the compressed output. */
  bytes: number | null;
  /** A tool's name, a message's role, the beginning of a prompt, a subagent's title, or a commit's subject. */
  name: string | null;
}

/** A message comes before its tool calls, which have the same time. A response in no message ends its turn. */
export function transcriptEntries(db: Db, sessionDbId: number): EntryRow[] {
  const ofSession = sql`session_db_id = ${sessionDbId}`;
  return db.all(sql`SELECT kind, id, prompt_number, at, is_error, bytes, name FROM (
      SELECT 'prompt' AS kind, 0 AS kind_order, id, prompt_number, created_at AS at, 0 AS is_error, octet_length(text) AS bytes,
          substr(text, 1, 200) AS name FROM prompts WHERE ${ofSession}
      UNION ALL SELECT 'message', 1, id, prompt_number, created_at, 0, octet_length(text), role FROM messages
        WHERE ${ofSession} AND (octet_length(text) > 0 OR octet_length(thinking) > 0)
      UNION ALL SELECT 'tool', 2, id, prompt_number, created_at, is_error, octet_length(coalesce(output, packed)), name
        FROM tool_uses WHERE ${ofSession}
      UNION ALL SELECT 'subagent', 3, s.id, coalesce(
          (SELECT prompt_number FROM (SELECT prompt_number, created_at FROM messages WHERE session_db_id = s.id
             UNION ALL SELECT prompt_number, created_at FROM tool_uses WHERE session_db_id = s.id) ORDER BY created_at LIMIT 1),
          (SELECT max(prompt_number) FROM prompts WHERE ${ofSession} AND created_at <= s.started_at), 0), s.started_at, 0,
          octet_length(s.report), coalesce(s.title, s.subtitle)
        FROM sessions s WHERE s.parent_session_db_id = ${sessionDbId}
      UNION ALL SELECT 'commit', 4, id, prompt_number, created_at, 0, 0, subject FROM commits WHERE ${ofSession}
      UNION ALL SELECT 'response', 5, p.id, p.prompt_number, coalesce(p.ended_at, p.created_at), 0, octet_length(p.response), 'assistant'
        FROM prompts p WHERE ${ofSession} AND octet_length(p.response) > 0 AND NOT EXISTS (SELECT 1 FROM messages m
          WHERE m.session_db_id = ${sessionDbId} AND m.prompt_number = p.prompt_number AND m.role = 'assistant'
            -- The first 200 characters of a response are enough to recognise its message.
            AND instr(m.text, substr(trim(p.response, char(9, 10, 13, 32)), 1, 200)) > 0))
    ORDER BY prompt_number, kind_order <> 0, kind_order = 5, at, kind_order, id`);
}

const TABLES: Readonly<Record<EntryRow["kind"], [table: string, owner: string]>> = {
  prompt: ["prompts", "session_db_id"],
  response: ["prompts", "session_db_id"],
  message: ["messages", "session_db_id"],
  tool: ["tool_uses", "session_db_id"],
  subagent: ["sessions", "parent_session_db_id"],
  commit: ["commits", "session_db_id"],
};

/** The rows that belong to the session or its subagents. */
export function rowsInSession<Row extends Pick<EntryRow, "kind" | "id">>(
  db: Db,
  sessionDbId: number,
  rows: readonly Row[],
): Row[] {
  return [...Map.groupBy(rows, ({ kind }) => kind)].flatMap(([kind, some]) => {
    const [table, owner] = TABLES[kind];
    const own = db.column<number>(sql`SELECT id FROM ${raw(table)}
      WHERE id IN ${anyOf(some.map(({ id }) => id))} AND ${raw(owner)} IN (${family(sessionDbId)})`);
    return some.filter(({ id }) => own.includes(id));
  });
}

/** Items of a session and its subagents that contain this text, in no order. "r12" is the response to prompt p12. */
export function itemsContaining(db: Db, sessionDbId: number, text: string): string[] {
  const like = sql`LIKE ${`%${escapeLike(text)}%`} ESCAPE '\\'`;
  return db.column(sql`WITH of AS (${family(sessionDbId)})
    SELECT 'p' || id FROM prompts WHERE session_db_id IN of AND text ${like}
    UNION ALL SELECT 'r' || id FROM prompts WHERE session_db_id IN of AND response ${like}
    UNION ALL SELECT 'm' || id FROM messages WHERE session_db_id IN of AND (text ${like} OR thinking ${like})
    UNION ALL SELECT 't' || id FROM tool_uses WHERE session_db_id IN of AND (input ${like} OR ${outputOf()} ${like})`);
}

export function messageTexts(db: Db, ids: readonly number[]): MessageRow[] {
  return db.all(
    sql`SELECT id, prompt_number, role, text, thinking, model, created_at FROM messages WHERE id IN ${anyOf(ids)}`,
  );
}

export function touchesOfUses(db: Db, toolUseIds: readonly number[]): TouchRow[] {
  return db.all(sql`SELECT tool_use_db_id, path, kind, added, removed FROM file_touches
    WHERE tool_use_db_id IN ${anyOf(toolUseIds)} ORDER BY id`);
}

/** The observations derived from each item: "t56" -> ["o12"]. */
export function observationsByItem(db: Db, sessionDbId: number): Map<string, string[]> {
  const rows = db.all<{ id: number; item: string }>(sql`SELECT o.id, e.value AS item
    FROM observations o, json_each(o.evidence) e WHERE o.session_db_id = ${sessionDbId} AND o.is_current = 1 ORDER BY o.id`);
  const byItem = Map.groupBy(rows, ({ item }) => item);
  return new Map([...byItem].map(([item, derived]) => [item, derived.map(({ id }) => `o${id}`)]));
}
