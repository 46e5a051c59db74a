// The rows to delete when something is forgotten: those selected and those that depend on them.
import type { Db } from "../../store/db/driver.ts";
import { ITEM_TABLES, type ItemTable, parseItemId } from "../../store/db/item-ids.ts";
import { anyOf, raw, sql, type Sql } from "../../store/db/sql.ts";
import { copiedTurns, copiesOfParts } from "../../store/reads/copied-turns.ts";
import { family } from "../../store/tables/sessions.ts";
import { outputOf } from "../../store/tables/tool-uses.ts";

/** The ids of the rows, by table. */
export type DeletionSet = Record<"sessions" | ItemTable, Set<number>>;

/** In display order, each with its noun. */
export const DELETION_KINDS: readonly [keyof DeletionSet, string][] = [
  ["sessions", "session"],
  ["prompts", "turn"],
  ["messages", "message"],
  ["tool_uses", "tool use"],
  ["observations", "observation"],
];

/** One value for each kind of row. */
export function byKind<T>(valueOf: (kind: keyof DeletionSet) => T): Record<keyof DeletionSet, T> {
  return Object.fromEntries(DELETION_KINDS.map(([kind]) => [kind, valueOf(kind)])) as Record<keyof DeletionSet, T>;
}

export function emptyDeletionSet(): DeletionSet {
  return byKind(() => new Set());
}

/**
 * Adds the sessions' subagents, the prompts' turns and all observations derived from deleted items. Returns the ids of
 * the observations that must never be derived again: those that were selected, not those added here.
 */
export function expandDeletion(db: Db, deletion: DeletionSet): Set<number> {
  const selected = new Set(deletion.observations);
  // Observations with the same text count as one, whichever turns they were derived from.
  const selectedTexts = sql`SELECT content_hash FROM observations WHERE id IN ${anyOf(selected)}`;
  addIds(db, selected, sql`SELECT id FROM observations WHERE content_hash IN (${selectedTexts})`);
  addParts(db, deletion);
  addCopies(db, deletion);
  addParts(db, deletion);
  const items = Object.entries(ITEM_TABLES).flatMap(([letter, table]) =>
    Array.from(deletion[table], (id) => letter + id),
  );
  const derived = sql`SELECT DISTINCT o.id FROM observations o, json_each(o.evidence) e WHERE e.value IN ${anyOf(items)}`;
  addIds(db, deletion.observations, derived);
  for (const id of selected) deletion.observations.add(id);
  return selected;
}

/** Adds everything that belongs to the turns and sessions. */
function addParts(db: Db, deletion: DeletionSet): void {
  for (const id of deletion.prompts) addTurn(db, deletion, id);
  addSubagents(db, deletion);
  for (const table of Object.values(ITEM_TABLES))
    addIds(db, deletion[table], sql`SELECT id FROM ${raw(table)} WHERE session_db_id IN ${anyOf(deletion.sessions)}`);
}

/** Adds the copies that transcripts under other session ids repeat: memory would be derived again from them. */
function addCopies(db: Db, deletion: DeletionSet): void {
  for (const id of deletion.prompts) for (const copy of copiedTurns(db, id)) deletion.prompts.add(copy.id);
  for (const table of ["messages", "tool_uses"] as const)
    addIds(db, deletion[table], copiesOfParts(table, [...deletion[table]]));
}

/** Adds the prompts, messages and tool uses that these observations were derived from. */
export function addEvidence(db: Db, deletion: DeletionSet, ids: Iterable<number>): void {
  const items = db.column<string>(sql`SELECT DISTINCT e.value FROM observations o, json_each(o.evidence) e
    WHERE o.id IN ${anyOf(ids)}`);
  for (const { table, id } of items.flatMap((item) => parseItemId(item) ?? [])) deletion[table].add(id);
}

function addTurn(db: Db, deletion: DeletionSet, promptDbId: number): void {
  const turn = db.get<{ session: number; number: number; at: number; next: number | null }>(
    sql`SELECT p.session_db_id AS session, p.prompt_number AS number, p.created_at AS at,
        (SELECT min(n.created_at) FROM prompts n WHERE n.session_db_id = p.session_db_id AND n.prompt_number > p.prompt_number) AS next
      FROM prompts p WHERE p.id = ${promptDbId}`,
  );
  if (turn === undefined) return;
  const { session, number, at, next } = turn;
  const inTurn = sql`session_db_id IN (${family(session)}) AND prompt_number = ${number}`;
  addIds(db, deletion.messages, sql`SELECT id FROM messages WHERE ${inTurn}`);
  addIds(db, deletion.tool_uses, sql`SELECT id FROM tool_uses WHERE ${inTurn}`);
  addIds(
    db,
    deletion.observations,
    sql`SELECT id FROM observations WHERE session_db_id = ${session} AND prompt_number = ${number}`,
  );
  // Subagents that worked only for this turn. One without messages and tool uses is matched by its start time.
  addIds(
    db,
    deletion.sessions,
    sql`SELECT s.id FROM sessions s WHERE s.parent_session_db_id = ${session}
      AND NOT EXISTS (SELECT 1 FROM messages WHERE session_db_id = s.id AND prompt_number <> ${number})
      AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE session_db_id = s.id AND prompt_number <> ${number})
      AND (EXISTS (SELECT 1 FROM messages WHERE session_db_id = s.id) OR EXISTS (SELECT 1 FROM tool_uses WHERE session_db_id = s.id)
        OR (s.started_at >= ${at} AND s.started_at < coalesce(${next}, s.started_at + 1)))`,
  );
}

function addSubagents(db: Db, { sessions }: DeletionSet): void {
  for (let before = -1; before !== sessions.size;) {
    before = sessions.size;
    addIds(db, sessions, sql`SELECT id FROM sessions WHERE parent_session_db_id IN ${anyOf(sessions)}`);
  }
}

function addIds(db: Db, ids: Set<number>, query: Sql): void {
  for (const id of db.column<number>(query)) ids.add(id);
}

export interface DeletionRow {
  /** "p12", "m34", "t56", "o78" or a session's id. */
  item: string;
  id: number;
  /** The conversation it belongs to; null for an observation saved by hand. */
  session_id: string | null;
  session_db_id: number | null;
  prompt_number: number;
  /** The id that the agent gave it, or an observation's content hash. */
  key: string | null;
  /** Shown to the user. */
  title: string;
  /** JSON array of all its texts. */
  texts: string;
  at: number;
}

const MAIN = sql`coalesce(parent.session_id, s.session_id) AS session_id, coalesce(parent.id, s.id) AS session_db_id`;
const WITH_PARENT = sql`LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id`;

function evidenceSql(letter: string, table: string, key: string, title: string, texts: Sql): Sql {
  return sql`SELECT '${raw(letter)}' || x.id AS item, x.id, ${MAIN}, x.prompt_number, ${raw(key)} AS key, ${raw(title)} AS title,
      json_array(${texts}) AS texts, x.created_at AS at
    FROM ${raw(table)} x JOIN sessions s ON s.id = x.session_db_id ${WITH_PARENT}`;
}

const HEAD = "substr(x.text, 1, 400)";
const SELECTS: Readonly<Record<keyof DeletionSet, Sql>> = {
  sessions: sql`SELECT x.session_id AS item, x.id, coalesce(parent.session_id, x.session_id) AS session_id,
      coalesce(parent.id, x.id) AS session_db_id, 0 AS prompt_number, x.session_id AS key,
      coalesce(x.title, x.subtitle, '') AS title,
      json_array(x.title, x.subtitle, x.agent_title, x.report) AS texts, x.started_at AS at
    FROM sessions x LEFT JOIN sessions parent ON parent.id = x.parent_session_db_id`,
  prompts: evidenceSql("p", "prompts", "x.prompt_id", HEAD, sql`x.text, x.response`),
  messages: evidenceSql("m", "messages", "x.uuid", HEAD, sql`x.text, x.thinking`),
  tool_uses: evidenceSql(
    "t",
    "tool_uses",
    "x.tool_use_id",
    "x.name || ' ' || substr(x.input, 1, 400)",
    sql`x.input, ${outputOf("x")}`,
  ),
  observations: sql`SELECT 'o' || x.id AS item, x.id, s.session_id, x.session_db_id,
      coalesce(x.prompt_number, 0) AS prompt_number, x.content_hash AS key,
      iif(x.pinned, '(pinned) ', '') || x.title AS title,
      json_array(x.title, x.subtitle, x.narrative, x.facts) AS texts, x.valid_from AS at
    FROM observations x LEFT JOIN sessions s ON s.id = x.session_db_id`,
};

export type DeletionRows = Record<keyof DeletionSet, DeletionRow[]>;

export function readDeletionRows(db: Db, deletion: DeletionSet): DeletionRows {
  return byKind((kind) => db.all(sql`${SELECTS[kind]} WHERE x.id IN ${anyOf(deletion[kind])}`));
}
