// A session's items without their texts, in the order they are read, and the texts of a few: pages of a long session.
import type { CommitRow } from "../tables/commits.ts";
import type { Db } from "../db/driver.ts";
import { outputOf } from "../tables/packed.ts";
import type { TouchRow } from "../tables/file-touches.ts";
import type { MessageRow } from "../tables/messages.ts";
import { endedAt, type TurnState, turnState } from "../tables/session-status.ts";
import type { ToolUseRow } from "../tables/tool-uses.ts";

export interface EntryRow {
  kind: "prompt" | "message" | "tool" | "subagent" | "response" | "commit";
  /** Of the row in the table of its kind; a response's is its prompt's. */
  id: number;
  prompt_number: number;
  at: number;
  is_error: number;
  /** Of what there is to read of it. */
  bytes: number | null;
  /** A tool's name, a message's role, the beginning of a prompt; a subagent's and a commit's subject. */
  name: string | null;
}

/** As much of a response as tells it from other messages of its turn. */
const TELLING_CHARS = 200;
const NAME_CHARS = 200;

/** A message and the tools it calls bear the same time: the words come first. A response that no message has comes last. */
export function transcriptEntries(db: Db, sessionDbId: number): EntryRow[] {
  return db.all(
    `SELECT kind, id, prompt_number, at, is_error, bytes, name FROM (
       SELECT 'prompt' AS kind, 0 AS place, id, prompt_number, created_at AS at, 0 AS is_error, octet_length(text) AS bytes,
           substr(text, 1, ${NAME_CHARS}) AS name FROM prompts WHERE session_db_id = ?1
       UNION ALL SELECT 'message', 1, id, prompt_number, created_at, 0, octet_length(text), role FROM messages
         WHERE session_db_id = ?1 AND (octet_length(text) > 0 OR octet_length(thinking) > 0)
       UNION ALL SELECT 'tool', 2, id, prompt_number, created_at, is_error, octet_length(coalesce(output, packed)), name FROM tool_uses WHERE session_db_id = ?1
       UNION ALL SELECT 'subagent', 3, s.id, coalesce(
           (SELECT prompt_number FROM (SELECT prompt_number, created_at FROM messages WHERE session_db_id = s.id
              UNION ALL SELECT prompt_number, created_at FROM tool_uses WHERE session_db_id = s.id) ORDER BY created_at LIMIT 1),
           (SELECT max(prompt_number) FROM prompts WHERE session_db_id = ?1 AND created_at <= s.started_at), 0), s.started_at, 0,
           octet_length(s.report), coalesce(s.title, s.subtitle)
         FROM sessions s WHERE s.parent_session_db_id = ?1
       UNION ALL SELECT 'commit', 4, id, prompt_number, created_at, 0, 0, subject FROM commits WHERE session_db_id = ?1
       UNION ALL SELECT 'response', 5, p.id, p.prompt_number, coalesce(p.ended_at, p.created_at), 0, octet_length(p.response), 'assistant' FROM prompts p
         WHERE p.session_db_id = ?1 AND octet_length(p.response) > 0 AND NOT EXISTS (SELECT 1 FROM messages m
           WHERE m.session_db_id = ?1 AND m.prompt_number = p.prompt_number AND m.role = 'assistant'
             AND instr(m.text, substr(trim(p.response, char(9, 10, 13, 32)), 1, ${TELLING_CHARS})) > 0))
     ORDER BY prompt_number, place <> 0, place = 5, at, place, id`,
    sessionDbId,
  );
}

const TABLES: Readonly<Record<EntryRow["kind"], [table: string, owner: string]>> = {
  prompt: ["prompts", "session_db_id"],
  response: ["prompts", "session_db_id"],
  message: ["messages", "session_db_id"],
  tool: ["tool_uses", "session_db_id"],
  subagent: ["sessions", "parent_session_db_id"],
  commit: ["commits", "session_db_id"],
};

/** Of these rows those that are the session's own, or its subagents'. */
export function ownRows<Row extends Pick<EntryRow, "kind" | "id">>(
  db: Db,
  sessionDbId: number,
  rows: readonly Row[],
): Row[] {
  return [...Map.groupBy(rows, ({ kind }) => kind)].flatMap(([kind, some]) => {
    const [table, owner] = TABLES[kind];
    const own = db.all<{ id: number }>(
      `SELECT id FROM ${table} WHERE id IN (SELECT value FROM json_each(?2))
         AND ${owner} IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)`,
      sessionDbId,
      JSON.stringify(some.map(({ id }) => id)),
    );
    const ids = new Set(own.map(({ id }) => id));
    return some.filter(({ id }) => ids.has(id));
  });
}

/** Items of a session and its subagents that have these words somewhere, in no order: "p12", "m34", "t56", "r12" for a response. */
export function itemsWith(db: Db, sessionDbId: number, words: string): string[] {
  const like = `%${words.replace(/[!%_]/g, "!$&")}%`;
  const rows = db.all<{ id: string }>(
    `WITH of AS (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)
     SELECT 'p' || id AS id FROM prompts WHERE session_db_id IN of AND text LIKE ?2 ESCAPE '!'
     UNION ALL SELECT 'r' || id FROM prompts WHERE session_db_id IN of AND response LIKE ?2 ESCAPE '!'
     UNION ALL SELECT 'm' || id FROM messages WHERE session_db_id IN of AND (text LIKE ?2 ESCAPE '!' OR thinking LIKE ?2 ESCAPE '!')
     UNION ALL SELECT 't' || id FROM tool_uses WHERE session_db_id IN of AND (input LIKE ?2 ESCAPE '!' OR ${outputOf()} LIKE ?2 ESCAPE '!')`,
    sessionDbId,
    like,
  );
  return rows.map((row) => row.id);
}

export interface PromptText {
  id: number;
  text: string;
  response: string | null;
  created_at: number;
  ended_at: number | null;
  state: TurnState;
}

export function promptTexts(db: Db, ids: readonly number[]): PromptText[] {
  return byIds(
    db,
    `SELECT * FROM (
       SELECT p.id, p.text, p.response, p.created_at, ${endedAt()} AS ended_at, ${turnState()} AS state
       FROM prompts p JOIN sessions s ON s.id = p.session_db_id)`,
    ids,
  );
}

export function messageTexts(db: Db, ids: readonly number[]): MessageRow[] {
  return byIds(db, "SELECT id, prompt_number, role, text, thinking, model, created_at FROM messages", ids);
}

export function toolTexts(db: Db, ids: readonly number[]): ToolUseRow[] {
  return byIds(
    db,
    `SELECT id, prompt_number, name, input, ${outputOf()} AS output, is_error, exit_code, duration_ms, created_at FROM tool_uses`,
    ids,
  );
}

export function touchesOfUses(db: Db, toolUseIds: readonly number[]): TouchRow[] {
  return db.all(
    `SELECT tool_use_db_id, path, kind, added, removed FROM file_touches
     WHERE tool_use_db_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    JSON.stringify(toolUseIds),
  );
}

export function commitTexts(db: Db, ids: readonly number[]): (CommitRow & { id: number })[] {
  return byIds(db, "SELECT id, prompt_number, sha, subject FROM commits", ids);
}

/** Which observations rest on which item: "t56" to ["o12"]. */
export function observationAnchors(db: Db, sessionDbId: number): Map<string, string[]> {
  const rows = db.all<{ id: number; item: string }>(
    `SELECT o.id, e.value AS item FROM observations o, json_each(o.evidence) e
     WHERE o.session_db_id = ? AND o.is_current = 1 ORDER BY o.id`,
    sessionDbId,
  );
  const anchors = new Map<string, string[]>();
  for (const { id, item } of rows) anchors.set(item, [...(anchors.get(item) ?? []), `o${id}`]);
  return anchors;
}

function byIds<Row>(db: Db, select: string, ids: readonly number[]): Row[] {
  return db.all(`${select} WHERE id IN (SELECT value FROM json_each(?))`, JSON.stringify(ids));
}
