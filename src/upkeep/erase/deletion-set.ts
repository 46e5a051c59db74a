// What goes when something is to be forgotten: the rows themselves and those that cannot stand without them.
import type { Db } from "../../store/db/driver.ts";
import { outputOf } from "../../store/tables/packed.ts";

export interface DeletionSet {
  /** Row ids. */
  sessions: Set<number>;
  prompts: Set<number>;
  messages: Set<number>;
  toolUses: Set<number>;
  observations: Set<number>;
}

/** In the order in which they are told, and what each is called. */
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

/**
 * A session goes with its subagents, a prompt with its turn, evidence with what was made of it. Returns the observations
 * that are to go wherever they are made again: those that were meant, not those that go with their evidence.
 */
export function expandDeletion(db: Db, doomed: DeletionSet): Set<number> {
  const meant = new Set(doomed.observations);
  add(meant, alike(db, meant));
  for (const id of doomed.prompts) addTurn(db, doomed, id);
  addSubagents(db, doomed);
  const sessions = list(doomed.sessions);
  for (const [table, ids] of tables(doomed)) {
    add(ids, db.all(`SELECT id FROM ${table} WHERE session_db_id IN (SELECT value FROM json_each(?))`, sessions));
  }
  const items = [
    ...[...doomed.prompts].map((id) => `p${id}`),
    ...[...doomed.messages].map((id) => `m${id}`),
    ...[...doomed.toolUses].map((id) => `t${id}`),
  ];
  add(
    doomed.observations,
    db.all(
      `SELECT DISTINCT o.id FROM observations o, json_each(o.evidence) e WHERE e.value IN (SELECT value FROM json_each(?))`,
      JSON.stringify(items),
    ),
  );
  for (const id of meant) doomed.observations.add(id);
  return meant;
}

/** The same words are the same observation, whichever turn they were made of. */
function alike(db: Db, ids: ReadonlySet<number>): { id: number }[] {
  return db.all(
    `SELECT id FROM observations WHERE content_hash IN
       (SELECT content_hash FROM observations WHERE id IN (SELECT value FROM json_each(?)))`,
    list(ids),
  );
}

/** What an observation rests on. */
export function addEvidence(db: Db, doomed: DeletionSet, observationIds: Iterable<number>): void {
  const items = db.all<{ item: string }>(
    `SELECT DISTINCT e.value AS item FROM observations o, json_each(o.evidence) e
     WHERE o.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify([...observationIds]),
  );
  const sets: Readonly<Record<string, Set<number>>> = { p: doomed.prompts, m: doomed.messages, t: doomed.toolUses };
  for (const { item } of items) sets[item.slice(0, 1)]?.add(Number(item.slice(1)));
}

function addTurn(db: Db, doomed: DeletionSet, promptDbId: number): void {
  const turn = db.get<{ session: number; number: number; at: number; next: number | null }>(
    `SELECT p.session_db_id AS session, p.prompt_number AS number, p.created_at AS at,
       (SELECT min(n.created_at) FROM prompts n WHERE n.session_db_id = p.session_db_id AND n.prompt_number > p.prompt_number) AS next
     FROM prompts p WHERE p.id = ?`,
    promptDbId,
  );
  if (turn === undefined) return;
  const family = "SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1";
  for (const [table, ids] of [
    ["messages", doomed.messages],
    ["tool_uses", doomed.toolUses],
  ] as const) {
    const sql = `SELECT id FROM ${table} WHERE session_db_id IN (${family}) AND prompt_number = ?2`;
    add(ids, db.all(sql, turn.session, turn.number));
  }
  add(
    doomed.observations,
    db.all("SELECT id FROM observations WHERE session_db_id = ? AND prompt_number = ?", turn.session, turn.number),
  );
  // Subagents that worked for this turn alone; one that has left no items goes by when it began.
  add(
    doomed.sessions,
    db.all(
      `SELECT s.id FROM sessions s WHERE s.parent_session_db_id = ?1
         AND NOT EXISTS (SELECT 1 FROM messages WHERE session_db_id = s.id AND prompt_number <> ?2)
         AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE session_db_id = s.id AND prompt_number <> ?2)
         AND (EXISTS (SELECT 1 FROM messages WHERE session_db_id = s.id) OR EXISTS (SELECT 1 FROM tool_uses WHERE session_db_id = s.id)
           OR (s.started_at >= ?3 AND s.started_at < coalesce(?4, s.started_at + 1)))`,
      turn.session,
      turn.number,
      turn.at,
      turn.next,
    ),
  );
}

function addSubagents(db: Db, doomed: DeletionSet): void {
  const sql = "SELECT id FROM sessions WHERE parent_session_db_id IN (SELECT value FROM json_each(?))";
  for (let before = -1; before !== doomed.sessions.size;) {
    before = doomed.sessions.size;
    add(doomed.sessions, db.all(sql, list(doomed.sessions)));
  }
}

function tables(doomed: DeletionSet): [string, Set<number>][] {
  return [
    ["prompts", doomed.prompts],
    ["messages", doomed.messages],
    ["tool_uses", doomed.toolUses],
    ["observations", doomed.observations],
  ];
}

function add(ids: Set<number>, rows: readonly { id: number }[]): void {
  for (const { id } of rows) ids.add(id);
}

function list(ids: ReadonlySet<number>): string {
  return JSON.stringify([...ids]);
}

export interface DeletionRow {
  /** "p12", "m34", "t56"; "o78"; the agent's id of a session. */
  item: string;
  id: number;
  /** The conversation it belongs to; null for what was remembered by hand. */
  session_id: string | null;
  session_db_id: number | null;
  prompt_number: number;
  /** The agent's own id, or an observation's content hash. */
  key: string | null;
  /** What a person would know it by. */
  title: string;
  /** JSON array of all that it says. */
  texts: string;
  at: number;
}

const MAIN = "coalesce(parent.session_id, s.session_id) AS session_id, coalesce(parent.id, s.id) AS session_db_id";
const JOINS =
  "JOIN sessions s ON s.id = x.session_db_id LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id";
const CHOSEN = "x.id IN (SELECT value FROM json_each(?))";

const SELECTS: readonly [keyof DeletionSet, string][] = [
  [
    "sessions",
    `SELECT s.session_id AS item, s.id, ${MAIN}, 0 AS prompt_number, s.session_id AS key, coalesce(s.title, s.subtitle, '') AS title,
       json_array(s.title, s.subtitle, s.agent_title, s.report) AS texts, s.started_at AS at
     FROM sessions s LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id
     WHERE s.id IN (SELECT value FROM json_each(?))`,
  ],
  [
    "prompts",
    `SELECT 'p' || x.id AS item, x.id, ${MAIN}, x.prompt_number, x.prompt_id AS key, substr(x.text, 1, 400) AS title,
       json_array(x.text, x.response) AS texts, x.created_at AS at FROM prompts x ${JOINS} WHERE ${CHOSEN}`,
  ],
  [
    "messages",
    `SELECT 'm' || x.id AS item, x.id, ${MAIN}, x.prompt_number, x.uuid AS key, substr(x.text, 1, 400) AS title,
       json_array(x.text, x.thinking) AS texts, x.created_at AS at FROM messages x ${JOINS} WHERE ${CHOSEN}`,
  ],
  [
    "toolUses",
    `SELECT 't' || x.id AS item, x.id, ${MAIN}, x.prompt_number, x.tool_use_id AS key, x.name || ' ' || substr(x.input, 1, 400) AS title,
       json_array(x.input, ${outputOf("x")}) AS texts, x.created_at AS at FROM tool_uses x ${JOINS} WHERE ${CHOSEN}`,
  ],
  [
    "observations",
    `SELECT 'o' || x.id AS item, x.id, s.session_id, x.session_db_id, coalesce(x.prompt_number, 0) AS prompt_number, x.content_hash AS key,
       iif(x.pinned, '(pinned) ', '') || x.title AS title, json_array(x.title, x.subtitle, x.narrative, x.facts) AS texts, x.valid_from AS at
     FROM observations x LEFT JOIN sessions s ON s.id = x.session_db_id WHERE ${CHOSEN}`,
  ],
];

export function readDeletionRows(db: Db, doomed: DeletionSet): Record<keyof DeletionSet, DeletionRow[]> {
  return Object.fromEntries(SELECTS.map(([name, sql]) => [name, db.all(sql, list(doomed[name]))])) as Record<
    keyof DeletionSet,
    DeletionRow[]
  >;
}
