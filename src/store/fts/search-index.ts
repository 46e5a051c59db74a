// Keeps the full-text indexes up to date. Most rows are indexed in batches after they were written, before a search.
import {
  NEIGHBOUR_CHARS,
  NEIGHBOUR_TURNS,
  neighbourColumn,
  indexable,
  toolColumns,
  type TurnColumns,
  turnColumns,
} from "../../core/index-text.ts";
import { dayWord, scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { anyOf, raw, sql } from "../db/sql.ts";
import { transaction } from "../db/transaction.ts";
import { commitsOf } from "../tables/commits.ts";
import { indexObservation } from "../tables/observations.ts";
import { family } from "../tables/sessions.ts";
import { outputOf } from "../tables/tool-uses.ts";
import { markTurnToEmbed } from "../vectors/vectors.ts";

/** Rows per transaction, which holds the write lock for about 50 ms. */
const BATCH = 2_000;

/** Indexes waiting rows until all are done or `maxMs` is over. Returns the number of indexed rows. */
export function updateSearchIndex(db: Db, options: { maxMs?: number } = {}): number {
  const deadline = Date.now() + (options.maxMs ?? Infinity);
  let written = 0;
  const step = (index: (db: Db, limit: number) => number): boolean => {
    const rows = index(db, BATCH);
    written += rows;
    return rows < BATCH;
  };
  // One transaction updates all indexes, because usually few rows wait. `every` stops at an index with a full batch.
  for (let isDone = false; !isDone && Date.now() < deadline;)
    isDone = transaction(db, () => [indexTurns, indexNeighbours, indexToolUses, indexThinking].every(step));
  return written;
}

export function countUnindexed(db: Db): number {
  return db.value(sql`SELECT (SELECT count(*) FROM stale_turns) + (SELECT count(*) FROM stale_thinking)
    + (SELECT count(*) FROM tool_uses WHERE id > (SELECT last_id FROM index_state WHERE name = 'tool_uses'))`) as number;
}

/** FTS5 segments are merged after this share of new tool uses. With ten segments a long query takes 50% longer. */
const MERGE_SHARE = 0.1;
const MERGE_MIN_ROWS = 2_000;
/** Pages per step, which holds the lock for about 20 ms. */
const MERGE_PAGES = 500;

/** Merges in short steps, so that other writers do not wait long. Undefined if there are few new rows. */
export function mergeSearchIndex(db: Db): Generator<void, void> | undefined {
  const [last, merged] = [indexedUpTo(db, "tool_uses"), indexedUpTo(db, "merged")];
  if (last - merged < Math.max(MERGE_MIN_ROWS, last * MERGE_SHARE)) return undefined;
  return (function* merge() {
    yield* mergeIndexes(db);
    transaction(db, () => db.run(sql`INSERT OR REPLACE INTO index_state (name, last_id) VALUES ('merged', ${last})`));
  })();
}

/** The full-text indexes. SQL conditions on `source`: `rows` to be indexed, `waiting` rows that are not indexed yet. */
export const INDEXES = [
  { name: "turns_fts", source: "prompts", rows: "1", waiting: "id IN (SELECT prompt_db_id FROM stale_turns)" },
  {
    name: "tool_uses_fts",
    source: "tool_uses",
    rows: "1",
    waiting: "id > (SELECT last_id FROM index_state WHERE name = 'tool_uses')",
  },
  {
    name: "thinking_fts",
    source: "messages",
    rows: "thinking <> ''",
    waiting: "id IN (SELECT message_db_id FROM stale_thinking)",
  },
  { name: "observations_fts", source: "observations", rows: "1", waiting: "0" },
  { name: "prompts_trigram", source: "prompts", rows: "1", waiting: "0" },
] as const;

/** Merges each index into one segment. This also removes the words of deleted rows. */
export function* mergeIndexes(db: Db): Generator<void, void> {
  for (const table of INDEXES.map(({ name }) => raw(name))) {
    // If there is nothing left to merge, a step changes fewer than two rows.
    for (let changed = 2; changed >= 2;) {
      const before = totalChanges(db);
      transaction(db, () => db.run(sql`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${-MERGE_PAGES})`));
      // Read before the yield: other code may write with the same connection.
      changed = totalChanges(db) - before;
      yield;
    }
  }
}

function totalChanges(db: Db): number {
  return db.value(sql`SELECT total_changes()`) as number;
}

/** Deletes the indexes' contents and indexes everything again. */
export function rebuildSearchIndex(db: Db): void {
  transaction(db, () => {
    for (const { name } of INDEXES) {
      const command = name === "prompts_trigram" ? "rebuild" : "delete-all";
      db.run(sql`INSERT INTO ${raw(name)} (${raw(name)}) VALUES (${command})`);
    }
    db.run(sql`UPDATE index_state SET last_id = 0 WHERE name = 'tool_uses'`);
    db.run(sql`INSERT OR IGNORE INTO stale_turns SELECT id FROM prompts`);
    db.run(sql`INSERT OR IGNORE INTO stale_thinking SELECT id FROM messages WHERE thinking <> ''`);
    for (const id of db.column<number>(sql`SELECT id FROM observations`)) indexObservation(db, id);
  });
  updateSearchIndex(db);
}

/** Counts rows that lack an index entry, and index entries whose row does not exist. */
export function countIndexGaps(db: Db): number {
  const gaps = INDEXES.map(({ name, source, rows, waiting }) => {
    const entries = sql`SELECT id FROM ${raw(name)}_docsize`;
    const indexed = sql`SELECT id FROM ${raw(source)} WHERE ${raw(rows)}`;
    return db.value<number>(sql`SELECT (SELECT count(*) FROM (${indexed} AND NOT ${raw(waiting)} EXCEPT ${entries}))
      + (SELECT count(*) FROM (${entries} EXCEPT ${indexed}))`) as number;
  });
  return gaps.reduce((sum, number) => sum + number, 0);
}

export interface ToolUseText {
  id: number;
  project_id: number;
  name: string;
  input: unknown;
  output: string | null;
  created_at: number;
}

const TOOL_USE_TEXT = sql`SELECT t.id, s.project_id, t.name, t.input, ${outputOf("t")} AS output, t.created_at
  FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id`;

type StoredToolUse = ToolUseText & { input: string };

function parsed(row: StoredToolUse): ToolUseText {
  return { ...row, input: JSON.parse(row.input) as unknown };
}

function indexToolUses(db: Db, limit: number): number {
  const rows = db.all<StoredToolUse>(sql`${TOOL_USE_TEXT} WHERE t.id > ${indexedUpTo(db, "tool_uses")}
    ORDER BY t.id LIMIT ${limit}`);
  indexRows(db, rows.map(parsed));
  return rows.length;
}

/** Indexes tool uses in the transaction that inserts them. Reading them later would take 20% more indexing time. */
export function indexNewToolUses(db: Db, rows: readonly ToolUseText[]): void {
  // If earlier tool uses are waiting, `last_id` would skip them: then these wait, too.
  if (rows[0]?.id === indexedUpTo(db, "tool_uses") + 1) indexRows(db, rows);
}

function indexRows(db: Db, rows: readonly ToolUseText[]): void {
  for (const row of rows) writeToolUse(db, row);
  const last = rows.at(-1);
  if (last !== undefined) db.run(sql`UPDATE index_state SET last_id = ${last.id} WHERE name = 'tool_uses'`);
}

function indexedUpTo(db: Db, name: "tool_uses" | "merged"): number {
  return db.value(sql`SELECT last_id FROM index_state WHERE name = ${name}`) ?? 0;
}

/** Indexes a tool use again after its text changed. If it was not indexed yet, it keeps waiting. */
export function indexToolUse(db: Db, id: number): void {
  const row = db.get<StoredToolUse>(sql`${TOOL_USE_TEXT}
    WHERE t.id = ${id} AND t.id <= (SELECT last_id FROM index_state WHERE name = 'tool_uses')`);
  db.run(sql`DELETE FROM tool_uses_fts WHERE rowid = ${id}`);
  if (row !== undefined) writeToolUse(db, parsed(row));
}

function writeToolUse(db: Db, row: ToolUseText): void {
  const { input, output } = toolColumns(row.name, row.input, row.output ?? "");
  db.run(sql`INSERT INTO tool_uses_fts (rowid, scope, input, output)
    VALUES (${row.id}, ${scopeText(row)}, ${input}, ${output})`);
}

interface TurnRow {
  id: number;
  session_db_id: number;
  project_id: number;
  prompt_number: number;
  text: string;
  response: string | null;
  created_at: number;
}

/** SQL: the turns that are marked in this table. */
const turnTexts = (marks: "stale_turns" | "stale_beside") =>
  sql`SELECT p.id, p.session_db_id, s.project_id, p.prompt_number, p.text, p.response, p.created_at
    FROM ${raw(marks)} d JOIN prompts p ON p.id = d.prompt_db_id JOIN sessions s ON s.id = p.session_db_id`;

function indexTurns(db: Db, limit: number): number {
  return writeTurns(db, db.all(sql`${turnTexts("stale_turns")} LIMIT ${limit}`));
}

/**
 * Indexes the stale turns of these sessions. Must run in the transaction that wrote the last of them. Not for sessions
 * that are still being read: a turn that grows would be indexed twice, and bm25 would count both in the mean length.
 */
export function indexTurnsOf(db: Db, sessionIds: readonly string[]): void {
  if (sessionIds.length === 0) return;
  writeTurns(db, db.all(sql`${turnTexts("stale_turns")} WHERE s.session_id IN ${anyOf(sessionIds)}`));
}

function writeTurns(db: Db, rows: readonly TurnRow[]): number {
  for (const row of rows) indexTurn(db, row);
  // A separate loop: between two turns, this statement would make FTS5 flush.
  for (const { id, created_at } of rows) markTurnToEmbed(db, id, created_at);
  // Before the marks are deleted: a neighbour that is marked itself is indexed anyway.
  for (const row of rows) markNeighbours(db, row);
  for (const { id } of rows) db.run(sql`DELETE FROM stale_turns WHERE prompt_db_id = ${id}`);
  return rows.length;
}

/** Marks the neighbours of a changed turn: their column `beside` has its text. */
function markNeighbours(db: Db, { session_db_id, prompt_number }: TurnRow): void {
  db.run(sql`INSERT OR IGNORE INTO stale_beside SELECT id FROM prompts WHERE session_db_id = ${session_db_id}
    AND prompt_number BETWEEN ${prompt_number - NEIGHBOUR_TURNS} AND ${prompt_number + NEIGHBOUR_TURNS}
    AND id NOT IN (SELECT prompt_db_id FROM stale_turns)`);
}

/** Indexes the neighbours of changed turns. They are not embedded again, because their own text did not change. */
function indexNeighbours(db: Db, limit: number): number {
  const rows = db.all<TurnRow>(sql`${turnTexts("stale_beside")} LIMIT ${limit}`);
  for (const row of rows) indexTurn(db, row);
  for (const { id } of rows) db.run(sql`DELETE FROM stale_beside WHERE prompt_db_id = ${id}`);
  return rows.length;
}

function indexTurn(db: Db, turn: TurnRow): void {
  const inTurn = sql`session_db_id IN (${family(turn.session_db_id)}) AND prompt_number = ${turn.prompt_number}
    ORDER BY created_at, id`;
  const answers = db.column<string>(sql`SELECT text FROM messages WHERE ${inTurn}`);
  const calls = db.all<{ name: string; input: string }>(sql`SELECT name, input FROM tool_uses WHERE ${inTurn}`);
  const columns = turnColumns({
    prompt: turn.text,
    // Sessions recorded only by hooks have no messages, only the response of each turn.
    answers: answers.length > 0 ? answers : [turn.response ?? ""],
    calls: calls.map(({ name, input }) => ({ name, input: JSON.parse(input) as unknown })),
    commits: commitsOf(db, turn.session_db_id, turn.prompt_number).filter(({ basis }) => basis !== "output"),
  });
  db.run(sql`DELETE FROM turns_fts WHERE rowid = ${turn.id}`);
  db.run(sql`INSERT INTO turns_fts (rowid, scope, prompt, answer, calls, beside)
    VALUES (${turn.id}, ${scopeText(turn)}, ${columns.prompt}, ${columns.answer}, ${columns.calls},
      ${neighbourColumn(columns, neighbourTexts(db, turn, columns))})`);
}

/** Texts of the turns at distance -1, 1, -2, 2. Empty if the turn's own text is long enough. */
function neighbourTexts(db: Db, turn: TurnRow, { prompt, answer }: TurnColumns): string[] {
  if (prompt.length + answer.length >= NEIGHBOUR_CHARS) return [];
  const distances = Array.from({ length: NEIGHBOUR_TURNS }, (_, index) => [-index - 1, index + 1]).flat();
  return distances
    .map((distance) => neighbourText(db, turn.session_db_id, turn.prompt_number + distance))
    .filter((text) => text !== "");
}

/** The beginning of the prompt and the answers of a turn. */
function neighbourText(db: Db, sessionDbId: number, promptNumber: number): string {
  const prompt = db.get<{ text: string; response: string }>(sql`
    SELECT substr(text, 1, ${NEIGHBOUR_CHARS}) AS text, substr(coalesce(response, ''), 1, ${NEIGHBOUR_CHARS}) AS response
    FROM prompts WHERE session_db_id = ${sessionDbId} AND prompt_number = ${promptNumber}`);
  if (prompt === undefined) return "";
  const answers = db.column<string>(sql`SELECT substr(text, 1, ${NEIGHBOUR_CHARS}) FROM messages
    WHERE session_db_id IN (${family(sessionDbId)}) AND prompt_number = ${promptNumber}
    ORDER BY created_at, id LIMIT 10`);
  return [prompt.text, ...(answers.length > 0 ? answers : [prompt.response])].join("\n").slice(0, NEIGHBOUR_CHARS);
}

function indexThinking(db: Db, limit: number): number {
  type Row = { id: number; project_id: number; thinking: string; created_at: number };
  const rows = db.all<Row>(sql`SELECT m.id, s.project_id, m.thinking, m.created_at
    FROM stale_thinking d JOIN messages m ON m.id = d.message_db_id JOIN sessions s ON s.id = m.session_db_id LIMIT ${limit}`);
  for (const row of rows) {
    db.run(sql`DELETE FROM thinking_fts WHERE rowid = ${row.id}`);
    db.run(sql`INSERT INTO thinking_fts (rowid, scope, thinking)
      VALUES (${row.id}, ${scopeText(row)}, ${indexable(row.thinking)})`);
  }
  for (const { id } of rows) db.run(sql`DELETE FROM stale_thinking WHERE message_db_id = ${id}`);
  return rows.length;
}

function scopeText(row: { project_id: number; created_at: number }): string {
  return `${scopeWord(row.project_id)} ${dayWord(row.created_at)}`;
}
