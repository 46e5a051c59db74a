// prompts: one row per turn, with the user's prompt and the agent's response.
import type { Db } from "../db/driver.ts";
import { nextId } from "../db/item-ids.ts";
import { anyOf, raw, sql, type Sql } from "../db/sql.ts";
import { endedAt, turnState, type TurnState } from "./session-status.ts";
import { family } from "./sessions.ts";
import { markSessionStale, markTurnEnded } from "./stale-turns.ts";

/** A session and the number of a turn. The number is 0 before the first prompt. */
export interface TurnKey {
  sessionDbId: number;
  promptNumber: number;
}

export interface NewPrompt {
  sessionDbId: number;
  promptId?: string | undefined;
  text: string;
  at: number;
}

/** Hooks and the transcript report the same prompt within this time. The same text later is another prompt. */
const SAME_MOMENT_MS = 10_000;

/**
 * Inserts a prompt and numbers the turns by time. If it was recorded before, `newId` is undefined. The caller must
 * index the text of a new one. `ownsId`: events with this prompt id belong to this prompt, not to an earlier one with
 * the same id.
 */
export function insertPrompt(db: Db, prompt: NewPrompt) {
  const { sessionDbId, text, at } = prompt;
  const known = findSamePrompt(db, prompt);
  if (known !== undefined) return { number: known, newId: undefined, ownsId: false };
  const promptId = ownPromptId(db, prompt);
  const number = db.value<number>(sql`UPDATE sessions SET prompt_count = prompt_count + 1 WHERE id = ${sessionDbId}
    RETURNING prompt_count`) as number;
  const { lastId } = db.run(sql`INSERT INTO prompts (id, session_db_id, prompt_number, prompt_id, text, created_at)
    VALUES (${nextId("prompts")}, ${sessionDbId}, ${number}, ${promptId}, ${text}, ${at})`);
  const isLate = db.has(sql`SELECT 1 FROM prompts WHERE session_db_id = ${sessionDbId} AND created_at > ${at}`);
  return {
    number: isLate ? renumberTurns(db, sessionDbId, lastId) : number,
    newId: lastId,
    ownsId: promptId !== undefined && promptId === prompt.promptId,
  };
}

/** Indexes a prompt by trigrams, to correct typos in queries. Must run in the transaction that inserts the prompt. */
export function indexTrigrams(db: Db, { id, text }: { id: number; text: string }): void {
  db.run(sql`INSERT INTO prompts_trigram (rowid, text) VALUES (${id}, ${text})`);
}

/** Deletes the rows and their index entries. `ids`: SQL that selects the ids. */
export function deletePrompts(db: Db, ids: Sql): void {
  db.run(sql`DELETE FROM turns_fts WHERE rowid IN (${ids})`);
  db.run(sql`INSERT INTO prompts_trigram (prompts_trigram, rowid, text)
    SELECT 'delete', id, text FROM prompts WHERE id IN (${ids})`);
  db.run(sql`DELETE FROM prompts WHERE id IN (${ids})`);
}

interface StoredPrompt {
  id: number;
  prompt_number: number;
  prompt_id: string | null;
  text: string;
  created_at: number;
}

function promptById(db: Db, { sessionDbId, promptId }: NewPrompt): StoredPrompt | undefined {
  if (promptId === undefined) return undefined;
  return db.get(sql`SELECT * FROM prompts WHERE session_db_id = ${sessionDbId} AND prompt_id = ${promptId}`);
}

/**
 * Finds a prompt that was recorded before: by the agent's id, or by the same text at the same time. If the agent gives
 * no ids, also by the same text again before anything else happened in the turn.
 */
function findSamePrompt(db: Db, prompt: NewPrompt): number | undefined {
  const { sessionDbId, promptId, text, at } = prompt;
  const byId = promptById(db, prompt);
  // A command, or a prompt typed while the agent was working, has the id of the prompt before it.
  if (byId?.text === text) return byId.prompt_number;
  const sameText = db.all<StoredPrompt>(sql`SELECT * FROM prompts WHERE session_db_id = ${sessionDbId}
    AND created_at BETWEEN ${at - SAME_MOMENT_MS} AND ${at + SAME_MOMENT_MS} AND text = ${text}`);
  // It is the same prompt only if one report has no id, or the id of the turn in which it was typed.
  const same = sameText.find(({ prompt_id: id }) =>
    promptId === undefined ? id !== null : id === null || id.includes("@") || byId !== undefined,
  );
  if (same === undefined) return promptId === undefined ? findRepeated(db, prompt) : undefined;
  if (promptId !== undefined && byId === undefined)
    db.run(sql`UPDATE prompts SET prompt_id = ${promptId} WHERE id = ${same.id}`);
  return same.prompt_number;
}

function findRepeated(db: Db, { sessionDbId, text }: NewPrompt): number | undefined {
  return db.value(sql`SELECT p.prompt_number FROM prompts p JOIN sessions s ON s.id = p.session_db_id
    WHERE p.session_db_id = ${sessionDbId} AND p.prompt_number = s.prompt_count AND p.text = ${text} AND p.ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM tool_uses t WHERE t.session_db_id = p.session_db_id AND t.prompt_number = p.prompt_number)`);
}

/** If two prompts have the same id, the earlier one keeps it and the other one gets "id@time". */
function ownPromptId(db: Db, prompt: NewPrompt): string | undefined {
  const { sessionDbId, promptId, at } = prompt;
  const owner = promptById(db, prompt);
  if (promptId === undefined || owner === undefined) return promptId;
  if (owner.created_at <= at) return timedId(db, sessionDbId, promptId, at);
  const id = timedId(db, sessionDbId, promptId, owner.created_at);
  db.run(sql`UPDATE prompts SET prompt_id = ${id} WHERE id = ${owner.id}`);
  return promptId;
}

/** "id@time", or "id@time.2" for the second prompt with the same id and time. */
function timedId(db: Db, sessionDbId: number, promptId: string, at: number): string {
  const id = `${promptId}@${at}`;
  let free = id;
  for (let number = 2; findPromptNumber(db, sessionDbId, free) !== undefined; number++) free = `${id}.${number}`;
  return free;
}

/** Tables with a column prompt_number. */
export const TURN_TABLES = ["tool_uses", "messages", "commits", "file_snapshots", "observations", "summaries"] as const;

/** Numbers a session's turns by time, after a prompt was inserted late. Returns the number of that prompt. */
export function renumberTurns(db: Db, sessionDbId: number, promptDbId: number): number {
  const turns = db.all<{ id: number; prompt_number: number }>(sql`SELECT id, prompt_number FROM prompts
    WHERE session_db_id = ${sessionDbId} ORDER BY created_at, id`);
  const moved = turns
    .map((turn, index) => [turn.prompt_number, index + 1] as const)
    .filter(([before, after]) => before !== after);
  if (moved.length > 0) {
    // Changes all numbers to negative ones first, because they are unique in a session.
    db.run(sql`UPDATE prompts SET prompt_number = -prompt_number WHERE session_db_id = ${sessionDbId}`);
    for (const [index, turn] of turns.entries())
      db.run(sql`UPDATE prompts SET prompt_number = ${index + 1} WHERE id = ${turn.id}`);
    const numbers = JSON.stringify(Object.fromEntries(moved));
    for (const table of TURN_TABLES.map(raw)) {
      db.run(sql`UPDATE ${table} SET prompt_number = -json_extract(${numbers}, '$."' || prompt_number || '"')
        WHERE session_db_id IN (${family(sessionDbId)})
          AND prompt_number IN (SELECT CAST(key AS INTEGER) FROM json_each(${numbers}))`);
      db.run(sql`UPDATE ${table} SET prompt_number = -prompt_number
        WHERE session_db_id IN (${family(sessionDbId)}) AND prompt_number < 0`);
    }
    const moves = sql`last_prompt IN (SELECT CAST(key AS INTEGER) FROM json_each(${numbers}))`;
    db.run(sql`UPDATE summaries SET last_prompt = -json_extract(${numbers}, '$."' || last_prompt || '"')
      WHERE session_db_id = ${sessionDbId} AND ${moves}`);
    db.run(sql`UPDATE summaries SET last_prompt = -last_prompt
      WHERE session_db_id = ${sessionDbId} AND last_prompt < 0`);
    markSessionStale(db, sessionDbId);
  }
  return turns.findIndex((turn) => turn.id === promptDbId) + 1;
}

export function findPromptNumber(db: Db, sessionDbId: number, promptId: string): number | undefined {
  return db.value(
    sql`SELECT prompt_number FROM prompts WHERE session_db_id = ${sessionDbId} AND prompt_id = ${promptId}`,
  );
}

/** The number of the last turn; 0 before the first prompt. */
export function currentPromptNumber(db: Db, sessionDbId: number): number {
  return db.value(sql`SELECT prompt_count FROM sessions WHERE id = ${sessionDbId}`) ?? 0;
}

export interface TurnEnd {
  sessionDbId: number;
  number: number;
  response: string | undefined;
  /** The transcript shows that the user or a failure stopped the turn. */
  isInterrupted: boolean;
  at: number;
}

/** A turn can end more than once, if background work wakes the agent again. The newest response is kept. */
export function endPrompt(db: Db, turn: TurnEnd): void {
  const { sessionDbId, number, at, isInterrupted } = turn;
  const row = findStarted(db, turn);
  if (row === undefined) return;
  const isNewest = row.response === null || at >= (row.ended_at ?? 0);
  db.run(sql`UPDATE prompts SET ended_at = max(coalesce(ended_at, 0), ${at}),
      response = ${isNewest ? (turn.response ?? row.response) : row.response},
      is_interrupted = max(is_interrupted, ${isInterrupted})
    WHERE id = ${row.id}`);
  // Prompts that were typed while the turn ran were handled in it.
  const typedMeanwhile = db.column<number>(sql`UPDATE prompts
    SET ended_at = ${at}, is_interrupted = max(is_interrupted, ${isInterrupted})
    WHERE session_db_id = ${sessionDbId} AND prompt_number > ${number} AND created_at < ${at} AND ended_at IS NULL
    RETURNING prompt_number`);
  for (const typed of typedMeanwhile) markTurnEnded(db, sessionDbId, typed);
}

/** Records the newest message of a turn that may continue. Clears the turn's end if it has the same time. */
export function setResponse(db: Db, turn: Omit<TurnEnd, "isInterrupted">): void {
  const row = findStarted(db, turn);
  if (row === undefined || (row.response !== null && turn.at < (row.ended_at ?? 0))) return;
  const response = turn.response ?? row.response;
  db.run(sql`UPDATE prompts SET response = ${response}, ended_at = nullif(ended_at, ${turn.at})
    WHERE id = ${row.id} AND (response IS NOT ${response} OR ended_at = ${turn.at})`);
}

/** The turn, unless its prompt is later than `at`: then the response cannot belong to it. */
function findStarted(
  db: Db,
  { sessionDbId, number, at }: Pick<TurnEnd, "sessionDbId" | "number" | "at">,
): { id: number; response: string | null; ended_at: number | null } | undefined {
  return db.get(sql`SELECT id, response, ended_at FROM prompts
    WHERE session_db_id = ${sessionDbId} AND prompt_number = ${number} AND created_at <= ${at + SAME_MOMENT_MS}`);
}

/** An async hook may report a tool use up to this long after the end of its turn. */
const LATE_MS = 5_000;

/**
 * Reopens the session's last turn after an event: background work or a notification woke the agent. Returns whether the
 * turn is open now.
 */
export function reopenTurn(db: Db, sessionDbId: number, promptNumber: number, at: number): boolean {
  const turn = db.get<{ id: number; ended_at: number | null }>(sql`SELECT p.id, p.ended_at
    FROM prompts p JOIN sessions s ON s.id = p.session_db_id AND s.prompt_count = p.prompt_number
    WHERE p.session_db_id = ${sessionDbId} AND p.prompt_number = ${promptNumber} AND s.end_reason IS NULL`);
  if (turn === undefined || turn.ended_at === null) return turn !== undefined;
  if (turn.ended_at >= at - LATE_MS) return false;
  db.run(sql`UPDATE prompts SET ended_at = NULL, is_interrupted = 0 WHERE id = ${turn.id}`);
  return true;
}

/** Notes that the agent compacts its context: the turn gets a summary now, and another one when it ends. */
export function setCheckpoint(db: Db, sessionDbId: number, promptNumber: number, at: number): void {
  db.run(sql`UPDATE prompts SET checkpoint_at = max(coalesce(checkpoint_at, 0), ${at})
    WHERE session_db_id = ${sessionDbId} AND prompt_number = ${promptNumber}`);
}

export interface PromptRow {
  id: number;
  state: TurnState;
  /** The transcript or a hook shows that the turn was stopped. */
  is_interrupted: number;
  prompt_number: number;
  text: string;
  response: string | null;
  created_at: number;
  ended_at: number | null;
}

const TURN = sql`SELECT p.id, p.prompt_number, p.text, p.response, p.is_interrupted, p.created_at, ${endedAt()} AS ended_at, ${turnState()} AS state
  FROM prompts p JOIN sessions s ON s.id = p.session_db_id`;

/** Newest first. */
export function lastPrompts(db: Db, sessionDbId: number, limit: number): PromptRow[] {
  return db.all(sql`${TURN} WHERE p.session_db_id = ${sessionDbId} ORDER BY p.prompt_number DESC LIMIT ${limit}`);
}

export function promptsOf(db: Db, sessionDbId: number): PromptRow[] {
  return db.all(sql`${TURN} WHERE p.session_db_id = ${sessionDbId} ORDER BY p.prompt_number`);
}

export function promptsByIds(db: Db, ids: readonly number[]): PromptRow[] {
  return db.all(sql`${TURN} WHERE p.id IN ${anyOf(ids)}`);
}

/** The response of a turn, else the last message of the assistant in it. */
export function lastResponse(db: Db, sessionDbId: number, promptNumber: number): string | undefined {
  return db.value(sql`SELECT coalesce(
      (SELECT response FROM prompts WHERE session_db_id = ${sessionDbId} AND prompt_number = ${promptNumber}),
      (SELECT text FROM messages
       WHERE session_db_id = ${sessionDbId} AND prompt_number = ${promptNumber} AND role = 'assistant' AND text <> ''
       ORDER BY created_at DESC, id DESC LIMIT 1))`);
}

/** The prompt's session and current number. The number changes when an earlier prompt is inserted late. */
export function findTurnKey(db: Db, promptDbId: number): TurnKey | undefined {
  return db.get(
    sql`SELECT session_db_id AS sessionDbId, prompt_number AS promptNumber FROM prompts WHERE id = ${promptDbId}`,
  );
}
