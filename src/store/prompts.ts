// prompts: what was asked, turn by turn, and the words each turn ended with.
import type { Db } from "./driver.ts";

export interface PromptSeed {
  sessionDbId: number;
  promptId?: string | undefined;
  text: string;
  at: number;
}

/** Adds a prompt as the session's next turn. The same prompt reported twice stays one row. */
export function insertPrompt(db: Db, seed: PromptSeed): { number: number; isNew: boolean } {
  const known = findSamePrompt(db, seed);
  if (known !== undefined) return { number: known, isNew: false };
  const number = nextPromptNumber(db, seed.sessionDbId);
  const { lastId } = db.run(
    "INSERT INTO prompts (session_db_id, prompt_number, prompt_id, text, created_at) VALUES (?, ?, ?, ?, ?)",
    seed.sessionDbId,
    number,
    seed.promptId ?? null,
    seed.text,
    seed.at,
  );
  db.run("INSERT INTO prompts_trigram (rowid, text) VALUES (?, ?)", lastId, seed.text);
  return { number, isNew: true };
}

/** By the agent's own id; where it gives none, the same words again before anything else happened in the turn. */
function findSamePrompt(db: Db, seed: PromptSeed): number | undefined {
  if (seed.promptId !== undefined) return findPromptNumber(db, seed.sessionDbId, seed.promptId);
  return db.get<{ prompt_number: number }>(
    `SELECT p.prompt_number FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE p.session_db_id = ? AND p.prompt_number = s.prompt_count AND p.text = ? AND p.ended_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM tool_uses t WHERE t.session_db_id = p.session_db_id AND t.prompt_number = p.prompt_number)`,
    seed.sessionDbId,
    seed.text,
  )?.prompt_number;
}

function nextPromptNumber(db: Db, sessionDbId: number): number {
  const row = db.get<{ prompt_count: number }>(
    "UPDATE sessions SET prompt_count = prompt_count + 1 WHERE id = ? RETURNING prompt_count",
    sessionDbId,
  );
  return (row as { prompt_count: number }).prompt_count;
}

export function findPromptNumber(db: Db, sessionDbId: number, promptId: string): number | undefined {
  return db.get<{ prompt_number: number }>(
    "SELECT prompt_number FROM prompts WHERE session_db_id = ? AND prompt_id = ?",
    sessionDbId,
    promptId,
  )?.prompt_number;
}

/** The turn now running: 0 before the first prompt. */
export function currentPromptNumber(db: Db, sessionDbId: number): number {
  return (
    db.get<{ prompt_count: number }>("SELECT prompt_count FROM sessions WHERE id = ?", sessionDbId)?.prompt_count ?? 0
  );
}

/** A turn can stop more than once (background work wakes it again): the last words win. */
export function endPrompt(
  db: Db,
  turn: { sessionDbId: number; number: number; response: string | undefined; at: number },
): void {
  const row = db.get<{ id: number; response: string | null }>(
    "SELECT id, response FROM prompts WHERE session_db_id = ? AND prompt_number = ? AND coalesce(ended_at, 0) <= ?",
    turn.sessionDbId,
    turn.number,
    turn.at,
  );
  if (row === undefined) return;
  db.run("UPDATE prompts SET ended_at = ?, response = ? WHERE id = ?", turn.at, turn.response ?? row.response, row.id);
}

export interface PromptRow {
  prompt_number: number;
  text: string;
  response: string | null;
  created_at: number;
  ended_at: number | null;
}

export function lastPrompts(db: Db, sessionDbId: number, limit: number): PromptRow[] {
  return db.all(
    `SELECT prompt_number, text, response, created_at, ended_at FROM prompts
     WHERE session_db_id = ? ORDER BY prompt_number DESC LIMIT ?`,
    sessionDbId,
    limit,
  );
}

export interface PromptEntry extends PromptRow {
  id: number;
}

export function promptsOf(db: Db, sessionDbId: number): PromptEntry[] {
  return db.all(
    "SELECT id, prompt_number, text, response, created_at, ended_at FROM prompts WHERE session_db_id = ? ORDER BY prompt_number",
    sessionDbId,
  );
}

/** The words a turn ended with: the response, else the last message there is of it. */
export function closingWords(db: Db, sessionDbId: number, promptNumber: number): string | undefined {
  const row = db.get<{ text: string | null }>(
    `SELECT coalesce(
       (SELECT response FROM prompts WHERE session_db_id = ?1 AND prompt_number = ?2),
       (SELECT text FROM messages WHERE session_db_id = ?1 AND prompt_number = ?2 AND role = 'assistant' AND text <> ''
        ORDER BY created_at DESC, id DESC LIMIT 1)) AS text`,
    sessionDbId,
    promptNumber,
  );
  return row?.text ?? undefined;
}
