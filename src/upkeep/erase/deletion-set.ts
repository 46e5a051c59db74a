// The rows to delete when something is forgotten: those selected and those that depend on them.
import type { Db, Param } from "../../store/db/driver.ts";
import { outputOf } from "../../store/tables/tool-uses.ts";

/** Row ids. */
export interface DeletionSet {
  sessions: Set<number>;
  prompts: Set<number>;
  messages: Set<number>;
  toolUses: Set<number>;
  observations: Set<number>;
}

/** In display order, each with its noun. */
export const DELETION_KINDS: readonly [keyof DeletionSet, string][] = [
  ["sessions", "session"],
  ["prompts", "turn"],
  ["messages", "message"],
  ["toolUses", "tool use"],
  ["observations", "observation"],
];

export function emptyDeletionSet(): DeletionSet {
  return { sessions: new Set(), prompts: new Set(), messages: new Set(), toolUses: new Set(), observations: new Set() };
}

const IN_LIST = "IN (SELECT value FROM json_each(?))";

/**
 * Adds a session's subagents, a prompt's turn and what was derived from the evidence. Returns the observations that must
 * not be derived again: those selected, not those deleted along with their evidence.
 */
export function expandDeletion(db: Db, deletion: DeletionSet): Set<number> {
  const selected = new Set(deletion.observations);
  // The same words are the same observation, whichever turn they were derived from.
  addIds(
    db,
    selected,
    `SELECT id FROM observations WHERE content_hash IN (SELECT content_hash FROM observations WHERE id ${IN_LIST})`,
    toJson(selected),
  );
  for (const id of deletion.prompts) addTurn(db, deletion, id);
  addSubagents(db, deletion);
  const { sessions, prompts, messages, toolUses, observations } = deletion;
  for (const [table, ids] of Object.entries({ prompts, messages, tool_uses: toolUses, observations })) {
    addIds(db, ids, `SELECT id FROM ${table} WHERE session_db_id ${IN_LIST}`, toJson(sessions));
  }
  const items = Object.entries({ p: prompts, m: messages, t: toolUses }).flatMap(([letter, ids]) =>
    Array.from(ids, (id) => letter + id),
  );
  const derived = `SELECT DISTINCT o.id FROM observations o, json_each(o.evidence) e WHERE e.value ${IN_LIST}`;
  addIds(db, observations, derived, toJson(items));
  for (const id of selected) observations.add(id);
  return selected;
}

/** Adds the prompts, messages and tool uses that these observations were derived from. */
export function addEvidence(db: Db, { prompts, messages, toolUses }: DeletionSet, ids: Iterable<number>): void {
  const sql = `SELECT DISTINCT e.value AS item FROM observations o, json_each(o.evidence) e WHERE o.id ${IN_LIST}`;
  const sets: Readonly<Record<string, Set<number>>> = { p: prompts, m: messages, t: toolUses };
  for (const { item } of db.all<{ item: string }>(sql, toJson(ids))) sets[item.slice(0, 1)]?.add(Number(item.slice(1)));
}

function addTurn(db: Db, deletion: DeletionSet, promptDbId: number): void {
  const turn = db.get<{ session: number; number: number; at: number; next: number | null }>(
    `SELECT p.session_db_id AS session, p.prompt_number AS number, p.created_at AS at,
       (SELECT min(n.created_at) FROM prompts n WHERE n.session_db_id = p.session_db_id AND n.prompt_number > p.prompt_number) AS next
     FROM prompts p WHERE p.id = ?`,
    promptDbId,
  );
  if (turn === undefined) return;
  const { session, number, at, next } = turn;
  const ofFamily =
    "session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1) AND prompt_number = ?2";
  addIds(db, deletion.messages, `SELECT id FROM messages WHERE ${ofFamily}`, session, number);
  addIds(db, deletion.toolUses, `SELECT id FROM tool_uses WHERE ${ofFamily}`, session, number);
  const observations = "SELECT id FROM observations WHERE session_db_id = ? AND prompt_number = ?";
  addIds(db, deletion.observations, observations, session, number);
  // Subagents that worked for this turn alone; one without messages and tool uses is matched by its start.
  addIds(
    db,
    deletion.sessions,
    `SELECT s.id FROM sessions s WHERE s.parent_session_db_id = ?1
       AND NOT EXISTS (SELECT 1 FROM messages WHERE session_db_id = s.id AND prompt_number <> ?2)
       AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE session_db_id = s.id AND prompt_number <> ?2)
       AND (EXISTS (SELECT 1 FROM messages WHERE session_db_id = s.id) OR EXISTS (SELECT 1 FROM tool_uses WHERE session_db_id = s.id)
         OR (s.started_at >= ?3 AND s.started_at < coalesce(?4, s.started_at + 1)))`,
    session,
    number,
    at,
    next,
  );
}

function addSubagents(db: Db, { sessions }: DeletionSet): void {
  for (let before = -1; before !== sessions.size;) {
    before = sessions.size;
    addIds(db, sessions, `SELECT id FROM sessions WHERE parent_session_db_id ${IN_LIST}`, toJson(sessions));
  }
}

function addIds(db: Db, ids: Set<number>, sql: string, ...params: Param[]): void {
  for (const { id } of db.all<{ id: number }>(sql, ...params)) ids.add(id);
}

function toJson(values: Iterable<number | string>): string {
  return JSON.stringify([...values]);
}

export interface DeletionRow {
  /** "p12", "m34", "t56"; "o78"; a session's own id. */
  item: string;
  id: number;
  /** The conversation it belongs to; null for an observation saved by hand. */
  session_id: string | null;
  session_db_id: number | null;
  prompt_number: number;
  /** The agent's id, or an observation's content hash. */
  key: string | null;
  /** What a person recognises it by. */
  title: string;
  /** JSON array of all its texts. */
  texts: string;
  at: number;
}

const MAIN = "coalesce(parent.session_id, s.session_id) AS session_id, coalesce(parent.id, s.id) AS session_db_id";
const WITH_PARENT = "LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id";

function evidenceSql(letter: string, table: string, key: string, title: string, texts: string): string {
  return `SELECT '${letter}' || x.id AS item, x.id, ${MAIN}, x.prompt_number, ${key} AS key, ${title} AS title,
      json_array(${texts}) AS texts, x.created_at AS at
    FROM ${table} x JOIN sessions s ON s.id = x.session_db_id ${WITH_PARENT} WHERE x.id ${IN_LIST}`;
}

const SELECTS: readonly [keyof DeletionSet, string][] = [
  [
    "sessions",
    `SELECT s.session_id AS item, s.id, ${MAIN}, 0 AS prompt_number, s.session_id AS key, coalesce(s.title, s.subtitle, '') AS title,
       json_array(s.title, s.subtitle, s.agent_title, s.report) AS texts, s.started_at AS at
     FROM sessions s ${WITH_PARENT} WHERE s.id ${IN_LIST}`,
  ],
  ["prompts", evidenceSql("p", "prompts", "x.prompt_id", "substr(x.text, 1, 400)", "x.text, x.response")],
  ["messages", evidenceSql("m", "messages", "x.uuid", "substr(x.text, 1, 400)", "x.text, x.thinking")],
  [
    "toolUses",
    evidenceSql(
      "t",
      "tool_uses",
      "x.tool_use_id",
      "x.name || ' ' || substr(x.input, 1, 400)",
      `x.input, ${outputOf("x").text}`,
    ),
  ],
  [
    "observations",
    `SELECT 'o' || x.id AS item, x.id, s.session_id, x.session_db_id, coalesce(x.prompt_number, 0) AS prompt_number, x.content_hash AS key,
       iif(x.pinned, '(pinned) ', '') || x.title AS title, json_array(x.title, x.subtitle, x.narrative, x.facts) AS texts, x.valid_from AS at
     FROM observations x LEFT JOIN sessions s ON s.id = x.session_db_id WHERE x.id ${IN_LIST}`,
  ],
];

export type DeletionRows = Record<keyof DeletionSet, DeletionRow[]>;

export function readDeletionRows(db: Db, deletion: DeletionSet): DeletionRows {
  return Object.fromEntries(SELECTS.map(([kind, sql]) => [kind, db.all(sql, toJson(deletion[kind]))])) as DeletionRows;
}
