// Keeps the full-text indexes up with the rows. Rows are written first and indexed later, in batches, by whoever searches.
import { toolColumns, turnColumns } from "../core/index-text.ts";
import { dayWord, scopeWord } from "../core/words.ts";
import type { Db } from "./driver.ts";
import { transaction } from "./transaction.ts";
import { markTurnToEmbed } from "./vectors.ts";

/** Rows per transaction: the write lock is held for some 50 ms. */
const BATCH = 2_000;
/** Rows while waiting for something else. */
const SOME = 500;
/** After this share of new tool uses the pieces FTS5 writes are made one again: with ten of them a long query takes half as long again. */
const MERGE_SHARE = 0.1;
const MERGE_MIN_ROWS = 2_000;
/** Pages per step: the lock is held for some 20 ms. */
const MERGE_PAGES = 500;

/** Brings the indexes up to date, as far as the time goes; returns how many rows were written. */
export function updateSearchIndex(db: Db, options: { maxMs?: number } = {}): number {
  const deadline = Date.now() + (options.maxMs ?? Infinity);
  let written = 0;
  for (const step of [indexTurns, indexToolUses]) {
    while (Date.now() < deadline) {
      const rows = transaction(db, () => step(db, BATCH));
      written += rows;
      if (rows < BATCH) break;
    }
  }
  return written;
}

/** The worker's: whoever waits for an index does not wait for this. True if there was something to merge. */
export function mergeSearchIndex(db: Db): boolean {
  const lastOf = (name: string): number =>
    db.get<{ last_id: number }>("SELECT last_id FROM index_state WHERE name = ?", name)?.last_id ?? 0;
  const [last, merged] = [lastOf("tool_uses"), lastOf("merged")];
  if (last - merged < Math.max(MERGE_MIN_ROWS, last * MERGE_SHARE)) return false;
  for (const table of ["turns_fts", "tool_uses_fts", "prompts_trigram"]) mergePieces(db, table);
  transaction(db, () => db.run("INSERT OR REPLACE INTO index_state (name, last_id) VALUES ('merged', ?)", last));
  return true;
}

export function countUnindexed(db: Db): number {
  const row = db.get<{ n: number }>(
    `SELECT (SELECT count(*) FROM stale_turns) + (SELECT count(*) FROM tool_uses WHERE id > (SELECT last_id FROM index_state WHERE name = 'tool_uses')) AS n`,
  );
  return row?.n ?? 0;
}

/** For a moment with nothing else to do; false when too little waits to be worth a transaction. */
export function indexSome(db: Db): boolean {
  const waiting = db.get<{ count: number }>(
    `SELECT coalesce(max(id), 0) - (SELECT last_id FROM index_state WHERE name = 'tool_uses') AS count FROM tool_uses`,
  );
  if ((waiting?.count ?? 0) < SOME) return false;
  transaction(db, () => indexToolUses(db, SOME));
  return true;
}

/** In steps, so that others may write in between; a step that finds nothing to do changes less than two rows. */
function mergePieces(db: Db, table: string): void {
  const changes = (): number => db.get<{ n: number }>("SELECT total_changes() AS n")?.n ?? 0;
  let before: number;
  do {
    before = changes();
    transaction(db, () => db.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, -MERGE_PAGES));
  } while (changes() - before >= 2);
}

interface ToolUseText {
  id: number;
  project_id: number;
  name: string;
  input: string;
  output: string | null;
  created_at: number;
}

const TOOL_USE_TEXT = `SELECT t.id, s.project_id, t.name, t.input, t.output, t.created_at
  FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id`;

function indexToolUses(db: Db, limit: number): number {
  const rows = db.all<ToolUseText>(
    `${TOOL_USE_TEXT} WHERE t.id > (SELECT last_id FROM index_state WHERE name = 'tool_uses') ORDER BY t.id LIMIT ?`,
    limit,
  );
  for (const row of rows) writeToolUse(db, row);
  const last = rows.at(-1);
  if (last !== undefined) db.run("UPDATE index_state SET last_id = ? WHERE name = 'tool_uses'", last.id);
  return rows.length;
}

/** Anew, after its text has changed; one that is not indexed yet waits for its turn. */
export function indexToolUse(db: Db, id: number): void {
  const row = db.get<ToolUseText>(
    `${TOOL_USE_TEXT} WHERE t.id = ? AND t.id <= (SELECT last_id FROM index_state WHERE name = 'tool_uses')`,
    id,
  );
  db.run("DELETE FROM tool_uses_fts WHERE rowid = ?", id);
  if (row !== undefined) writeToolUse(db, row);
}

function writeToolUse(db: Db, row: ToolUseText): void {
  const { input, output } = toolColumns(row.name, JSON.parse(row.input), row.output ?? "");
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

function indexTurns(db: Db, limit: number): number {
  const rows = db.all<TurnRow>(
    `SELECT p.id, p.session_db_id, s.project_id, p.prompt_number, p.text, p.response, p.created_at
     FROM stale_turns d JOIN prompts p ON p.id = d.prompt_db_id JOIN sessions s ON s.id = p.session_db_id LIMIT ?`,
    limit,
  );
  for (const row of rows) indexTurn(db, row);
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
    "INSERT INTO turns_fts (rowid, scope, prompt, answer, calls) VALUES (?, ?, ?, ?, ?)",
    turn.id,
    scopeText(turn),
    columns.prompt,
    columns.answer,
    columns.calls,
  );
  markTurnToEmbed(db, turn.id, turn.created_at);
  db.run("DELETE FROM stale_turns WHERE prompt_db_id = ?", turn.id);
}

function scopeText(row: { project_id: number; created_at: number }): string {
  return `${scopeWord(row.project_id)} ${dayWord(row.created_at)}`;
}
