// Keeps the full-text indexes up with the rows. Rows are written first and indexed later, in batches, by whoever searches.
import { besideColumn, indexable, toolColumns, turnColumns } from "../../core/index-text.ts";
import { dayWord, scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { outputOf } from "../tables/packed.ts";
import { indexObservation } from "../tables/observations.ts";
import { transaction } from "../db/transaction.ts";
import { markBeside, textsBeside } from "./neighbour-turns.ts";
import { markTurnToEmbed } from "../vectors/vectors.ts";

/** Rows per transaction: the write lock is held for some 50 ms. */
const BATCH = 2_000;
/** After this share of new tool uses the pieces FTS5 writes are made one again: with ten of them a long query takes half as long again. */
const MERGE_SHARE = 0.1;
const MERGE_MIN_ROWS = 2_000;
/** Pages per step: the lock is held for some 20 ms. */
const MERGE_PAGES = 500;

/** Brings the indexes up to date, as far as the time goes; returns how many rows were written. */
export function updateSearchIndex(db: Db, options: { maxMs?: number } = {}): number {
  const deadline = Date.now() + (options.maxMs ?? Infinity);
  let written = 0;
  const step = (index: (db: Db, limit: number) => number): boolean => {
    const rows = index(db, BATCH);
    written += rows;
    return rows < BATCH;
  };
  // One after the other, and what is left of all of them in one transaction: mostly that is little.
  for (let isDone = false; !isDone && Date.now() < deadline;) {
    isDone = transaction(db, () => [indexTurns, indexBeside, indexToolUses, indexThinking].every(step));
  }
  return written;
}

/** For the worker, in short steps: whoever waits for an index does not wait for this. Undefined where little is new. */
export function mergeSearchIndex(db: Db): Generator<void, void> | undefined {
  const lastOf = (name: string): number =>
    db.get<{ last_id: number }>("SELECT last_id FROM index_state WHERE name = ?", name)?.last_id ?? 0;
  const [last, merged] = [lastOf("tool_uses"), lastOf("merged")];
  if (last - merged < Math.max(MERGE_MIN_ROWS, last * MERGE_SHARE)) return undefined;
  return (function* merge() {
    yield* mergeIndexes(db);
    transaction(db, () => db.run("INSERT OR REPLACE INTO index_state (name, last_id) VALUES ('merged', ?)", last));
  })();
}

/** Into one piece each: until then an index keeps the words of rows that are gone. */
export function* mergeIndexes(db: Db): Generator<void, void> {
  for (const table of ["turns_fts", "tool_uses_fts", "thinking_fts", "observations_fts", "prompts_trigram"])
    yield* mergePieces(db, table);
}

export function countUnindexed(db: Db): number {
  const row = db.get<{ n: number }>(
    `SELECT (SELECT count(*) FROM stale_turns) + (SELECT count(*) FROM stale_thinking)
       + (SELECT count(*) FROM tool_uses WHERE id > (SELECT last_id FROM index_state WHERE name = 'tool_uses')) AS n`,
  );
  return row?.n ?? 0;
}

/** In steps, so that others may write in between; a step that finds nothing to do changes less than two rows. */
function* mergePieces(db: Db, table: string): Generator<void, void> {
  const changes = (): number => db.get<{ n: number }>("SELECT total_changes() AS n")?.n ?? 0;
  let changed: number;
  do {
    const before = changes();
    transaction(db, () => db.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, -MERGE_PAGES));
    // Before others write with the same connection.
    changed = changes() - before;
    yield;
  } while (changed >= 2);
}

/** Throws the indexes away and has everything indexed anew. */
export function rebuildSearchIndex(db: Db): void {
  transaction(db, () => {
    for (const table of ["turns_fts", "tool_uses_fts", "thinking_fts", "observations_fts"]) {
      db.run(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
    }
    db.run("INSERT INTO prompts_trigram (prompts_trigram) VALUES ('rebuild')");
    db.run("UPDATE index_state SET last_id = 0 WHERE name = 'tool_uses'");
    db.run("INSERT OR IGNORE INTO stale_turns SELECT id FROM prompts");
    db.run("INSERT OR IGNORE INTO stale_thinking SELECT id FROM messages WHERE thinking <> ''");
    for (const { id } of db.all<{ id: number }>("SELECT id FROM observations")) indexObservation(db, id);
  });
  updateSearchIndex(db);
}

/** A tool use as it goes into the index. */
export interface ToolUseText {
  id: number;
  project_id: number;
  name: string;
  input: unknown;
  output: string | null;
  created_at: number;
}

const TOOL_USE_TEXT = `SELECT t.id, s.project_id, t.name, t.input, ${outputOf("t")} AS output, t.created_at
  FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id`;

function indexToolUses(db: Db, limit: number): number {
  const rows = db.all<StoredToolUse>(`${TOOL_USE_TEXT} WHERE t.id > ? ORDER BY t.id LIMIT ?`, lastIndexed(db), limit);
  indexRows(db, rows.map(parsed));
  return rows.length;
}

type StoredToolUse = ToolUseText & { input: string };

function parsed(row: StoredToolUse): ToolUseText {
  return { ...row, input: JSON.parse(row.input) as unknown };
}

/**
 * At the end of the transaction that inserted them, from what is in hand: to read them again takes a fifth of all indexing.
 */
export function indexNewToolUses(db: Db, rows: readonly ToolUseText[]): void {
  // Others before them that wait would be passed over.
  if (rows[0]?.id === lastIndexed(db) + 1) indexRows(db, rows);
}

function indexRows(db: Db, rows: readonly ToolUseText[]): void {
  for (const row of rows) writeToolUse(db, row);
  const last = rows.at(-1);
  if (last !== undefined) db.run("UPDATE index_state SET last_id = ? WHERE name = 'tool_uses'", last.id);
}

function lastIndexed(db: Db): number {
  return db.get<{ last_id: number }>("SELECT last_id FROM index_state WHERE name = 'tool_uses'")?.last_id ?? 0;
}

/** Anew, after its text has changed; one that is not indexed yet waits for its turn. */
export function indexToolUse(db: Db, id: number): void {
  const row = db.get<StoredToolUse>(
    `${TOOL_USE_TEXT} WHERE t.id = ? AND t.id <= (SELECT last_id FROM index_state WHERE name = 'tool_uses')`,
    id,
  );
  db.run("DELETE FROM tool_uses_fts WHERE rowid = ?", id);
  if (row !== undefined) writeToolUse(db, parsed(row));
}

function writeToolUse(db: Db, row: ToolUseText): void {
  const { input, output } = toolColumns(row.name, row.input, row.output ?? "");
  db.run(
    "INSERT INTO tool_uses_fts (rowid, scope, input, output) VALUES (?, ?, ?, ?)",
    row.id,
    scopeText(row),
    input,
    output,
  );
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

const TURN_TEXT = `SELECT p.id, p.session_db_id, s.project_id, p.prompt_number, p.text, p.response, p.created_at
  FROM stale_turns d JOIN prompts p ON p.id = d.prompt_db_id JOIN sessions s ON s.id = p.session_db_id`;

function indexTurns(db: Db, limit: number): number {
  const rows = db.all<TurnRow>(`${TURN_TEXT} LIMIT ?`, limit);
  writeTurns(db, rows);
  return rows.length;
}

/**
 * Within the transaction that wrote the last of them. Not of sessions that are still being read: more may be said in a
 * turn, and a row indexed twice counts twice in the mean length bm25 goes by.
 */
export function indexTurnsOf(db: Db, sessionIds: readonly string[]): void {
  if (sessionIds.length === 0) return;
  const ids = JSON.stringify(sessionIds);
  writeTurns(db, db.all(`${TURN_TEXT} WHERE s.session_id IN (SELECT value FROM json_each(?))`, ids));
}

function writeTurns(db: Db, rows: readonly TurnRow[]): void {
  for (const row of rows) indexTurn(db, row);
  // Afterwards: each of these statements would make FTS5 write out what it holds, turn by turn.
  for (const { id, created_at } of rows) markTurnToEmbed(db, id, created_at);
  // All before any is cleared: what is still marked will be read with its neighbours as they are now.
  for (const row of rows) markBeside(db, row.session_db_id, row.prompt_number);
  for (const row of rows) db.run("DELETE FROM stale_turns WHERE prompt_db_id = ?", row.id);
}

/** Turns beside changed ones: they say what they said, so nothing is embedded anew. */
function indexBeside(db: Db, limit: number): number {
  const rows = db.all<TurnRow>(
    `SELECT p.id, p.session_db_id, s.project_id, p.prompt_number, p.text, p.response, p.created_at
     FROM stale_beside d JOIN prompts p ON p.id = d.prompt_db_id JOIN sessions s ON s.id = p.session_db_id LIMIT ?`,
    limit,
  );
  for (const row of rows) indexTurn(db, row);
  for (const row of rows) {
    db.run("DELETE FROM stale_beside WHERE prompt_db_id = ?", row.id);
  }
  return rows.length;
}

function indexTurn(db: Db, turn: TurnRow): void {
  const family = "SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1";
  const answers = db.all<{ text: string }>(
    `SELECT text FROM messages WHERE session_db_id IN (${family}) AND prompt_number = ?2 ORDER BY created_at, id`,
    turn.session_db_id,
    turn.prompt_number,
  );
  const calls = db.all<{ name: string; input: string }>(
    `SELECT name, input FROM tool_uses WHERE session_db_id IN (${family}) AND prompt_number = ?2 ORDER BY created_at, id`,
    turn.session_db_id,
    turn.prompt_number,
  );
  const columns = turnColumns({
    prompt: turn.text,
    // A session that only hooks have seen has no messages: its last words are all there is.
    answers: answers.length > 0 ? answers.map((row) => row.text) : [turn.response ?? ""],
    calls: calls.map((row) => ({ name: row.name, input: JSON.parse(row.input) as unknown })),
  });
  db.run("DELETE FROM turns_fts WHERE rowid = ?", turn.id);
  db.run(
    "INSERT INTO turns_fts (rowid, scope, prompt, answer, calls, beside) VALUES (?, ?, ?, ?, ?, ?)",
    turn.id,
    scopeText(turn),
    columns.prompt,
    columns.answer,
    columns.calls,
    besideColumn(columns, textsBeside(db, turn.session_db_id, turn.prompt_number, columns)),
  );
}

interface ThinkingRow {
  id: number;
  project_id: number;
  thinking: string;
  created_at: number;
}

function indexThinking(db: Db, limit: number): number {
  const rows = db.all<ThinkingRow>(
    `SELECT m.id, s.project_id, m.thinking, m.created_at
     FROM stale_thinking d JOIN messages m ON m.id = d.message_db_id JOIN sessions s ON s.id = m.session_db_id LIMIT ?`,
    limit,
  );
  for (const row of rows) {
    db.run("DELETE FROM thinking_fts WHERE rowid = ?", row.id);
    const text = indexable(row.thinking);
    db.run("INSERT INTO thinking_fts (rowid, scope, thinking) VALUES (?, ?, ?)", row.id, scopeText(row), text);
  }
  for (const { id } of rows) db.run("DELETE FROM stale_thinking WHERE message_db_id = ?", id);
  return rows.length;
}

function scopeText(row: { project_id: number; created_at: number }): string {
  return `${scopeWord(row.project_id)} ${dayWord(row.created_at)}`;
}
