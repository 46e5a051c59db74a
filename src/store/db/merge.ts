// Adds rows of another database to this one. They are known by the agents' own ids; the numbers they had there are
// translated, so that what referred to each other still does.
import { isTime } from "../../core/time.ts";
import type { Db, Param } from "./driver.ts";
import { NUMBERED_TABLES, nextId, wasGiven } from "./next-id.ts";
import { indexObservation } from "../tables/observations.ts";
import { renumberTurns } from "../tables/renumber.ts";
import { markSessionStale } from "../tables/stale-turns.ts";
import { nested } from "./transaction.ts";

export type MergedRow = Readonly<Record<string, unknown>>;
export type MergeOutcome = "added" | "known" | "refused";

interface Spec {
  /** What makes two rows the same. */
  key: readonly string[];
  /** Columns that hold another row's number. */
  refs?: Readonly<Record<string, string>>;
  /** Belongs to a turn, by the turn's number. */
  isOfTurn?: true;
  /** Taken over where a row that is known has nothing. */
  fill?: readonly string[];
}

const OF_SESSION = { session_db_id: "sessions" } as const;

const SPECS = {
  projects: { key: ["key"] },
  sessions: {
    key: ["session_id"],
    refs: { project_id: "projects", parent_session_db_id: "sessions" },
    fill: ["title", "subtitle", "model", "version", "git_branch", "transcript_path", "report", "agent_title", "plan"],
  },
  prompts: { key: ["session_db_id", "prompt_id"], refs: OF_SESSION, isOfTurn: true, fill: ["response", "ended_at"] },
  messages: { key: ["session_db_id", "uuid"], refs: OF_SESSION, isOfTurn: true },
  tool_uses: { key: ["session_db_id", "tool_use_id"], refs: OF_SESSION, isOfTurn: true },
  file_touches: { key: ["tool_use_db_id", "path"], refs: { ...OF_SESSION, tool_use_db_id: "tool_uses" } },
  file_snapshots: { key: ["session_db_id", "path"], refs: OF_SESSION, isOfTurn: true },
  commits: { key: ["session_db_id", "sha"], refs: OF_SESSION, isOfTurn: true },
  observations: {
    key: ["session_db_id", "prompt_number", "producer", "content_hash", "project_id"],
    refs: { ...OF_SESSION, project_id: "projects" },
    isOfTurn: true,
  },
  summaries: { key: ["session_db_id", "prompt_number", "producer"], refs: OF_SESSION, isOfTurn: true },
  injections: { key: ["session_db_id", "surface", "created_at"], refs: OF_SESSION },
  ledger: { key: ["request_hash", "created_at"], refs: { project_id: "projects" } },
  tombstones: { key: ["kind", "hash"] },
} satisfies Record<string, Spec>;

export type MergeTable = keyof typeof SPECS;

/** In this order: what is referred to comes first. A session before its subagents. */
export const MERGE_TABLES = Object.keys(SPECS) as MergeTable[];

export interface Merge {
  /** Must run in a transaction. */
  add(table: MergeTable, row: MergedRow): MergeOutcome;
  /** When all is added: turns in their order, everything that has changed to be derived and indexed anew. */
  finish(): void;
}

export function createMerge(db: Db): Merge {
  db.exec(`CREATE TEMP TABLE IF NOT EXISTS moved (kind TEXT, old INTEGER, new INTEGER, PRIMARY KEY (kind, old)) WITHOUT ROWID;
    CREATE TEMP TABLE IF NOT EXISTS moved_turns (session INTEGER, old INTEGER, new INTEGER, PRIMARY KEY (session, old)) WITHOUT ROWID;
    CREATE TEMP TABLE IF NOT EXISTS replaced_by (id INTEGER PRIMARY KEY, old INTEGER);
    CREATE TEMP TABLE IF NOT EXISTS changed_sessions (id INTEGER PRIMARY KEY);
    DELETE FROM moved; DELETE FROM moved_turns; DELETE FROM replaced_by; DELETE FROM changed_sessions;`);
  const columns = new Map(MERGE_TABLES.map((table) => [table, columnsOf(db, table)]));
  return {
    add(table, row) {
      try {
        return nested(db, () => addRow(db, table, columns.get(table) ?? [], row));
      } catch (error) {
        if (!isRowsFault(error)) throw error;
        return "refused";
      }
    },
    finish: () => finish(db),
  };
}

function columnsOf(db: Db, table: MergeTable): string[] {
  return db.all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name);
}

class Unplaced extends Error {}

const ROWS_FAULTS = new Set([18, 19, 20, 25]); // TOOBIG, CONSTRAINT, MISMATCH, RANGE

function isRowsFault(error: unknown): boolean {
  return error instanceof Unplaced || ROWS_FAULTS.has(((error as { errcode?: number }).errcode ?? 0) & 0xff);
}

function addRow(db: Db, table: MergeTable, columns: readonly string[], row: MergedRow): MergeOutcome {
  const spec: Spec = SPECS[table];
  const values = new Map<string, Param>();
  for (const column of columns) if (Object.hasOwn(row, column)) values.set(column, paramOf(column, row[column]));
  const oldId = values.get("id");
  for (const [column, target] of Object.entries(spec.refs ?? {})) translate(db, values, column, target);
  if (table === "sessions") flatten(db, values);
  const main = mainSession(db, values);
  if (spec.isOfTurn && table !== "prompts") translateTurn(db, values, main);
  if (values.has("evidence")) values.set("evidence", translateEvidence(db, values.get("evidence")));
  const known = find(db, table, spec, values);
  if (known !== undefined) {
    note(db, table, oldId, known);
    if (table === "prompts") noteTurn(db, main, values, known);
    if (table === "observations") takeOwn(db, known, values);
    for (const column of spec.fill ?? []) {
      if (values.has(column))
        db.run(
          `UPDATE ${table} SET ${column} = coalesce(${column}, ?) WHERE id = ?`,
          values.get(column) ?? null,
          known,
        );
    }
    return "known";
  }
  const id = insert(db, table, values, main);
  note(db, table, oldId, id);
  if (main !== undefined) db.run("INSERT OR IGNORE INTO changed_sessions VALUES (?)", main);
  return "added";
}

const TIME = /_at$|^valid_(?:from|to)$/;

const LISTS = new Set(["facts", "concepts", "files", "files_read", "files_edited", "files_modified", "item_ids"]);

/** Only what SQLite has a type for, and nothing that whoever reads it would stumble over. */
function paramOf(column: string, value: unknown): Param {
  if (TIME.test(column) && typeof value === "number" && !isTime(value)) throw new Unplaced();
  if (LISTS.has(column) && !isList(tryParse(value))) throw new Unplaced();
  if (column === "input" && tryParse(value) === undefined) throw new Unplaced();
  if (value === null || typeof value === "string" || typeof value === "bigint" || value instanceof Uint8Array)
    return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new Unplaced();
}

function translate(db: Db, values: Map<string, Param>, column: string, target: string): void {
  const old = values.get(column);
  if (old === null || old === undefined) return;
  const now = db.get<{ id: number }>("SELECT new AS id FROM moved WHERE kind = ? AND old = ?", target, old);
  if (now === undefined) throw new Unplaced();
  values.set(column, now.id);
}

/** A conversation counts its turns; what its subagents did belongs to them. */
function mainSession(db: Db, values: Map<string, Param>): number | undefined {
  const session = values.get("session_db_id");
  if (session === null || session === undefined) return undefined;
  return db.get<{ id: number }>("SELECT coalesce(parent_session_db_id, id) AS id FROM sessions WHERE id = ?", session)
    ?.id;
}

/** Whoever started a subagent: all belong to the conversation. */
function flatten(db: Db, values: Map<string, Param>): void {
  const parent = values.get("parent_session_db_id") ?? null;
  if (parent === null) return;
  const sql = "SELECT coalesce(parent_session_db_id, id) AS id FROM sessions WHERE id = ?";
  values.set("parent_session_db_id", db.get<{ id: number }>(sql, parent)?.id ?? null);
}

function translateTurn(db: Db, values: Map<string, Param>, main: number | undefined): void {
  const old = values.get("prompt_number");
  if (main === undefined || old === null || old === undefined) return;
  const now = db.get<{ n: number }>("SELECT new AS n FROM moved_turns WHERE session = ? AND old = ?", main, old);
  if (now !== undefined) values.set("prompt_number", now.n);
}

const ITEM_TABLES: Readonly<Record<string, MergeTable>> = { p: "prompts", m: "messages", t: "tool_uses" };

/** What is not there any more is no evidence. */
function translateEvidence(db: Db, json: Param | undefined): string {
  const items: unknown = tryParse(json);
  if (!Array.isArray(items)) throw new Unplaced();
  const now = items.flatMap((item: unknown) => {
    const [, letter = "", number] = /^([pmt])(\d{1,15})$/.exec(String(item)) ?? [];
    const row = db.get<{ id: number }>(
      "SELECT new AS id FROM moved WHERE kind = ? AND old = ?",
      ITEM_TABLES[letter] ?? "",
      Number(number ?? 0),
    );
    return row === undefined ? [] : [`${letter}${row.id}`];
  });
  return JSON.stringify(now);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function tryParse(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}

function find(db: Db, table: MergeTable, { key }: Spec, values: Map<string, Param>): number | undefined {
  const columns =
    table === "prompts" && (values.get("prompt_id") ?? null) === null ? ["session_db_id", "text", "created_at"] : key;
  const where = columns.map((column) => `${column} IS ?`).join(" AND ");
  const id = table === "tombstones" ? "1 AS id" : "id";
  const params = columns.map((column) => values.get(column) ?? null);
  return db.get<{ id: number }>(`SELECT ${id} FROM ${table} WHERE ${where} LIMIT 1`, ...params)?.id;
}

function note(db: Db, table: MergeTable, old: Param | undefined, id: number): void {
  if (typeof old === "number") db.run("INSERT OR REPLACE INTO moved VALUES (?, ?, ?)", table, old, id);
}

function insert(db: Db, table: MergeTable, values: Map<string, Param>, main: number | undefined): number {
  if (table === "prompts") placePrompt(db, values, main);
  const replacedBy = table === "observations" ? values.get("superseded_by") : null;
  if (table === "observations") values.delete("superseded_by");
  if (!isFree(db, table, values.get("id"))) values.delete("id");
  const names = [...values.keys()];
  const numbered = NUMBERED_TABLES.find((each) => each === table);
  const id = values.has("id") || numbered === undefined ? undefined : nextId(numbered);
  const columns = [...(id === undefined ? [] : ["id"]), ...names];
  const row = [...(id === undefined ? [] : [id]), ...names.map(() => "?")];
  const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${row.join(", ")})`;
  const { lastId } = db.run(sql, ...values.values());
  if (table === "prompts")
    db.run("INSERT INTO prompts_trigram (rowid, text) SELECT id, text FROM prompts WHERE id = ?", lastId);
  if (table === "observations") indexObservation(db, lastId);
  if (typeof replacedBy === "number") db.run("INSERT INTO replaced_by VALUES (?, ?)", lastId, replacedBy);
  return lastId;
}

/** A row keeps its number if no row has or had it. A tool use only where the index has not passed it yet. */
function isFree(db: Db, table: MergeTable, id: Param | undefined): boolean {
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0) return false;
  if (db.get(`SELECT 1 FROM ${table} WHERE id = ?`, id) !== undefined || wasGiven(db, table, id)) return false;
  if (table !== "tool_uses") return true;
  return db.get("SELECT 1 FROM index_state WHERE name = 'tool_uses' AND last_id >= ?", id) === undefined;
}

/** At the number it had, or after all others until everything is there. */
function placePrompt(db: Db, values: Map<string, Param>, main: number | undefined): void {
  const old = values.get("prompt_number") ?? null;
  const isTaken =
    db.get("SELECT 1 FROM prompts WHERE session_db_id = ? AND prompt_number = ?", main ?? null, old) !== undefined;
  if (!isTaken) return;
  const last = db.get<{ n: number }>(
    "SELECT max(prompt_number) AS n FROM prompts WHERE session_db_id = ?",
    main ?? null,
  );
  const now = (last?.n ?? 0) + 1;
  values.set("prompt_number", now);
  db.run("INSERT OR REPLACE INTO moved_turns VALUES (?, ?, ?)", main ?? null, old, now);
}

function noteTurn(db: Db, main: number | undefined, values: Map<string, Param>, known: number): void {
  const own = db.get<{ n: number }>("SELECT prompt_number AS n FROM prompts WHERE id = ?", known)?.n ?? 0;
  const old = values.get("prompt_number") ?? null;
  if (main !== undefined && own !== old) db.run("INSERT OR REPLACE INTO moved_turns VALUES (?, ?, ?)", main, old, own);
}

const OWN_COLUMNS = [
  "type",
  "title",
  "subtitle",
  "narrative",
  "facts",
  "concepts",
  "files",
  "files_read",
  "files_modified",
  "edited_at",
];

/** What a person did with an observation, the later of the two. */
function takeOwn(db: Db, id: number, values: Map<string, Param>): void {
  if (values.get("pinned") === 1) db.run("UPDATE observations SET pinned = 1 WHERE id = ?", id);
  const before = db.get<{ at: number | null }>("SELECT edited_at AS at FROM observations WHERE id = ?", id)?.at ?? 0;
  const editedAt = values.get("edited_at");
  if (typeof editedAt !== "number" || editedAt <= before) return;
  for (const column of OWN_COLUMNS) {
    if (values.has(column))
      db.run(`UPDATE observations SET ${column} = ? WHERE id = ?`, values.get(column) ?? null, id);
  }
  indexObservation(db, id);
}

function finish(db: Db): void {
  db.run(
    `UPDATE observations SET superseded_by = (SELECT m.new FROM replaced_by r JOIN moved m ON m.kind = 'observations' AND m.old = r.old WHERE r.id = observations.id)
     WHERE id IN (SELECT id FROM replaced_by)`,
  );
  for (const { id } of db.all<{ id: number }>("SELECT id FROM changed_sessions")) {
    renumberTurns(db, id, 0);
    db.run(
      "UPDATE sessions SET prompt_count = (SELECT count(*) FROM prompts WHERE session_db_id = ?1) WHERE id = ?1",
      id,
    );
    markSessionStale(db, id);
  }
}
