// Adds the rows of another database to this one. Rows are matched by ids that are the same in both databases (an
// agent's session id, a commit's sha). Row ids may change; references to them are translated.
import { isTime } from "../../core/time.ts";
import { indexObservation } from "../tables/observations.ts";
import { renumberTurns, TURN_TABLES } from "../tables/prompts.ts";
import { markSessionStale, markTurnStale } from "../tables/stale-turns.ts";
import { type Db, isStorageError, type Param } from "./driver.ts";
import { ITEM_TABLES, nextId, parseItemId, wasIdUsed } from "./item-ids.ts";
import { and, list, raw, sql } from "./sql.ts";
import { nested } from "./transaction.ts";

export type MergedRow = Readonly<Record<string, unknown>>;
export type MergeOutcome = "added" | "known" | "refused";

/** The columns that identify a row. Tables are in merge order: rows come before rows that refer to them. */
const KEYS = {
  projects: ["key"],
  sessions: ["session_id"],
  prompts: ["session_db_id", "prompt_id"],
  messages: ["session_db_id", "uuid"],
  tool_uses: ["session_db_id", "tool_use_id"],
  file_touches: ["tool_use_db_id", "path"],
  file_snapshots: ["session_db_id", "path"],
  commits: ["session_db_id", "sha"],
  observations: ["session_db_id", "prompt_number", "producer", "content_hash", "project_id"],
  summaries: ["session_db_id", "prompt_number", "producer", "last_prompt"],
  injections: ["session_db_id", "surface", "created_at"],
  ledger: ["request_hash", "created_at"],
  tombstones: ["kind", "hash"],
  wrong_items: ["item"],
} as const;

export type MergeTable = keyof typeof KEYS;

/** Within `sessions`, a session must come before its subagents. */
export const MERGE_TABLES = Object.keys(KEYS) as MergeTable[];

/** Columns with the id of a row in another table. */
const REFERENCES = {
  project_id: "projects",
  parent_session_db_id: "sessions",
  session_db_id: "sessions",
  tool_use_db_id: "tool_uses",
} as const;

/** If a row is known, these columns are copied where the known row has NULL. */
const FILLED_COLUMNS: Partial<Record<MergeTable, readonly string[]>> = {
  sessions: ["title", "subtitle", "model", "version", "git_branch", "transcript_path", "report", "agent_title", "plan"],
  prompts: ["response", "ended_at"],
};

/**
 * `add` must run in a transaction. `finish` must be called after the last row: it numbers turns by time and marks
 * changed sessions to be indexed and derived again.
 */
export function createMerge(db: Db) {
  db.exec(`CREATE TEMP TABLE IF NOT EXISTS moved (kind TEXT, old INTEGER, new INTEGER, PRIMARY KEY (kind, old)) WITHOUT ROWID;
    CREATE TEMP TABLE IF NOT EXISTS moved_turns (session INTEGER, old INTEGER, new INTEGER, PRIMARY KEY (session, old)) WITHOUT ROWID;
    CREATE TEMP TABLE IF NOT EXISTS replaced_by (id INTEGER PRIMARY KEY, old INTEGER);
    CREATE TEMP TABLE IF NOT EXISTS conversations (id INTEGER PRIMARY KEY, is_changed INTEGER);
    DELETE FROM moved; DELETE FROM moved_turns; DELETE FROM replaced_by; DELETE FROM conversations;`);
  const columnsOf = new Map(
    MERGE_TABLES.map((table) => [table, db.column<string>(sql`SELECT name FROM pragma_table_info(${table})`)]),
  );
  return {
    add(table: MergeTable, row: MergedRow): MergeOutcome {
      try {
        return nested(db, () => addRow(db, table, columnsOf.get(table) ?? [], row));
      } catch (error) {
        const isRefused = error instanceof UnusableRow || ("errcode" in (error as object) && !isStorageError(error));
        if (isRefused) return "refused";
        throw error;
      }
    },
    finish: () => finish(db),
  };
}

class UnusableRow extends Error {}

type Values = Map<string, Param>;

function addRow(db: Db, table: MergeTable, columns: readonly string[], row: MergedRow): MergeOutcome {
  const values: Values = new Map();
  for (const column of columns) if (Object.hasOwn(row, column)) values.set(column, toColumnValue(column, row[column]));
  const oldId = values.get("id");
  for (const [column, target] of Object.entries(REFERENCES)) translateId(db, values, column, target);
  // The parent of a subagent is always the conversation, also if another subagent started it.
  if (table === "sessions")
    values.set("parent_session_db_id", mainSession(db, values.get("parent_session_db_id")) ?? null);
  // Rows of subagents have the turn numbers of the conversation.
  const main = mainSession(db, values.get("session_db_id"));
  if (TURN_TABLES.some((each) => each === table)) translateTurn(db, values, main, "prompt_number");
  if (values.has("evidence")) values.set("evidence", translateEvidence(db, values.get("evidence")));
  if (table === "summaries") {
    // Exports of earlier versions do not have it.
    if (!values.has("last_prompt")) values.set("last_prompt", 0);
    translateTurn(db, values, main, "last_prompt");
  }
  if (table === "wrong_items") values.set("item", translateItem(db, String(values.get("item"))));
  const known = findKnown(db, table, values);
  const id = known ?? insert(db, table, values, main);
  if (typeof oldId === "number") db.run(sql`INSERT OR REPLACE INTO moved VALUES (${table}, ${oldId}, ${id})`);
  if (table === "sessions") db.run(sql`INSERT OR IGNORE INTO conversations VALUES (${mainSession(db, id)}, 0)`);
  if (known === undefined) {
    if (main !== undefined) markChanged(db, main);
    if (table === "prompts") markTurnStale(db, main ?? 0, Number(values.get("prompt_number")));
    return "added";
  }
  if (table === "prompts") recordTurnNumber(db, main, values, known);
  if (table === "observations") copyUserEdits(db, known, values);
  for (const name of FILLED_COLUMNS[table] ?? []) {
    const column = raw(name);
    if (values.has(name))
      db.run(sql`UPDATE ${raw(table)} SET ${column} = coalesce(${column}, ${values.get(name)}) WHERE id = ${known}`);
  }
  return "known";
}

/** Called for each added row, not only in `finish`: the merge may be killed before it gets there. */
function markChanged(db: Db, main: number): void {
  const { changes } = db.run(sql`UPDATE conversations SET is_changed = 1 WHERE id = ${main} AND is_changed = 0`);
  if (changes > 0) markSessionStale(db, main);
}

const TIME = /_at$|^valid_(?:from|to)$/;
/** Columns with a JSON array of strings, in any table. */
export const LIST_COLUMNS = new Set([
  "facts",
  "concepts",
  "files",
  "files_read",
  "files_edited",
  "files_modified",
  "handover",
  "item_ids",
]);

/** Throws for a value that SQLite has no type for, or for a time or JSON text that cannot be parsed. */
function toColumnValue(column: string, value: unknown): Param {
  const isReadable =
    !(TIME.test(column) && typeof value === "number" && !isTime(value)) &&
    !(LIST_COLUMNS.has(column) && !isStringList(tryParse(value))) &&
    !(column === "input" && tryParse(value) === undefined);
  const isParam =
    value === null ||
    ["string", "bigint"].includes(typeof value) ||
    value instanceof Uint8Array ||
    Number.isFinite(value);
  if (!isReadable || !isParam) throw new UnusableRow();
  return value as Param;
}

function isStringList(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function tryParse(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}

function newIdOf(db: Db, table: string, old: Param): number | undefined {
  return db.value(sql`SELECT new FROM moved WHERE kind = ${table} AND old = ${old}`);
}

function translateId(db: Db, values: Values, column: string, target: string): void {
  const old = values.get(column) ?? null;
  if (old === null) return;
  const id = newIdOf(db, target, old);
  if (id === undefined) throw new UnusableRow();
  values.set(column, id);
}

/** The conversation of a session: the parent of a subagent, else the session itself. */
function mainSession(db: Db, sessionDbId: Param | undefined): number | undefined {
  return db.value(sql`SELECT coalesce(parent_session_db_id, id) FROM sessions WHERE id = ${sessionDbId}`);
}

function translateTurn(
  db: Db,
  values: Values,
  main: number | undefined,
  column: "prompt_number" | "last_prompt",
): void {
  const number = db.value<number>(sql`SELECT new FROM moved_turns
    WHERE session = ${main} AND old = ${values.get(column)}`);
  if (number !== undefined) values.set(column, number);
}

/** Leaves out items that were not merged. */
function translateEvidence(db: Db, json: Param | undefined): string {
  const items: unknown = tryParse(json);
  if (!Array.isArray(items)) throw new UnusableRow();
  const translated = items.flatMap((item: unknown) => {
    const old = parseItemId(String(item));
    const id = old && newIdOf(db, old.table, old.id);
    return id === undefined ? [] : [`${String(item).slice(0, 1)}${id}`];
  });
  return JSON.stringify(translated);
}

/** The id of an injected item here: "o12", "session:7". */
function translateItem(db: Db, item: string): string {
  const [, session] = /^session:(\d+)$/.exec(item) ?? [];
  const old = session === undefined ? parseItemId(item) : { table: "sessions", id: Number(session) };
  const id = old && newIdOf(db, old.table, old.id);
  if (id === undefined) throw new UnusableRow();
  return item.replace(/\d+$/, String(id));
}

function findKnown(db: Db, table: MergeTable, values: Values): number | undefined {
  const hasNoId = table === "prompts" && (values.get("prompt_id") ?? null) === null;
  const columns = hasNoId ? ["session_db_id", "text", "created_at"] : KEYS[table];
  const isSame = and(...columns.map((column) => sql`${raw(column)} IS ${values.get(column)}`));
  // Tombstones have no id column: returns 1 for a known one.
  const id = raw(table === "tombstones" ? "1" : "id");
  return db.value(sql`SELECT ${id} FROM ${raw(table)} WHERE ${isSame} LIMIT 1`);
}

function insert(db: Db, table: MergeTable, values: Values, main: number | undefined): number {
  if (table === "prompts") placePrompt(db, values, main);
  const replacedBy = table === "observations" ? values.get("superseded_by") : null;
  if (table === "observations") values.delete("superseded_by");
  if (!canKeepId(db, table, values.get("id"))) values.delete("id");
  const row = [...values].map(([column, value]) => [raw(column), sql`${value}`] as const);
  const numbered = Object.values(ITEM_TABLES).find((each) => each === table);
  if (numbered !== undefined && !values.has("id")) row.unshift([raw("id"), nextId(numbered)]);
  const { lastId } = db.run(sql`INSERT INTO ${raw(table)} (${list(row.map(([column]) => column))})
    VALUES (${list(row.map(([, value]) => value))})`);
  if (table === "prompts")
    db.run(sql`INSERT INTO prompts_trigram (rowid, text) SELECT id, text FROM prompts WHERE id = ${lastId}`);
  if (table === "observations") indexObservation(db, lastId);
  if (typeof replacedBy === "number") db.run(sql`INSERT INTO replaced_by VALUES (${lastId}, ${replacedBy})`);
  return lastId;
}

/** Whether no row has or had this id. New tool uses also need an id that the search index has not reached yet. */
function canKeepId(db: Db, table: MergeTable, id: Param | undefined): boolean {
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0) return false;
  if (db.has(sql`SELECT 1 FROM ${raw(table)} WHERE id = ${id}`) || wasIdUsed(db, table, id)) return false;
  return table !== "tool_uses" || !db.has(sql`SELECT 1 FROM index_state WHERE name = 'tool_uses' AND last_id >= ${id}`);
}

/** A prompt whose number is taken becomes the last one of its session, until `finish` sorts all of them by time. */
function placePrompt(db: Db, values: Values, main: number | undefined): void {
  const old = values.get("prompt_number");
  if (!db.has(sql`SELECT 1 FROM prompts WHERE session_db_id = ${main} AND prompt_number = ${old}`)) return;
  const last = db.value<number>(sql`SELECT max(prompt_number) FROM prompts WHERE session_db_id = ${main}`) ?? 0;
  values.set("prompt_number", last + 1);
  db.run(sql`INSERT OR REPLACE INTO moved_turns VALUES (${main}, ${old}, ${last + 1})`);
}

/** Rows of the other database refer to this turn by its number there. */
function recordTurnNumber(db: Db, main: number | undefined, values: Values, known: number): void {
  const own = db.value<number>(sql`SELECT prompt_number FROM prompts WHERE id = ${known}`) ?? 0;
  const old = values.get("prompt_number");
  if (main !== undefined && own !== old)
    db.run(sql`INSERT OR REPLACE INTO moved_turns VALUES (${main}, ${old}, ${own})`);
}

const EDITED_COLUMNS = ["type", "title", "subtitle", "narrative", ...LIST_COLUMNS, "edited_at"];

/** Copies a pin. Copies the text if it was edited later than the text here. */
function copyUserEdits(db: Db, id: number, values: Values): void {
  if (values.get("pinned") === 1) db.run(sql`UPDATE observations SET pinned = 1 WHERE id = ${id}`);
  const before = db.value<number>(sql`SELECT edited_at FROM observations WHERE id = ${id}`) ?? 0;
  const editedAt = values.get("edited_at");
  if (typeof editedAt !== "number" || editedAt <= before) return;
  const columns = EDITED_COLUMNS.filter((column) => values.has(column));
  const edits = list(columns.map((column) => sql`${raw(column)} = ${values.get(column)}`));
  db.run(sql`UPDATE observations SET ${edits} WHERE id = ${id}`);
  indexObservation(db, id);
}

function finish(db: Db): void {
  db.run(sql`UPDATE observations SET superseded_by = (
      SELECT m.new FROM replaced_by r JOIN moved m ON m.kind = 'observations' AND m.old = r.old WHERE r.id = observations.id)
    WHERE id IN (SELECT id FROM replaced_by)`);
  const conversations = db.all<{ id: number; is_changed: number }>(sql`SELECT id, is_changed FROM conversations`);
  // Includes unchanged conversations: an earlier merge may have been killed before it sorted their turns.
  for (const { id, is_changed: isChanged } of conversations) {
    renumberTurns(db, id, 0);
    const count = sql`(SELECT count(*) FROM prompts WHERE session_db_id = ${id})`;
    db.run(sql`UPDATE sessions SET prompt_count = ${count} WHERE id = ${id} AND prompt_count <> ${count}`);
    if (isChanged === 1) markSessionStale(db, id);
  }
}
